import { HumanMessage } from '@langchain/core/messages';

import type { FaultAction } from '../../sandbox/gateway/gateway';
import { TEXT_MODEL, useGateway } from '../contract/support';
import { streamOf } from '../reports/support';
import { Execution, type StoryNode } from './execution';
import { numbered, respondJson, text } from './support';

// A model above its rate limit, and an account above its own, with *Fallback Models*.

const gateway = useGateway();
const [SECOND, THIRD] = ['sandbox/swift-1', 'sandbox/thinker-3'];

async function execute(count: number, options: object) {
	const story = { nodes: [text({ options })] as [StoryNode], items: numbered(count) };
	const { baseUrl, apiKey } = gateway;
	const execution = await Execution.start(story, { baseUrl, apiKey });
	return { execution, items: execution.items().map(({ json }) => json) };
}

/** Every call to these models is refused, as above their own rate limit. */
function refuse(models: string[], retryAfter?: number): void {
	const error = { kind: 'error', code: 'rate_limit_exceeded' } as const;
	const action = retryAfter === undefined ? error : { ...error, retryAfter };
	for (const model of models)
		gateway.control.addFault({ match: { method: 'POST', model }, action, times: 0 });
}

const callsTo = (model: string) =>
	gateway.control.requests({ method: 'POST' }).filter(({ body }) => body.model === model);
const asked = (model: string) => callsTo(model).length;

/** Until the last call to a model is sent. */
function secondsUntil(model: string): number {
	const [first] = gateway.control.requests({ method: 'POST' });
	return ((callsTo(model).at(-1)?.startedAt ?? NaN) - (first?.startedAt ?? NaN)) / 1_000;
}

describe('a first model above its own rate limit', () => {
	test.each([undefined, 0, 1, 30])('gives way within 5 s (Retry-After: %s)', async (retryAfter) => {
		refuse([TEXT_MODEL], retryAfter);
		const { execution, items } = await execute(3, { fallbackModels: [SECOND, THIRD] });
		expect(execution.error).toBeUndefined();
		expect(items.map(({ model, fallbackFrom }) => [model, fallbackFrom])).toStrictEqual(
			Array(3).fill([SECOND, [TEXT_MODEL]]),
		);
		expect(secondsUntil(SECOND)).toBeLessThan(5);
		expect(asked(TEXT_MODEL)).toBeLessThan(13);
		expect(gateway.charges()).toBe(3);
		expect(execution.hints()).toContain('A fallback model answered. (3 items)');
	});

	it('is asked again when the other model rejects the request', async () => {
		const refused = { kind: 'error', code: 'rate_limit_exceeded', retryAfter: 6 } as const;
		gateway.control.addFault({ match: { method: 'POST', model: TEXT_MODEL }, action: refused });
		const rejected = { kind: 'error', code: 'provider_bad_request' } as const;
		gateway.control.addFault({ match: { method: 'POST', model: SECOND }, action: rejected });
		const { execution, items } = await execute(1, { fallbackModels: [SECOND] });
		expect(execution.error).toBeUndefined();
		expect(items).toMatchObject([{ model: TEXT_MODEL }]);
		expect(asked(SECOND)).toBe(1);
	});

	const usage = { cost_rub: 0.75 };
	it.each<[string, FaultAction, message: string]>([
		['an error of the account', { kind: 'error', code: 'insufficient_quota' }, 'not enough money'],
		['an error of the key', { kind: 'error', code: 'invalid_api_key' }, 'refused the API key'],
		['an empty answer that is paid for', respondJson({ id: 'c', choices: [], usage }), 'The call cost ₽0.75'],
	])('gives way once: after %s, no model is asked', async (_, action, message) => {
		refuse([TEXT_MODEL]);
		gateway.control.addFault({ match: { method: 'POST', model: SECOND }, action });
		const { execution } = await execute(1, { fallbackModels: [SECOND, THIRD] });
		expect(execution.errorText).toContain(message);
		const models = gateway.control.requests({ method: 'POST' }).map(({ body }) => body.model);
		expect(models.filter((model) => model !== TEXT_MODEL)).toStrictEqual([SECOND]);
		expect(models.at(-1)).toBe(SECOND);
	});

	it('is not asked again when the other model fails while it writes, and nothing stands behind what the chat shows', async () => {
		refuse([TEXT_MODEL]);
		const error = { code: 'server_error', message: 'Broken' };
		const events = [
			{ type: 'response.output_text.delta', output_index: 0, delta: 'One' },
			{ type: 'response.failed', response: { status: 'failed', error } },
		];
		const body = { text: streamOf(events), contentType: 'text/event-stream' };
		const action = { kind: 'raw', status: 200, body } as const;
		gateway.control.addFault({ match: { method: 'POST', model: SECOND }, action });
		const { lc } = await gateway.chatModel({
			parameters: { format: 'responses' },
			options: { fallbackModels: [SECOND] },
		});
		const shown: unknown[] = [];
		const read = async () => {
			for await (const { text: words } of await lc.stream([new HumanMessage('Go')])) shown.push(words);
		};
		await expect(read()).rejects.toThrow('The model did not finish its response');
		expect(shown.join('')).toBe('One');
		expect(gateway.control.requests({ method: 'POST' }).at(-1)?.body.model).toBe(SECOND);
	});

	it('is not left when it is free again within two seconds', async () => {
		const action = { kind: 'error', code: 'rate_limit_exceeded', retryAfter: 1 } as const;
		gateway.control.addFault({ match: { method: 'POST', model: TEXT_MODEL }, action });
		const { execution, items } = await execute(2, { fallbackModels: [SECOND] });
		expect(items.map(({ model }) => model)).toStrictEqual([TEXT_MODEL, TEXT_MODEL]);
		expect(execution.hints()).not.toContain('fallback');
	});

	it('gives way in a chat model, too', async () => {
		refuse([TEXT_MODEL]);
		const { lc, logged } = await gateway.chatModel({ options: { fallbackModels: [SECOND] } });
		for (const question of ['one', 'two']) await lc.invoke([new HumanMessage(question)]);
		expect(secondsUntil(SECOND)).toBeLessThan(10);
		expect(gateway.control.ledger().map(({ model }) => model)).toStrictEqual([SECOND, SECOND]);
		expect(JSON.stringify(logged())).toContain(`"fallbackFrom":["${TEXT_MODEL}"]`);
		expect(logged()[0]?.hints).toContainEqual(
			expect.objectContaining({
				message: expect.stringMatching(/^A fallback model has answered\./) as string,
			}),
		);
	});
});

describe('an account above its rate limit', () => {
	it('pauses, and all items are answered', async () => {
		gateway.control.configure({
			rateLimit: { requestsPerMinute: 20, windowMs: 5_000, retryAfter: 'none' },
		});
		const { execution, items } = await execute(30, { fallbackModels: [SECOND] });
		expect(execution.error).toBeUndefined();
		const first = items.filter(({ model }) => model === TEXT_MODEL).length;
		expect(items.filter(({ model }) => model === SECOND)).toHaveLength(30 - first);
		expect(first).toBeGreaterThanOrEqual(20);
		expect(gateway.charges()).toBe(30);
	});

	it('asks each model, then the first until *Rate Limit Wait* ends', async () => {
		refuse([TEXT_MODEL, SECOND, THIRD]);
		const options = { fallbackModels: [SECOND, THIRD], rateLimitWait: 0.1 };
		const { execution } = await execute(1, options);
		expect(execution.error?.httpCode).toBe('429');
		expect(execution.errorText).toContain(`Rejected before: ${TEXT_MODEL} (`);
		const sent = gateway.control.requests({ method: 'POST' }).map(({ body }) => body.model);
		expect(sent.filter((model, index) => model !== sent[index - 1])).toStrictEqual([
			TEXT_MODEL,
			SECOND,
			THIRD,
			TEXT_MODEL,
		]);
		expect(secondsUntil(TEXT_MODEL)).toBeGreaterThan(9);
	});
});
