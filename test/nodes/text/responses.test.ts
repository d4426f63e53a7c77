import type { INodeParameters, StructuredChunk } from 'n8n-workflow';

import { asObject } from '../../../nodes/shared/gateway/util/json';
import type { StreamFault } from '../../../sandbox/gateway/control/types';
import { useGateway } from '../../contract/support';
import { useNock } from '../../helpers/nock';
import { events } from '../../helpers/streams';
import { eventually } from '../../helpers/time';
import { CONTINUE, FORMATS } from '../../helpers/values';
import { generate, sentBody } from './support';

describe('the schema of JSON output', () => {
	useNock();

	const schemaSent = async (parameters: INodeParameters) => {
		const { json_schema } = asObject((await sentBody(parameters)).response_format) ?? {};
		return json_schema;
	};

	it('is made of rows of fields', async () => {
		const field = [
			{ name: 'title' },
			{ name: ' pages ', type: 'number', description: 'How many', required: false },
			{ name: 'isNew', type: 'boolean' },
			{ name: 'tags', type: 'texts' },
			{ name: 'sizes', type: 'numbers' },
			{ name: 'maker', type: 'object', description: 'Who', example: '{ "name": "A" }' },
		];
		expect(await schemaSent({ outputFormat: 'jsonFields', fields: { field } })).toStrictEqual({
			name: 'answer',
			schema: {
				type: 'object',
				properties: {
					title: { type: 'string' },
					pages: { type: 'number', description: 'How many' },
					isNew: { type: 'boolean' },
					tags: { type: 'array', items: { type: 'string' } },
					sizes: { type: 'array', items: { type: 'number' } },
					maker: {
						type: 'object',
						properties: { name: { type: 'string' } },
						required: ['name'],
						additionalProperties: false,
						description: 'Who',
					},
				},
				required: ['title', 'isNew', 'tags', 'sizes', 'maker'],
				additionalProperties: false,
			},
		});
	});

	it('is made of an example, also of one that an expression returns, and can be strict', async () => {
		const options = { schemaStrict: true };
		const jsonExample = '={{ ({ title: "Sea", note: null }) }}';
		expect(await schemaSent({ outputFormat: 'jsonExample', jsonExample, options })).toStrictEqual({
			name: 'answer',
			schema: {
				type: 'object',
				properties: {
					title: { type: 'string' },
					note: { type: ['string', 'number', 'boolean', 'null'] },
				},
				required: ['title', 'note'],
				additionalProperties: false,
			},
			strict: true,
		});
	});

	it('is made of an example that has a field type', async () => {
		const jsonExample = '{ "type": "object" }';
		expect(await schemaSent({ outputFormat: 'jsonExample', jsonExample })).toMatchObject({
			schema: { properties: { type: { type: 'string' } }, required: ['type'] },
		});
	});

	const sample = { outputFormat: 'jsonSchema', jsonSchema: '{"title": "Sea", "type": "book"}' };
	const example = (jsonExample: string) => ({ outputFormat: 'jsonExample', jsonExample });
	const fields = (...field: INodeParameters[]) => ({ outputFormat: 'jsonFields', fields: { field } });
	const noExample = fields({ name: 'a', type: 'object', example: '' });
	const noField = { outputFormat: 'jsonFields', fields: {} };
	const NO_OBJECT = /^'JSON Example' is not a JSON object/;

	test.each<[string, INodeParameters, RegExp, RegExp]>([
		['sample data', sample, /^'JSON Schema' is sample data, not a schema$/, /Choose 'JSON by Example'/],
		['a list as an example', example('[{"title": "Sea"}]'), NO_OBJECT, /\{ "title"/],
		['an example that is not JSON', example('{title: Sea}'), NO_OBJECT, /quotes/],
		['no fields', noField, /^'Fields' is empty$/, /Add/],
		['the field as it is added', { outputFormat: 'jsonFields' }, /row 1: 'Name' is empty$/, /title/],
		['an object without an example', noExample, /row 1: 'Example \(JSON\)' is not valid JSON/, /Oslo/],
	])('is not made of %s, and nothing is sent', async (_, parameters, message, description) => {
		const { error } = await generate(parameters);
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(description);
	});
});

describe('streaming', () => {
	// Streamed responses on n8n's engine with the sandbox gateway, over real sockets.

	const gateway = useGateway();
	const run = async (parameters: object, extra: Parameters<typeof gateway.generate>[1] = {}) =>
		await gateway.generate({ prompt: '[[say:one two three four five]]', ...parameters }, extra);

	const stream = (fault: StreamFault) => gateway.control.configure({ stream: fault });
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

	describe.each(FORMATS)('%s', (format) => {
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
			['a lost connection', { cutAfter: 6 }, 'The connection broke in the middle of the response', false],
			['a missing end', { missingEnd: true }, 'The response ended before it was complete', false],
		])('%s is an error with the text so far', async (_, fault, message, retryable) => {
			stream(fault);
			const { onChunk, summary } = chunkCollector();
			const { items } = await run({ format }, { onChunk, settings: CONTINUE });
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
			const request = () => gateway.control.requests({ method: 'POST' })[0];
			const onStart = (cancel: () => void) => void eventually(() => request() !== undefined).then(cancel);
			const started = Date.now();
			await run({ format }, { onChunk: () => undefined, onStart });
			expect(Date.now()).toBe(started);
			await eventually(() => request()?.outcome === 'aborted');
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

		it('has no error in the chat for a whole text that is not JSON', async () => {
			const { onChunk, summary } = chunkCollector();
			const { items } = await run({ outputFormat: 'jsonObject' }, { onChunk, settings: CONTINUE });
			expect(items[0]?.json.error).toMatchObject({ code: 'not_json' });
			expect(summary().map(([type]) => type)).not.toContain('error');
		});

		it('sends no chunk as the tool of an agent', async () => {
			const { onChunk, chunks } = chunkCollector();
			await run({}, { onChunk, asTool: true });
			expect(chunks).toStrictEqual([]);
			expect(streamed()).toStrictEqual([false]);
		});
	});

	const NO_TEXT = { text: '', refusal: 'I must not' };
	const refused = { choices: [{ message: { refusal: 'I must not' } }] };
	const chunk = (refusal: string, end = {}) => ({ choices: [{ index: 0, delta: { refusal }, ...end }] });
	const delta = (text: string) => ({
		type: 'response.refusal.delta',
		output_index: 0,
		content_index: 0,
		delta: text,
	});
	const output = [{ type: 'message', content: [{ type: 'refusal', refusal: 'I must not' }] }];
	const completed = { type: 'response.completed', response: { status: 'completed', output } };
	const chunks = [chunk('I must'), chunk(' not', { finish_reason: 'stop' }), { choices: [], usage: {} }];

	const EVENTS = 'text/event-stream';
	const ofItem = events(delta('I must'), delta(' not'), completed);
	const said = { choices: [{ message: { content: 'I must not' } }] };

	it.each<[string, string, string, string, object]>([
		['a text, whole', 'chat', JSON.stringify(said), 'application/json', { text: 'I must not' }],
		['a refusal, whole', 'chat', JSON.stringify(refused), 'application/json', NO_TEXT],
		['a refusal, streamed', 'chat', events(...chunks, '[DONE]'), EVENTS, NO_TEXT],
		['a refusal, streamed', 'responses', ofItem, EVENTS, NO_TEXT],
	])('%s, reaches the chat (%s)', async (_, format, text, contentType, json) => {
		const action = { kind: 'raw', status: 200, body: { text, contentType } } as const;
		gateway.control.addFault({ match: { method: 'POST' }, action });
		const { onChunk, textOf } = chunkCollector();
		const { items } = await run({ format }, { onChunk });
		expect(textOf(0)).toBe('I must not');
		expect(items[0]?.json).toMatchObject(json);
	});
});
