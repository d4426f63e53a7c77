import type { StructuredChunk } from 'n8n-workflow';

import type { FaultAction } from '../../sandbox/gateway/gateway';
import { quickTime } from '../helpers/time';
import { TEXT_MODEL, useGateway } from './support';

// Fallback models, against the sandbox gateway.

const gateway = useGateway();
const [SECOND, THIRD] = ['sandbox/swift-1', 'sandbox/thinker-3'];
const CALLS = { chat: '/chat/completions', responses: '/responses', messages: '/messages' };

/** What becomes of the calls to a model. */
function fault(model: string, action: FaultAction): void {
	gateway.control.addFault({ match: { method: 'POST', model }, action, times: 0 });
}
const reject = (model: string, code: string) => fault(model, { kind: 'error', code: code as 'no_providers' });
const asked = () =>
	gateway.control.requests({ method: 'POST' }).map(({ body }) => (body.json as { model: string }).model);
const generate = async (options: object = {}, more: object = {}) =>
	await gateway.generate(
		{ options: { maxRetries: 0, fallbackModels: [SECOND, THIRD], ...options }, ...more },
		{ settings: { onError: 'continueRegularOutput' } },
	);

describe.each(Object.keys(CALLS))('%s: the next model', (format) => {
	test.each([
		'rate_limit_exceeded',
		'token_limit_exceeded',
		'provider_error',
		'no_providers',
		'service_unavailable',
		'model_not_found',
	])('is asked after %s', async (code) => {
		reject(TEXT_MODEL, code);
		const { items } = await generate({ rateLimitWait: 0 }, { format });
		expect(items[0]?.json).toMatchObject({ model: SECOND, fallbackFrom: [TEXT_MODEL] });
		expect(asked()).toStrictEqual([TEXT_MODEL, SECOND]);
		expect(gateway.charges()).toBe(1);
	});
});

describe('messages: the next model', () => {
	// §7.4: there are no codes, so 403 and 422 may be due to the model.
	test.each(['feature_not_available', 'content_too_large'])('is asked after %s', async (code) => {
		reject(TEXT_MODEL, code);
		expect((await generate({}, { format: 'messages' })).items[0]?.json).toMatchObject({ model: SECOND });
	});

	test.each(['invalid_request', 'invalid_api_key', 'insufficient_quota', 'internal_error'])(
		'is not asked after %s',
		async (code) => {
			reject(TEXT_MODEL, code);
			await generate({}, { format: 'messages' });
			expect(asked()).toStrictEqual([TEXT_MODEL]);
		},
	);
});

describe('the next model', () => {
	test.each(['context_length_exceeded', 'content_too_large', 'feature_not_available'])(
		'is asked after %s',
		async (code) => {
			reject(TEXT_MODEL, code);
			expect((await generate()).items[0]?.json).toMatchObject({ model: SECOND });
		},
	);

	test.each([
		'invalid_request',
		'invalid_api_key',
		'insufficient_quota',
		'sub_account_blocked',
		'limit_exceeded',
		'internal_error',
		'gateway_timeout',
	])('is not asked after %s', async (code) => {
		reject(TEXT_MODEL, code);
		const { items } = await generate();
		expect(items[0]?.json.error).toMatchObject({ code });
		expect(asked()).toStrictEqual([TEXT_MODEL]);
	});

	test.each<[string, FaultAction]>([
		['lost', { kind: 'loseResponse' }],
		['cut off', { kind: 'cutBody' }],
		['of a proxy', { kind: 'raw', status: 502, body: 'html' }],
	])('is not asked after a response that is %s', async (_, action) => {
		fault(TEXT_MODEL, action);
		const { items } = await generate();
		expect(items[0]?.json.error).toMatchObject({ mayBeCharged: true });
		expect(asked()).toStrictEqual([TEXT_MODEL]);
	});

	it('is not asked after a response that says it has failed', async () => {
		const error = { code: 'context_length_exceeded', message: 'too long' };
		const text = JSON.stringify({ id: 'r1', status: 'failed', error, output: [] });
		fault(TEXT_MODEL, { kind: 'raw', status: 200, body: { text, contentType: 'application/json' } });
		const { items } = await generate({}, { format: 'responses' });
		expect(items[0]?.json.error).toMatchObject({ code: 'context_length_exceeded' });
		expect(asked()).toStrictEqual([TEXT_MODEL]);
	});

	it('is asked after the retries of the one before', async () => {
		reject(TEXT_MODEL, 'no_providers');
		await generate({ maxRetries: 1 });
		expect(asked()).toStrictEqual([TEXT_MODEL, TEXT_MODEL, SECOND]);
	});

	it('is asked in its order; the last error names those that were rejected', async () => {
		for (const model of [TEXT_MODEL, SECOND, THIRD]) reject(model, 'no_providers');
		const { items } = await generate();
		expect(asked()).toStrictEqual([TEXT_MODEL, SECOND, THIRD]);
		expect(items[0]?.json.error).toMatchObject({
			code: 'no_providers',
			description: expect.stringMatching(
				`Rejected before: ${TEXT_MODEL} \\(“.+”\\), ${SECOND} \\(“.+”\\)\\. Nothing was charged\\.$`,
			) as string,
		});
		expect(gateway.charges()).toBe(0);
	});

	it('is not asked when the limit of the execution does not allow it', async () => {
		reject(TEXT_MODEL, 'no_providers');
		const options = { fallbackModels: [THIRD], maxTokens: 1_000, maxCostRub: 2 };
		const { items } = await generate(options);
		expect(items[0]?.json.error).toMatchObject({
			param: 'maxCostRub',
			description: expect.stringContaining(`Rejected before: ${TEXT_MODEL} (“`) as string,
		});
		expect(asked()).toStrictEqual([TEXT_MODEL]);
	});

	it('is passed over when the limit of the execution does not allow it, and the one after it does', async () => {
		reject(TEXT_MODEL, 'no_providers');
		const options = { fallbackModels: [THIRD, SECOND], maxTokens: 1_000, maxCostRub: 2 };
		const { items } = await generate(options);
		expect(items[0]?.json).toMatchObject({ model: SECOND, fallbackFrom: [TEXT_MODEL, THIRD] });
		expect(asked()).toStrictEqual([TEXT_MODEL, SECOND]);
	});

	it('streams the one response to the chat', async () => {
		reject(TEXT_MODEL, 'no_providers');
		const chunks: StructuredChunk[] = [];
		const onChunk = (chunk: StructuredChunk) => void chunks.push(chunk);
		await gateway.generate(
			{ prompt: '[[say:one two three]]', options: { maxRetries: 0, fallbackModels: [SECOND] } },
			{ onChunk },
		);
		expect(chunks.map(({ type }) => type)).toStrictEqual([
			'begin',
			...chunks.slice(2).map(() => 'item'),
			'end',
		]);
		expect(chunks.map(({ content = '' }) => content).join('')).toBe('one two three');
	});
});

describe('the rate limit of the next model', () => {
	quickTime(20);

	it('is waited for as long as that of the first', async () => {
		reject(TEXT_MODEL, 'no_providers');
		const action = { kind: 'error', code: 'rate_limit_exceeded', retryAfter: 8 } as const;
		gateway.control.addFault({ match: { method: 'POST', model: SECOND }, action });
		expect((await generate()).items[0]?.json).toMatchObject({ model: SECOND });
		expect(asked()).toStrictEqual([TEXT_MODEL, SECOND, SECOND]);
	});
});

it('a model that does not reject the call has no fallbackFrom in its output', async () => {
	const { items } = await generate();
	expect(items[0]?.json).toMatchObject({ model: TEXT_MODEL });
	expect(items[0]?.json).not.toHaveProperty('fallbackFrom');
});

it('fallback models that the catalogue does not have are named, and nothing is sent', async () => {
	const { items } = await generate({ fallbackModels: [SECOND, 'acme/one', 'acme/two'] });
	expect(items[0]?.json.error).toMatchObject({
		message: "'Fallback Models' has models that the catalogue does not have: acme/one, acme/two",
		param: 'fallbackModels',
	});
	expect(asked()).toStrictEqual([]);
});
