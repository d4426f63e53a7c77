/** Keys, catalogues, balance, ledger, limits (§2.1, §2.8, §5, §8). */
import { formatRubles, parseRubles, toNumber } from '../../sandbox/gateway/money';
import { at, call, chatBody, createTask, endOf, useGateway } from './harness';

const gateway = useGateway();

const keyed: Array<[string, string]> = [
	['GET', '/balance'],
	['POST', '/chat/completions'],
	['POST', '/responses'],
	['POST', '/messages'],
	['POST', '/async/media/tasks'],
	['GET', '/async/media/tasks'],
	['GET', '/async/media/tasks/x'],
	['GET', '/async/media/tasks/x/download'],
	['PATCH', '/async/media/tasks/x/archive'],
	['DELETE', '/async/media/tasks/x'],
	['POST', '/async/media/tasks/x/restore'],
	['POST', '/async/media/tasks/x/lyrics/timestamped'],
	['POST', '/media/sessions'],
	['POST', '/storage/upload'],
	['GET', '/storage'],
	['GET', '/storage/x'],
	['DELETE', '/storage/x'],
];

describe('authentication', () => {
	it.each(keyed)('%s %s without a key gets 401 in the OpenAI format', async (method, path) => {
		const json = method === 'GET' ? undefined : {};
		for (const key of [null, 'sk-00000000-0000-4000-8000-000000000000']) {
			const response = await call(gateway(), path, { method, json, key });
			expect(response.status).toBe(401);
			expect(response.body.error).toMatchObject({
				type: 'authentication_error',
				code: 'invalid_api_key',
				param: null,
			});
		}
	});

	it('reads X-Api-Key first, then the bearer token', async () => {
		const bearer = { authorization: `Bearer ${gateway().apiKey}` };
		expect((await call(gateway(), '/balance', { key: null, headers: bearer })).status).toBe(200);
		expect((await call(gateway(), '/balance', { key: 'sk-wrong', headers: bearer })).status).toBe(401);
		expect(gateway().control.requests()[0]?.key).toMatchObject({ used: 'authorization', xApiKey: false });
	});

	it.each(['revoked', 'expired'] as const)('rejects a key that is %s', async (status) => {
		const { key } = gateway().control.createKey();
		expect((await call(gateway(), '/balance', { key })).status).toBe(200);
		gateway().control.setKeyStatus(key, status);
		const { body } = await call(gateway(), '/balance', { key });
		expect(at(body, 'error.message')).toBe('Incorrect API key provided');
	});

	it('masks keys in the log', async () => {
		await call(gateway(), '/balance');
		expect(JSON.stringify(gateway().control.requests())).not.toContain(gateway().apiKey);
	});

	it('has at most ten active keys per account', () => {
		for (let index = 1; index < 10; index += 1) gateway().control.createKey();
		expect(() => gateway().control.createKey()).toThrow('10 active keys');
	});
});

describe('catalogues', () => {
	it('have base prices without a key and lower ones with it', async () => {
		const base = (await call(gateway(), '/models', { key: null })).body;
		const own = (await call(gateway(), '/models')).body;
		expect(at(base, 'data.0.cost_context')).toBe(0.00001);
		expect(at(own, 'data.0.cost_context')).toBe(0.000009);
	});

	it('list media models of all types, with tiers and a schema', async () => {
		const { body } = await call(gateway(), '/media/models', { key: null });
		const data = body.data as Array<Record<string, unknown>>;
		expect(body.object).toBe('list');
		expect(new Set(data.map((model) => model.media_type))).toStrictEqual(
			new Set(['image', 'video', 'music', 'audio']),
		);
		expect(data[0]).toMatchObject({
			object: 'model',
			pricing: {
				currency: 'RUB',
				type: 'tiered',
				tiers: [{ params: { quality: 'draft' }, price: '2.00' }, {}, {}, {}, {}],
			},
			input_schema: { type: 'object', required: ['prompt'] },
		});
	});
});

describe('money', () => {
	it('charges exactly tokens times price, and reports it', async () => {
		const { body } = await call(gateway(), '/chat/completions', { json: chatBody });
		const { body: catalogue } = await call(gateway(), '/models');
		const input = parseRubles(String(at(catalogue, 'data.0.cost_context')));
		const output = parseRubles(String(at(catalogue, 'data.0.cost_completion')));
		const cost =
			BigInt(Number(at(body, 'usage.prompt_tokens'))) * input +
			BigInt(Number(at(body, 'usage.completion_tokens'))) * output;
		expect(at(body, 'usage.cost_rub')).toBe(toNumber(cost));
		expect(gateway().control.ledger()[0]).toMatchObject({
			kind: 'text',
			endpoint: 'POST /chat/completions',
			amount: formatRubles(cost),
		});
	});

	it('adds up in the ledger to what the wallet has paid', async () => {
		await call(gateway(), '/chat/completions', { json: chatBody });
		await call(gateway(), '/responses', { json: { model: 'sandbox/grand-4', input: 'hello' } });
		await endOf(gateway(), await createTask(gateway()));
		const spent = gateway()
			.control.ledger()
			.reduce((sum, entry) => sum + parseRubles(entry.amount), 0n);
		expect(gateway().control.ledger()).toHaveLength(3);
		expect(gateway().control.balance()).toBe(formatRubles(parseRubles('1000.00') - spent));
	});

	it('is in both shapes of the balance', async () => {
		gateway().control.setBalance('12.5');
		expect((await call(gateway(), '/balance')).body).toStrictEqual({ amount: '12.50' });
		gateway().control.configure({ balanceShape: 'currencies' });
		expect((await call(gateway(), '/balance')).body).toStrictEqual({ RUB: '12.50', USD: '0.125' });
	});

	it('keeps accounts apart', async () => {
		const { key } = gateway().control.createKey({ account: 'other' });
		await call(gateway(), '/chat/completions', { json: chatBody, key });
		expect(gateway().control.balance()).toBe('1000.00');
		expect(gateway().control.ledger('other')).toHaveLength(1);
	});
});

describe('limits', () => {
	it('allow an Idempotency-Key of 255 characters, not of 256', async () => {
		const ask = async (length: number) =>
			(
				await call(gateway(), '/chat/completions', {
					json: chatBody,
					headers: { 'idempotency-key': 'k'.repeat(length) },
				})
			).status;
		expect([await ask(255), await ask(256)]).toStrictEqual([200, 400]);
		await expect(createTask(gateway(), undefined, { 'idempotency-key': 'k'.repeat(256) })).rejects.toThrow(
			'400',
		);
	});
});
