/** §7: every code, in the body format of the endpoint's group. */
import { errorCodes, isErrorCode } from '../../sandbox/gateway/errors';
import specified from '../fixtures/spec/errors.json';
import { at, call, chatBody, createTask, useGateway } from './harness';

const gateway = useGateway();
const chat = async (more: Record<string, unknown> = {}) =>
	await call(gateway(), '/chat/completions', { json: { ...chatBody, ...more } });

describe('§7.3 by a fault', () => {
	it.each(specified.openai)('$code', async ({ status, code, type }) => {
		if (!isErrorCode(code)) throw new Error(`The gateway does not know ${code}`);
		gateway().control.addFault({ action: { kind: 'error', code } });
		const response = await chat();
		expect(response.status).toBe(status);
		const message = expect.any(String) as string;
		expect(response.body.error).toStrictEqual({ code, type, param: null, message });
	});
});

describe('§7.3 by the request itself', () => {
	it.each([
		['invalid_request', 400, { model: undefined }],
		['invalid_request', 400, { messages: [] }],
		['invalid_request', 400, { temperature: 3 }],
		['invalid_request', 400, { reasoning: { effort: 'enormous' } }],
		['model_not_found', 404, { model: 'no/such' }],
		['content_too_large', 422, { model: 'tiny/window-1k', max_tokens: 2000 }],
		[
			'provider_bad_request',
			400,
			{ messages: [{ role: 'user', content: '[[error:provider_bad_request]]' }] },
		],
	])('%s', async (code, status, more) => {
		const response = await chat(more);
		expect(response.status).toBe(status);
		expect(at(response.body, 'error.code')).toBe(code);
	});

	it('names the numbers of content_too_large', async () => {
		const response = await chat({ model: 'tiny/window-1k', max_tokens: 2000 });
		expect(at(response.body, 'error.message')).toMatch(/Input of 5 tokens plus 2000 .* 1024 tokens/);
	});

	it('charges nothing with insufficient_quota', async () => {
		gateway().control.setBalance('0.0001');
		expect(at((await chat()).body, 'error.code')).toBe('insufficient_quota');
		expect(gateway().control.balance()).toBe('0.0001');
	});

	it('rejects an invalid session as unauthorized', async () => {
		const response = await call(gateway(), '/balance', { key: null, headers: { cookie: 'session=old' } });
		expect(at(response.body, 'error.code')).toBe('unauthorized');
	});

	it('sends rate_limit_exceeded with Retry-After until the window has passed', async () => {
		gateway().control.configure({ rateLimit: { requestsPerMinute: 2 } });
		expect([(await chat()).status, (await chat()).status]).toStrictEqual([200, 200]);
		const response = await chat();
		expect([response.status, at(response.body, 'error.code')]).toStrictEqual([429, 'rate_limit_exceeded']);
		expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
	});

	it('sends token_limit_exceeded with a date', async () => {
		gateway().control.configure({ rateLimit: { tokensPerMinute: 1, retryAfter: 'date' } });
		const response = await chat();
		expect(at(response.body, 'error.code')).toBe('token_limit_exceeded');
		expect(Date.parse(response.headers.get('retry-after') ?? '')).toBeGreaterThan(Date.now() - 2000);
	});

	it('sends gateway_timeout at the ceiling', async () => {
		gateway().control.configure({ requestCeilingMs: 20, latency: { chat: 60_000 } });
		expect(at((await chat()).body, 'error.code')).toBe('gateway_timeout');
	});

	it('rejects a body that is not JSON', async () => {
		const response = await call(gateway(), '/chat/completions', {
			body: '{"model":',
			headers: { 'content-type': 'application/json' },
		});
		expect([response.status, at(response.body, 'error.code')]).toStrictEqual([400, 'invalid_request']);
	});
});

describe('§7.2, POST /responses', () => {
	it.each([undefined, '', []])('requires input: %j', async (input) => {
		const json = { model: 'sandbox/swift-1', input, instructions: 'Be brief' };
		const { status, body } = await call(gateway(), '/responses', { json });
		expect(status).toBe(400);
		expect(body).toStrictEqual({
			error: {
				message: 'input is required',
				type: 'invalid_request_error',
				param: 'input',
				code: 'invalid_request',
			},
		});
	});
});

describe('§7.1, §7.4: the other formats', () => {
	const message = { model: 'sandbox/swift-1', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] };
	const headers = { 'anthropic-version': '2023-06-01' };

	it('messages: rejects missing max_tokens, unknown model, no money (400) and a missing version header', async () => {
		const ask = async (json: unknown, sent = headers as Record<string, string>) => {
			const { status, body } = await call(gateway(), '/messages', { json, headers: sent });
			return [status, body.type, at(body, 'error.type')];
		};
		expect(await ask({ ...message, max_tokens: undefined })).toStrictEqual([
			400,
			'error',
			'invalid_request_error',
		]);
		expect(await ask({ ...message, model: 'no/such' })).toStrictEqual([404, 'error', 'not_found_error']);
		expect(await ask(message, {})).toStrictEqual([400, 'error', 'invalid_request_error']);
		gateway().control.setBalance('0');
		expect(await ask(message)).toStrictEqual([400, 'error', 'invalid_request_error']);
	});

	it.each([400, 402, 403, 404, 409, 410, 422, 429, 499, 500, 502, 503, 504])(
		'sends the media envelope with %i',
		async (status) => {
			const code = Object.keys(errorCodes)
				.filter(isErrorCode)
				.find((name) => errorCodes[name].status === status);
			if (!code) throw new Error('No such status');
			gateway().control.addFault({ action: { kind: 'error', code } });
			const response = await call(gateway(), '/async/media/tasks', { json: {} });
			expect(response.status).toBe(status);
			expect(response.body).toStrictEqual({ code: status, msg: expect.any(String) as string, data: null });
		},
	);

	it('media: creates nothing without money', async () => {
		gateway().control.setBalance('1.00');
		await expect(createTask(gateway())).rejects.toThrow('402');
		expect(gateway().control.tasks()).toStrictEqual([]);
	});

	it('storage: sends message and type only', async () => {
		const response = await call(gateway(), '/storage/nothing');
		expect(response.status).toBe(404);
		expect(response.body).toStrictEqual({ error: { message: 'File not found', type: 'invalid_request' } });
	});

	it('catalogues: omit param in a 500', async () => {
		gateway().control.addFault({ action: { kind: 'error', code: 'internal_error' } });
		const { body } = await call(gateway(), '/models');
		expect(Object.keys(at(body, 'error') as object)).toStrictEqual(['message', 'type', 'code']);
	});
});
