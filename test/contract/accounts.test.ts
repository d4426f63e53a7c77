import { rateGates } from '../../nodes/shared/n8n/client';
import { CONTINUE } from '../helpers/values';
import { filled, useGateway } from './support';

// A credential whose fields are expressions: each item has its own account.

const gateway = useGateway();

describe('item credentials', () => {
	const ACCOUNTS = ['alice', 'bob', 'alice', 'bob'];

	/** Items of two accounts, and the run options that send each with its key. */
	function twoAccounts() {
		const keys = new Map(
			[...new Set(ACCOUNTS)].map((account) => [account, gateway.control.createKey({ account }).key]),
		);
		for (const account of keys.keys()) gateway.control.setBalance('100.00', account);
		const items = ACCOUNTS.map((account) => ({ json: { account, key: keys.get(account) ?? '' } }));
		const keyOf = ({ json }: { json: object }) => String((json as { key?: string }).key);
		return { keys, items, options: { items, keyOf } };
	}

	const chargedAccounts = () =>
		gateway.control
			.ledger()
			.map(({ account }) => account)
			.sort();

	it('two accounts may use the same key of their own for different inputs', async () => {
		const { options } = twoAccounts();
		const input = filled('aurora/canvas-1', { prompt: '={{ $json.account }}' });
		const { error, run } = await gateway.media(
			'create',
			{ ...input, options: { idempotencyKey: 'order-1' } },
			options,
		);
		expect(error).toBeUndefined();
		expect(run.data.resultData.metadata).toMatchObject({ gatewayCallsWithoutCost: '2' });
		// The second item of each account is the same task.
		expect(chargedAccounts()).toStrictEqual(['alice', 'bob']);
	});

	it('prices are those of the account of the item, read once for each', async () => {
		const { options } = twoAccounts();
		const { error } = await gateway.generate({ options: { maxCostRub: 50, maxTokens: 20 } }, options);
		expect(error).toBeUndefined();
		expect(gateway.control.requests({ path: '/models' })).toHaveLength(2);
	});

	it('the rate limit of one account does not pause the other', async () => {
		const { options } = twoAccounts();
		const items = [0, 2, 1].flatMap((index) => options.items[index] ?? []);
		const action = { kind: 'error', code: 'rate_limit_exceeded', retryAfter: 3_600 } as const;
		gateway.control.addFault({ match: { method: 'POST' }, action, times: 2 });
		const parameters = { options: { concurrency: 1 } };
		const { items: outputs } = await gateway.generate(parameters, { ...options, items, settings: CONTINUE });
		expect(outputs.map(({ json }) => 'error' in json)).toStrictEqual([true, true, false]);
		const [, second, third] = gateway.control.requests({ method: 'POST' }).map(({ startedAt }) => startedAt);
		expect(Number(third) - Number(second)).toBeLessThan(500);
	});

	it('an item with a wrong key fails alone, and no key is shown', async () => {
		const { keys, items, options } = twoAccounts();
		const wrong = 'sk-00000000-0000-4000-8000-000000000000';
		const [first = { json: { account: '', key: '' } }, ...others] = items;
		const mixed = [{ json: { ...first.json, key: wrong } }, ...others];
		const { items: outputs } = await gateway.generate({}, { ...options, items: mixed, settings: CONTINUE });
		expect(
			outputs.map(({ json }) => (json.error as { httpCode?: string } | undefined)?.httpCode),
		).toStrictEqual(['401', undefined, undefined, undefined]);
		const shown = JSON.stringify(outputs);
		for (const key of [wrong, ...keys.values()]) expect(shown).not.toContain(key);
	});
});

describe('rate limit', () => {
	const items = (count: number) => Array.from({ length: count }, (_, n) => ({ json: { n } }));

	it('pauses the requests of another node of the process, too', async () => {
		jest.spyOn(rateGates, 'get').mockRestore();
		const action = { kind: 'error', code: 'rate_limit_exceeded', retryAfter: 9 } as const;
		gateway.control.addFault({ action, match: { method: 'POST' }, times: 2 });
		const options = { concurrency: 1, rateLimitWait: 0.01 };
		await gateway.generate({ options }, { items: items(2), settings: CONTINUE });
		const { error } = await gateway.generate();
		expect(error).toBeUndefined();
		const [, second, third] = gateway.control.requests({ method: 'POST' }).map(({ startedAt }) => startedAt);
		expect(Number(third) - Number(second)).toBeGreaterThanOrEqual(500);
	});

	it('the hint of the node says how long requests, together, waited for the rate limit', async () => {
		const code = 'rate_limit_exceeded';
		const action = { kind: 'error', code, retryAfter: 9 } as const;
		gateway.control.addFault({ action, match: { method: 'POST' }, times: 3 });
		const { hints } = await gateway.generate({}, { items: items(3) });
		expect(hints).toContainEqual(
			expect.stringMatching(/^Requests waited (9|1\d) s for the rate limit of the account\.$/),
		);
	});
});
