import { patchAdapter as patch } from '../../../nodes/ChatModel/adapter';
import { toolChoice } from '../../../nodes/ChatModel/adapter/tools';
import type { Adapter, Generation } from '../../../nodes/ChatModel/adapter/types';
import type { CallConfig, GatewayChatModel } from '../../../nodes/ChatModel/model';
import type { CallInfo } from '../../../nodes/ChatModel/result';

const patchAdapter = <A>(adapter: A): A => patch(adapter, { warn: () => undefined });

// The LangChain model of n8n's SDK may have other functions in other versions.

const callInfo: CallInfo = { finish_reason: 'stop', id: 'c1', model: 'm', costRub: 0.5 };

/** A model of the SDK that returns these generations, also as chunks of a stream, and its calls. */
function modelOf(...generations: Generation[]) {
	const calls: Array<{ messages: object[]; options: CallConfig; run: unknown }> = [];
	const adapter = patchAdapter<Adapter>({
		_generate: async (messages, options, run) => {
			calls.push({ messages, options, run });
			options.onCallInfo?.(callInfo);
			return await Promise.resolve({ generations });
		},
		_streamResponseChunks: async function* (messages, options, run) {
			calls.push({ messages, options, run });
			options.onCallInfo?.(callInfo);
			for (const generation of generations) yield await Promise.resolve(generation);
		},
	});
	return { adapter, calls };
}

const ways: Array<[string, (adapter: Adapter, options: CallConfig) => Promise<Generation[]>]> = [
	['whole', async (adapter, options) => (await adapter._generate?.([], options, 'run'))?.generations ?? []],
	[
		'streamed',
		async (adapter, options) => {
			const all: Generation[] = [];
			for await (const chunk of adapter._streamResponseChunks?.([], options, 'run') ?? []) all.push(chunk);
			return all;
		},
	],
];

test('a model without any of the patched functions stays unchanged', () => {
	const bare: Adapter = {};
	expect(patchAdapter(bare)).toBe(bare);
	expect(bare).toStrictEqual({});
});

describe.each(ways)('a response that comes %s', (_, ask) => {
	it.each<[string, unknown, unknown]>([
		[
			'only text becomes a string',
			[
				{ type: 'text', text: 'a' },
				{ type: 'text', text: 'b' },
			],
			'ab',
		],
		['a part without text is an empty text', [{ type: 'text' }, { type: 'text', text: 'b' }], 'b'],
		['no parts become an empty string', [], ''],
		['a string stays', 'a', 'a'],
		['thoughts stay parts', [{ type: 'reasoning' }, { type: 'text', text: 'b' }], 'same'],
		['null stays a part', [null, { type: 'text', text: 'b' }], 'same'],
		['nothing stays nothing', undefined, undefined],
	])('%s', async (_title, content, expected) => {
		const { adapter } = modelOf({ message: { content } });
		const [generation] = await ask(adapter, {});
		expect(generation?.message?.content).toStrictEqual(expected === 'same' ? content : expected);
	});

	it('is passed on without a message', async () =>
		expect(await ask(modelOf({ message: undefined } as object).adapter, {})).toHaveLength(1));

	it('has the call info for n8n’s log next to the SDK’s', async () => {
		const { adapter } = modelOf({ generationInfo: { finish_reason: 'other', more: 1 } });
		expect(await ask(adapter, {})).toStrictEqual([{ generationInfo: { ...callInfo, more: 1 } }]);
	});

	it('is requested with the given options and run, which stay unchanged', async () => {
		const options: CallConfig = { temperature: 1 };
		const { adapter, calls } = modelOf();
		await ask(adapter, options);
		expect(calls).toStrictEqual([
			{ messages: [], options: { temperature: 1, onCallInfo: expect.any(Function) as unknown }, run: 'run' },
		]);
		expect(options).toStrictEqual({ temperature: 1 });
	});
});

test('only the chunk with the finish reason has the call info for n8n’s log', async () => {
	const { adapter } = modelOf({ message: { content: 'a' } }, { generationInfo: {} });
	expect(await ways[1]?.[1](adapter, {})).toStrictEqual([
		{ message: { content: 'a' } },
		{ generationInfo: callInfo },
	]);
});

test('a response without call info has the SDK’s', async () => {
	const adapter = patchAdapter<Adapter>({
		_generate: async () => await Promise.resolve({ generations: [{ generationInfo: { more: 1 } }, {}] }),
	});
	expect(await adapter._generate?.([], {})).toStrictEqual({
		generations: [{ generationInfo: { more: 1 } }, {}],
	});
});

test('tool calls in a stream are numbered from 1', async () => {
	const chunk = (...ids: string[]) => ({
		message: { tool_call_chunks: ids.map((id) => ({ id, index: 0 })) },
	});
	const { adapter } = modelOf(chunk('a', 'b'), {}, chunk('c'));
	const chunks = (await ways[1]?.[1](adapter, {})) ?? [];
	expect(chunks.flatMap(({ message }) => message?.tool_call_chunks ?? [])).toStrictEqual([
		{ id: 'a', index: 1 },
		{ id: 'b', index: 2 },
		{ id: 'c', index: 3 },
	]);
});

describe('a stream', () => {
	type Opened = { signal?: AbortSignal; stop?: string[] } | undefined;

	async function opened(options?: { signal?: AbortSignal; stop?: string[] }) {
		const seen: { input?: unknown; options?: Opened; returned: number } = { returned: 0 };
		const adapter = patchAdapter<Adapter>({
			stream: async (input, given) => {
				Object.assign(seen, { input, options: given });
				const chunks = {
					return() {
						expect(this).toBe(chunks);
						seen.returned += 1;
						return Promise.resolve('end');
					},
				};
				return await Promise.resolve(chunks);
			},
		});
		const chunks = await adapter.stream?.('input', options);
		return { chunks, seen };
	}

	it('is opened with the given options, which stay unchanged', async () => {
		const options = { stop: ['END'] };
		const { seen } = await opened(options);
		expect(seen).toStrictEqual({
			input: 'input',
			options: { stop: ['END'], signal: expect.any(AbortSignal) as unknown },
			returned: 0,
		});
		expect(options).toStrictEqual({ stop: ['END'] });
	});

	it('is ended by the given signal', async () => {
		const caller = new AbortController();
		const { seen } = await opened({ signal: caller.signal });
		expect(seen.options?.signal?.aborted).toBe(false);
		caller.abort();
		expect(seen.options?.signal?.aborted).toBe(true);
	});

	it.each([[undefined], [{ signal: new AbortController().signal }]])(
		'is ended when its reader stops early',
		async (options) => {
			const { chunks, seen } = await opened(options);
			expect(await chunks?.return()).toBe('end');
			expect(seen.returned).toBe(1);
			expect(seen.options?.signal?.aborted).toBe(true);
			expect(options?.signal.aborted ?? false).toBe(false);
		},
	);
});

describe('tools', () => {
	it.each<[string, unknown, unknown]>([
		['any', 'any', 'required'],
		['auto', 'auto', 'auto'],
		['none', 'none', 'none'],
		['required', 'required', 'required'],
		['nothing', undefined, undefined],
		['an empty text', '', undefined],
		['a name', 'search', { name: 'search' }],
		['a function', { type: 'function', function: { name: 'search' } }, { name: 'search' }],
		['a tool', { type: 'tool', name: 'search' }, { name: 'search' }],
		['a function without a name', { type: 'function', function: {} }, undefined],
		['an object without a name', { type: 'auto' }, undefined],
	])('accept the choice %s', (_, given, meant) => expect(toolChoice(given)).toStrictEqual(meant));

	it('are bound without a choice when the inner model is not accessible', () => {
		const bound: Adapter = {};
		const adapter = patchAdapter<Adapter>({ bindTools: () => bound, callbacks: ['c'], metadata: { a: 1 } });
		expect(adapter.bindTools?.([], { tool_choice: 'any' })).toBe(bound);
		expect(bound).toStrictEqual({ callbacks: ['c'], metadata: { a: 1 } });
	});

	it('leave the inner model unchanged without a choice', () => {
		const chatModel = { withToolChoice: () => undefined } as unknown as GatewayChatModel;
		const adapter = patchAdapter<Adapter>({ bindTools: () => ({ chatModel }) });
		expect(adapter.bindTools?.([])?.chatModel).toBe(chatModel);
		expect(adapter.bindTools?.([], {})?.chatModel).toBe(chatModel);
	});

	it('are bound to a model that is patched, too', () => {
		const streaming: Adapter = { stream: () => Promise.reject(new Error('not used')) };
		const { stream } = streaming;
		patchAdapter<Adapter>({ bindTools: () => streaming }).bindTools?.([]);
		expect(streaming.stream).not.toBe(stream);
	});
});

test.each<[string, Adapter]>([
	['bindTools', {}],
	['pipe', { bindTools: () => ({}) }],
])('a model without %s keeps its own structured output', (_, more) => {
	const given: unknown[] = [];
	const adapter = patchAdapter<Adapter>({
		...more,
		withStructuredOutput(...args) {
			given.push(this, ...args);
			return 'own';
		},
	});
	expect(adapter.withStructuredOutput?.('schema', { name: 'extract' })).toBe('own');
	expect(given).toStrictEqual([adapter, 'schema', { name: 'extract' }]);
});

test('a model without structured output does not get it', () =>
	expect(patchAdapter<Adapter>({ bindTools: () => ({ pipe: () => 'piped' }) })).not.toHaveProperty(
		'withStructuredOutput',
	));

describe('the tokens of a call, for n8n’s log', () => {
	type Parser = (result: object) => unknown;

	function parserOf(callbacks: unknown): unknown[] {
		patchAdapter<Adapter>({ callbacks });
		const handlers = Array.isArray(callbacks) ? callbacks : [callbacks];
		return handlers.map(
			(each: { options?: { tokensUsageParser?: unknown } } | null) => each?.options?.tokensUsageParser,
		);
	}

	const own = () => 'own';
	const tracer = () => ({ options: { tokensUsageParser: own } });

	it.each<[string, object, object]>([
		[
			'of a response',
			{
				llmOutput: { tokenUsage: { input_tokens: 5, output_tokens: 7 } },
				generations: [[{ generationInfo: { costRub: 0.5 } }]],
			},
			{ promptTokens: 5, completionTokens: 7, totalTokens: 12, costRub: 0.5 },
		],
		[
			'of a streamed response',
			{ llmOutput: { tokenUsage: { promptTokens: 5, completionTokens: 7 } }, generations: [[{}]] },
			{ promptTokens: 5, completionTokens: 7, totalTokens: 12 },
		],
		[
			'of a response that cost nothing',
			{ llmOutput: {}, generations: [[{ generationInfo: { costRub: 0 } }]] },
			{ promptTokens: 0, completionTokens: 0, totalTokens: 0, costRub: 0 },
		],
		[
			'that are not numbers',
			{
				llmOutput: { tokenUsage: { input_tokens: null, output_tokens: 'many' } },
				generations: [[{ generationInfo: { costRub: null } }]],
			},
			{ promptTokens: 0, completionTokens: 0, totalTokens: 0 },
		],
		['that are missing', {}, { promptTokens: 0, completionTokens: 0, totalTokens: 0 }],
		['of no generation', { generations: [] }, { promptTokens: 0, completionTokens: 0, totalTokens: 0 }],
	])('are those %s', (_, result, tokens) => {
		const [parser] = parserOf([tracer()]) as Parser[];
		expect(parser?.(result)).toStrictEqual(tokens);
	});

	it('are read only by n8n’s tracers', () => {
		const parsers = parserOf([
			tracer(),
			{ options: { tokensUsageParser: 'no function' } },
			{ options: {} },
			{},
			null,
		]);
		expect(parsers).toStrictEqual([
			expect.any(Function) as unknown,
			'no function',
			undefined,
			undefined,
			undefined,
		]);
		expect(parsers[0]).not.toBe(own);
	});

	it('are read by the SDK where there is no list of callbacks', () =>
		expect(parserOf(tracer())).toStrictEqual([own]));
});

it('logs a function that this SDK lacks once, and no other', () => {
	const warnings: string[] = [];
	const logger = { warn: (message: string) => void warnings.push(message) };
	jest.isolateModules(() => {
		// eslint-disable-next-line @typescript-eslint/no-require-imports
		const adapter = require('../../../nodes/ChatModel/adapter') as { patchAdapter: typeof patch };
		const whole = {
			_generate: () => undefined,
			_streamResponseChunks: () => undefined,
			stream: () => undefined,
			withStructuredOutput: () => undefined,
			callbacks: [],
		};
		adapter.patchAdapter({ ...whole }, logger);
		adapter.patchAdapter({ ...whole }, logger);
	});
	expect(warnings).toStrictEqual([expect.stringContaining('no "bindTools"')]);
});
