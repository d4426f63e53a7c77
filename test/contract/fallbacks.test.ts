import { HumanMessage } from '@langchain/core/messages';
import type { StructuredChunk } from 'n8n-workflow';

import type { FaultAction } from '../../sandbox/gateway/gateway';
import { CONTINUE, FORMATS } from '../helpers/values';
import { TEXT_MODEL, useGateway } from './support';

// *Fallback Models*: which errors of a model the next one is asked after.

const gateway = useGateway();

const MESSAGE = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Begun' }] };

const [SECOND, THIRD] = ['sandbox/swift-1', 'sandbox/thinker-3'];

/** What becomes of the calls to a model. */
function fault(model: string, action: FaultAction): void {
	gateway.control.addFault({ match: { method: 'POST', model }, action, times: 0 });
}
const reject = (model: string, code: string) => fault(model, { kind: 'error', code: code as 'no_providers' });
const asked = () =>
	gateway.control.requests({ method: 'POST' }).map(({ body }) => (body.json as { model: string }).model);
const generate = async (options: object = {}, more: object = {}, count = 1) =>
	await gateway.generate(
		{ options: { maxRetries: 0, fallbackModels: [SECOND, THIRD], ...options }, ...more },
		{
			items: Array.from({ length: count }, (_, n) => ({ json: { n } })),
			settings: CONTINUE,
		},
	);

const TRANSIENT = ['rate_limit_exceeded', 'token_limit_exceeded', 'provider_error', 'no_providers'];
const OF_MODEL = ['model_not_found', 'feature_not_available', 'content_too_large'];
const OF_ACCOUNT = {
	invalid_request: 400,
	invalid_api_key: 401,
	insufficient_quota: 402,
	internal_error: 500,
};

describe.each(FORMATS)('%s: the next model', (format) => {
	test.each([...TRANSIENT, 'service_unavailable', ...OF_MODEL])('is asked after %s', async (code) => {
		reject(TEXT_MODEL, code);
		const { items } = await generate({ rateLimitWait: 0 }, { format });
		expect(items[0]?.json).toMatchObject({ model: SECOND, fallbackFrom: [TEXT_MODEL] });
		expect(asked()).toStrictEqual([TEXT_MODEL, SECOND]);
		expect(gateway.charges()).toBe(1);
	});

	// §7.4: in the messages format, there are no codes.
	test.each(Object.entries(OF_ACCOUNT))('is not asked after %s', async (code, status) => {
		reject(TEXT_MODEL, code);
		const isMoney = format === 'messages' && status === 402;
		const { items } = await generate({}, { format });
		expect(items[0]?.json.error).toMatchObject({ httpCode: isMoney ? '400' : String(status) });
		expect(asked()).toStrictEqual([TEXT_MODEL]);
	});
});

describe('the next model', () => {
	it('is asked after an input that is too long', async () => {
		reject(TEXT_MODEL, 'context_length_exceeded');
		expect((await generate()).items[0]?.json).toMatchObject({ model: SECOND });
	});

	test.each(['sub_account_blocked', 'limit_exceeded', 'gateway_timeout'])(
		'is not asked after %s',
		async (code) => {
			reject(TEXT_MODEL, code);
			expect((await generate()).items[0]?.json.error).toMatchObject({ code });
			expect(asked()).toStrictEqual([TEXT_MODEL]);
		},
	);

	test.each<[string, FaultAction]>([
		['lost', { kind: 'loseResponse' }],
		['cut off', { kind: 'cutBody' }],
		['of a proxy', { kind: 'raw', status: 502, body: 'html' }],
		['of a proxy that no longer waits', { kind: 'raw', status: 408, body: 'html' }],
		['for a client that has gone', { kind: 'error', code: 'client_closed_request' }],
	])('is not asked after a response that is %s', async (_, action) => {
		fault(TEXT_MODEL, action);
		const { items } = await generate();
		expect(items[0]?.json.error).toMatchObject({ mayBeCharged: true });
		expect(asked()).toStrictEqual([TEXT_MODEL]);
	});

	it.each([
		[
			'is not asked after a response that says it has failed, and has a text',
			[MESSAGE],
			[TEXT_MODEL],
			'context_length_exceeded',
		],
		['is asked after one without output: its code says what happened', [], [TEXT_MODEL, SECOND], undefined],
	])('%s', async (_, output, models, failed) => {
		const error = { code: 'context_length_exceeded', message: 'too long' };
		const text = JSON.stringify({ id: 'r1', status: 'failed', error, output });
		fault(TEXT_MODEL, { kind: 'raw', status: 200, body: { text, contentType: 'application/json' } });
		const { items } = await generate({}, { format: 'responses' });
		expect((items[0]?.json.error as { code?: string } | undefined)?.code).toBe(failed);
		expect(asked()).toStrictEqual(models);
	});

	it('is asked after the retries of the one before', async () => {
		reject(TEXT_MODEL, 'no_providers');
		await generate({ maxRetries: 1 });
		expect(asked()).toStrictEqual([TEXT_MODEL, TEXT_MODEL, SECOND]);
	});

	it('is asked in its order, and once; the last error names those that were rejected', async () => {
		for (const model of [TEXT_MODEL, SECOND, THIRD]) reject(model, 'no_providers');
		const { items } = await generate({ fallbackModels: [SECOND, THIRD, ` ${SECOND} `] });
		expect(asked()).toStrictEqual([TEXT_MODEL, SECOND, THIRD]);
		expect(items[0]?.json.error).toMatchObject({
			code: 'no_providers',
			description: expect.stringMatching(
				`Rejected before: ${TEXT_MODEL} \\(“.+”\\), ${SECOND} \\(“.+”\\)\\. This call was not charged\\.$`,
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

describe('after a 429, which pauses the account’s other requests, the next model', () => {
	/** Calls to a model are refused, for so many seconds. */
	const refuse = (model: string, retryAfter: number, times: number) => {
		const action = { kind: 'error', code: 'rate_limit_exceeded', retryAfter } as const;
		gateway.control.addFault({ match: { method: 'POST', model }, action, times });
	};
	const one = { fallbackModels: [SECOND] };

	it('is asked where the Retry-After is longer than Rate Limit Wait', async () => {
		refuse(TEXT_MODEL, 1_200, 0);
		const { items } = await generate({ ...one, rateLimitWait: 15 });
		expect(asked()).toStrictEqual([TEXT_MODEL, SECOND]);
		expect(items[0]?.json).toMatchObject({ model: SECOND, fallbackFrom: [TEXT_MODEL] });
	});

	it.each<[string, object]>([
		['does not exist', { fallbackModels: ['acme/one'] }],
		['costs too much', { fallbackModels: [THIRD], maxTokens: 1_000, maxCostRub: 2 }],
	])('is not waited for if it %s: the first one is asked again, and waits', async (_, options) => {
		refuse(TEXT_MODEL, 8, 2);
		const { items } = await generate(options);
		expect(items[0]?.json).toMatchObject({ model: TEXT_MODEL });
		expect(items[0]?.json).not.toHaveProperty('fallbackFrom');
	});

	it('waits for its own rate limit if it is the last one', async () => {
		reject(TEXT_MODEL, 'no_providers');
		refuse(SECOND, 8, 1);
		expect((await generate(one)).items[0]?.json).toMatchObject({ model: SECOND });
		expect(asked()).toStrictEqual([TEXT_MODEL, SECOND, SECOND]);
	});
});

it.each([
	['is asked before the others', [SECOND], [THIRD, SECOND]],
	['is not repeated', [THIRD, SECOND], [THIRD, SECOND]],
	['may be followed by that of the list', [TEXT_MODEL], [THIRD, TEXT_MODEL]],
])('a model in Extra Body %s', async (_, fallbackModels, models) => {
	reject(THIRD, 'no_providers');
	const { items } = await generate({ extraBody: JSON.stringify({ model: THIRD }), fallbackModels });
	expect(asked()).toStrictEqual(models);
	expect(items[0]?.json).toMatchObject({ model: models[1], fallbackFrom: [THIRD] });
});

it('a model in Extra Body of a chat model may be followed by that of the list', async () => {
	reject(THIRD, 'no_providers');
	const extraBody = JSON.stringify({ model: THIRD });
	const { lc } = await gateway.chatModel({
		options: { maxRetries: 0, extraBody, fallbackModels: [TEXT_MODEL] },
	});
	await lc.invoke([new HumanMessage('Go')]);
	expect(asked()).toStrictEqual([THIRD, TEXT_MODEL]);
});

it('a fallback model that the gateway does not know is passed over', async () => {
	reject(TEXT_MODEL, 'rate_limit_exceeded');
	const { items } = await generate({ fallbackModels: ['acme/one', THIRD], rateLimitWait: 0 });
	expect(items[0]?.json).toMatchObject({ model: THIRD, fallbackFrom: [TEXT_MODEL, 'acme/one'] });
	expect(gateway.charges()).toBe(1);
});
