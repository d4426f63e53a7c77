import nock from 'nock';
import type { StructuredChunk } from 'n8n-workflow';

import { asObject } from '../../../nodes/shared/gateway/util/json';
import { startGateway, type Gateway } from '../../../sandbox/gateway/gateway';
import { runNode, type RunOptions } from '../../helpers/engine';

// Streamed responses on n8n's engine with the sandbox gateway, over real sockets.

let gateway: Gateway;

beforeAll(async () => {
	nock.restore();
	gateway = await startGateway();
});
beforeEach(async () => await gateway.control.reset());
afterAll(async () => await gateway.close());

const run = async (parameters: object, extra: Omit<RunOptions, 'node' | 'parameters'> = {}) =>
	await runNode({
		node: 'textGeneration',
		credential: { baseUrl: gateway.baseUrl, apiKey: gateway.apiKey },
		...extra,
		parameters: {
			resource: 'text',
			operation: 'generate',
			model: 'sandbox/balanced-2',
			prompt: '[[say:one two three four five]]',
			...parameters,
		},
	});

const stream = (fault: Parameters<Gateway['control']['configure']>[0]['stream']) =>
	gateway.control.configure({ stream: fault ?? {} });
const streamed = () =>
	gateway.control.requests({ method: 'POST' }).map(({ body }) => asObject(body.json)?.stream === true);

/** Collects the chunks of a streaming workflow. */
function chunkCollector() {
	const chunks: StructuredChunk[] = [];
	const onChunk = (chunk: StructuredChunk) => void chunks.push(chunk);
	const summary = () =>
		chunks.map(({ type, content, metadata }) => [type, metadata.itemIndex, content ?? '']);
	const textOf = (index: number) =>
		chunks
			.filter(({ type, metadata }) => type === 'item' && metadata.itemIndex === index)
			.map(({ content }) => content)
			.join('');
	return { chunks, onChunk, summary, textOf };
}

const formats = ['chat', 'responses', 'messages'];
const withoutIds = (json: object | undefined) => ({ ...json, id: '…' });

describe.each(formats)('%s', (format) => {
	it('returns the same output with and without streaming', async () => {
		const prompt = 'Please use the tool';
		const tools = { function: [{ name: 'get_weather', parameters: '{"type": "object"}' }] };
		for (const parameters of [
			{ format },
			{ format, model: 'sandbox/thinker-3' },
			{ format, prompt, tools },
		]) {
			const plain = await run({ ...parameters, options: { stream: false } });
			const live = await run({ ...parameters, options: { stream: true } });
			const ids = (json: object | undefined) =>
				JSON.stringify(withoutIds(json)).replace(/(call|toolu)_\w+/g, '$1');
			expect(live.error).toBeUndefined();
			expect(ids(live.items[0]?.json)).toBe(ids(plain.items[0]?.json));
		}
		expect(streamed()).toStrictEqual([false, true, false, true, false, true]);
	});

	it('sends chunks while the response arrives', async () => {
		stream({ deltaDelayMs: 30 });
		const { chunks, onChunk, textOf } = chunkCollector();
		const { items } = await run({ format }, { onChunk });
		expect(items[0]?.json.text).toBe('one two three four five');
		expect(textOf(0)).toBe('one two three four five');
		expect(chunks[0]?.type).toBe('begin');
		expect(chunks.at(-1)?.type).toBe('end');
		const times = chunks.filter(({ type }) => type === 'item').map(({ metadata }) => metadata.timestamp);
		expect(times.length).toBeGreaterThan(2);
		expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(60);
	});

	test.each([
		['an error frame', { errorAfter: 6 }, 'The model did not finish its response', format === 'responses'],
		[
			'a connection that is cut',
			{ cutAfter: 6 },
			'The connection broke in the middle of the response',
			false,
		],
		['a missing end', { missingEnd: true }, 'The response ended before it was complete', false],
	])('%s is an error with the text so far', async (_, fault, message, retryable) => {
		stream(fault);
		const { onChunk, summary } = chunkCollector();
		const { items } = await run({ format }, { onChunk, settings: { onError: 'continueRegularOutput' } });
		expect(items[0]?.json.error).toMatchObject({
			message,
			receivedText: expect.stringMatching(/^one two/) as string,
			retryable,
		});
		expect(gateway.control.requests({ method: 'POST' })).toHaveLength(1);
		expect(summary().slice(-2)).toStrictEqual([
			['error', 0, 'The response could not be completed'],
			['end', 0, ''],
		]);
		// §6.1: the sandbox charges with the last event.
		expect(gateway.control.ledger()).toStrictEqual([]);
	});

	it('ends at once when the execution is cancelled', async () => {
		stream({ stallAfter: 5 });
		const started = Date.now();
		await run(
			{ format },
			{
				onChunk: () => undefined,
				onStart: (cancel) => {
					const timer = setInterval(() => {
						if (gateway.control.requests({ method: 'POST' }).length === 0) return;
						clearInterval(timer);
						cancel();
					}, 20);
				},
			},
		);
		expect(Date.now() - started).toBeLessThan(5_000);
	});
});

describe('several items', () => {
	const items = ['first', 'second', 'third'].map((word) => ({ json: { word } }));
	const prompt = '=[[say:{{ $json.word }} one two three]]';

	it('are streamed one after the other while their requests run at the same time', async () => {
		// A separate gateway: it would count the open connection of an earlier test.
		const own = await startGateway({ settings: { stream: { deltaDelayMs: 20 } } });
		const credential = { baseUrl: own.baseUrl, apiKey: own.apiKey };
		const { summary, onChunk, textOf } = chunkCollector();
		const result = await run({ prompt }, { items, onChunk, credential });
		const most = own.control.concurrency().groups.chat?.max;
		await own.close();
		const texts = items.map(({ json }) => `${json.word} one two three`);
		expect(result.items.map(({ json }) => json.text)).toStrictEqual(texts);
		expect([0, 1, 2].map(textOf)).toStrictEqual(texts);
		const order = summary().map(([, index]) => index);
		expect(order).toStrictEqual([...order].sort());
		expect(most).toBe(3);
	});

	it('are streamed when another one fails', async () => {
		gateway.control.addFault({
			match: { method: 'POST' },
			action: { kind: 'stream', stream: { cutAfter: 3 } },
		});
		const { onChunk, summary } = chunkCollector();
		const result = await run({ prompt }, { items, onChunk, settings: { onError: 'continueRegularOutput' } });
		expect(result.items.filter(({ json }) => json.error)).toHaveLength(1);
		expect(summary().filter(([type]) => type === 'error')).toHaveLength(1);
		expect(summary().filter(([type]) => type === 'end')).toHaveLength(3);
	});
});

describe('streaming', () => {
	it('follows the workflow, unless the option is set', async () => {
		const [followed, silenced] = [chunkCollector(), chunkCollector()];
		await run({}, {});
		await run({}, { onChunk: followed.onChunk });
		await run({ options: { stream: false } }, { onChunk: silenced.onChunk });
		await run({ options: { stream: true } }, {});
		expect(streamed()).toStrictEqual([false, true, false, true]);
		expect(followed.textOf(0)).toBe('one two three four five');
		expect(silenced.chunks).toStrictEqual([]);
	});

	it('sends no chunk as the tool of an agent', async () => {
		const { onChunk, chunks } = chunkCollector();
		await run({}, { onChunk, asTool: true });
		expect(chunks).toStrictEqual([]);
		expect(streamed()).toStrictEqual([false]);
	});
});

describe('a refusal', () => {
	const events = (...list: object[]) => list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
	const bodies: Array<[string, string]> = [
		[
			'chat',
			events(
				{ choices: [{ index: 0, delta: { refusal: 'I must' } }] },
				{ choices: [{ index: 0, delta: { refusal: ' not' }, finish_reason: 'stop' }] },
				{ choices: [], usage: {} },
			),
		],
		[
			'responses',
			events(
				{ type: 'response.refusal.delta', output_index: 0, content_index: 0, delta: 'I must' },
				{ type: 'response.refusal.delta', output_index: 0, content_index: 0, delta: ' not' },
				{
					type: 'response.completed',
					response: {
						status: 'completed',
						output: [{ type: 'message', content: [{ type: 'refusal', refusal: 'I must not' }] }],
					},
				},
			),
		],
	];
	const wholes: Array<[string, string]> = [
		['chat', JSON.stringify({ choices: [{ message: { refusal: 'I must not' } }] })],
	];
	it.each([
		...bodies.map(([format, text]) => [format, 'streamed', text, 'text/event-stream']),
		...wholes.map(([format, text]) => [format, 'not streamed', text, 'application/json']),
	])('%s, %s: reaches the chat', async (format, _, text, contentType) => {
		const path = format === 'chat' ? '/chat/completions' : `/${format}`;
		const body = { text: contentType === 'application/json' ? text : `${text}data: [DONE]\n\n`, contentType };
		gateway.control.addFault({ match: { path }, action: { kind: 'raw', status: 200, body } });
		const { onChunk, textOf } = chunkCollector();
		const { items } = await run({ format }, { onChunk });
		expect(textOf(0)).toBe('I must not');
		expect(items[0]?.json).toMatchObject({ text: '', refusal: 'I must not' });
	});
});
