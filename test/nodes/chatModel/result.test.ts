import { callInfoOf, toClosingChunks, toResult } from '../../../nodes/ChatModel/result';
import { ApiError } from '../../../nodes/shared/gateway/errors/errors';
import {
	emptyChoice,
	type Choice,
	type Completion,
	type ToolCall,
	type Usage,
} from '../../../nodes/shared/gateway/text/formats/completion';

const response = (choice: Partial<Choice>, more: Partial<Completion> = {}): Completion => ({
	id: 'id-1',
	model: 'm',
	choices: [{ ...emptyChoice(), finishReason: 'stop', ...choice }],
	usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7, cachedInputTokens: 1, reasoningTokens: null },
	costRub: 0.25,
	...more,
});
const noUsage: Usage = {
	inputTokens: null,
	outputTokens: null,
	totalTokens: null,
	cachedInputTokens: null,
	reasoningTokens: null,
};
const calls = [
	{ id: 'a', name: 'weather', arguments: { city: 'Omsk' } },
	{ id: null, name: 'time', arguments: {} },
];

function thrownBy(work: () => unknown): ApiError {
	try {
		work();
	} catch (error) {
		if (error instanceof ApiError) return error;
	}
	throw new Error('no failure was thrown');
}

describe('a response', () => {
	it('is a message with text, tokens and finish reason', () =>
		expect(toResult(response({ text: 'Hello', reasoning: 'hm' }))).toStrictEqual({
			id: 'id-1',
			finishReason: 'stop',
			usage: {
				promptTokens: 3,
				completionTokens: 4,
				totalTokens: 7,
				inputTokenDetails: { cacheRead: 1 },
			},
			message: { role: 'assistant', content: [{ type: 'text', text: 'Hello' }] },
		}));

	it('of a file next to text is the text, and the log names the file', () => {
		const both = response({
			text: 'Here',
			files: [{ kind: 'image', base64: 'AA==', mimeType: 'image/png' }],
		});
		expect(toResult(both).message.content).toStrictEqual([{ type: 'text', text: 'Here' }]);
		expect(callInfoOf(both).filesLeftOut).toStrictEqual(['image']);
	});

	it.each<['image' | 'audio', string]>([
		['image', 'The model responded with an image and no text'],
		['audio', 'The model responded with audio and no text'],
	])('of nothing but a file of the kind %s is an error that says what it cost', (kind, message) => {
		const only = response({ files: [{ kind, base64: 'AA==', mimeType: undefined }] });
		for (const work of [() => toResult(only), () => toClosingChunks(only, '')]) {
			expect(thrownBy(work).details).toMatchObject({
				message,
				code: 'no_text',
				outcome: 'charged',
				extra: { costRub: 0.25 },
			});
		}
	});

	it('has its cost and thoughts in the log', () =>
		expect(callInfoOf(response({ text: 'Hello', reasoning: 'hm' }))).toStrictEqual({
			finish_reason: 'stop',
			id: 'id-1',
			model: 'm',
			cachedInputTokens: 1,
			costRub: 0.25,
			reasoning: 'hm',
		}));

	it('has its sources in the log, and neither thoughts nor sources when there are none', () => {
		const sources = [{ url: 'https://x.test', title: 'X' }];
		const facts = { finish_reason: 'stop', id: 'id-1', model: 'm', costRub: 0.25, cachedInputTokens: 1 };
		expect(callInfoOf(response({ sources }))).toStrictEqual({ ...facts, sources });
		expect(callInfoOf(response({}))).toStrictEqual(facts);
	});

	it('may lack most fields', () => {
		const little = response({}, { id: null, model: null, choices: [], usage: noUsage, costRub: null });
		expect(callInfoOf(little)).toStrictEqual({ finish_reason: null, id: null, model: null, costRub: null });
		expect(toResult(little)).toStrictEqual({
			finishReason: 'other',
			usage: { promptTokens: 0, completionTokens: 0, totalTokens: 0 },
			message: { role: 'assistant', content: [{ type: 'text', text: '' }] },
		});
	});

	test.each<[string, Partial<Usage>, object]>([
		[
			'no total',
			{ inputTokens: 3, outputTokens: 4 },
			{ promptTokens: 3, completionTokens: 4, totalTokens: 7 },
		],
		[
			'a total of its own',
			{ inputTokens: 3, outputTokens: 4, totalTokens: 9 },
			{ promptTokens: 3, completionTokens: 4, totalTokens: 9 },
		],
		['input alone', { inputTokens: 3 }, { promptTokens: 3, completionTokens: 0, totalTokens: 3 }],
		['output alone', { outputTokens: 4 }, { promptTokens: 0, completionTokens: 4, totalTokens: 4 }],
		[
			'cached tokens without input tokens',
			{ cachedInputTokens: 0, reasoningTokens: null },
			{ promptTokens: 0, completionTokens: 0, totalTokens: 0, inputTokenDetails: { cacheRead: 0 } },
		],
		[
			'reasoning tokens',
			{ outputTokens: 9, reasoningTokens: 5 },
			{ promptTokens: 0, completionTokens: 9, totalTokens: 9, outputTokenDetails: { reasoning: 5 } },
		],
	])('with %s has token counts', (_, usage, expected) =>
		expect(toResult(response({}, { usage: { ...noUsage, ...usage } })).usage).toStrictEqual(expected),
	);

	it('with text and a tool call has both', () => {
		const content = toResult(response({ text: 'Hm', toolCalls: calls.slice(0, 1) })).message.content;
		expect(content).toStrictEqual([
			{ type: 'text', text: 'Hm' },
			{ type: 'tool-call', toolCallId: 'a', toolName: 'weather', input: '{"city":"Omsk"}' },
		]);
	});

	it('gets new ids for tool calls with ids of earlier ones, or with one id twice', () => {
		const same = ['a', 'a', 'b'].map((id) => ({ id, name: 'time', arguments: {} }));
		const { content } = toResult(response({ toolCalls: same }), ['b']).message;
		const ids = content.map((part) => ('toolCallId' in part ? part.toolCallId : undefined));
		const newId = expect.stringMatching(/^call_[0-9a-f]{32}$/) as string;
		expect(ids).toStrictEqual(['a', newId, newId]);
		expect(new Set(ids).size).toBe(3);
	});

	it('keeps null in the arguments of a tool call', () => {
		const args = { city: null, days: [null, 1], more: { unit: null } };
		const { content } = toResult(response({ toolCalls: [{ id: 'a', name: 't', arguments: args }] })).message;
		expect(content).toStrictEqual([
			{ type: 'tool-call', toolCallId: 'a', toolName: 't', input: JSON.stringify(args) },
		]);
	});

	it('with tool calls has each of them, with an id', () => {
		const { message, finishReason } = toResult(response({ toolCalls: calls, finishReason: 'tool_calls' }));
		expect(finishReason).toBe('tool-calls');
		expect(message.content).toStrictEqual([
			{ type: 'tool-call', toolCallId: 'a', toolName: 'weather', input: '{"city":"Omsk"}' },
			{
				type: 'tool-call',
				toolCallId: expect.stringMatching(/^call_/) as string,
				toolName: 'time',
				input: '{}',
			},
		]);
	});

	it('that is a refusal has its text', () =>
		expect(toResult(response({ refusal: 'I cannot' })).message.content).toStrictEqual([
			{ type: 'text', text: 'I cannot' },
		]));

	test.each<[string | null, string]>([
		['stop', 'stop'],
		['tool_calls', 'tool-calls'],
		['length', 'length'],
		['content_filter', 'content-filter'],
		['eos_token', 'other'],
		[null, 'other'],
	])('ended by %s → %s', (reason, word) =>
		expect(toResult(response({ finishReason: reason })).finishReason).toBe(word),
	);

	it('with broken arguments is an error with a hint and the cost', () => {
		const broken = { id: 'a', name: 'weather', arguments: '{"city":', invalidArguments: true as const };
		const failure = thrownBy(() => toResult(response({ toolCalls: [broken] })));
		expect(failure.message).toBe('The model called the tool "weather" with arguments that are not JSON');
		expect(failure.details.description).toMatch(/Run it again.*\{"city":/);
		expect(failure.details).toMatchObject({ outcome: 'charged', extra: { costRub: 0.25 } });
		const cutOff = response({ toolCalls: [broken], finishReason: 'length' });
		expect(thrownBy(() => toResult(cutOff)).details.description).toContain('Max Tokens');
	});

	test.each<[string, ToolCall, RegExp]>([
		['not JSON', { id: 'a', name: 't', arguments: '{"city":', invalidArguments: true }, /“\{"city":”$/],
		['a text', { id: 'a', name: 't', arguments: 'Omsk' }, /“"Omsk"”$/],
		['a list', { id: 'a', name: 't', arguments: [1, null] }, /“\[1,null\]”$/],
		['false', { id: 'a', name: 't', arguments: false }, /“false”$/],
	])('with arguments that are %s is charged, and the error is not retryable', (_, call, end) => {
		const { details } = thrownBy(() => toResult(response({ toolCalls: [call] }, { costRub: null })));
		expect(details).toStrictEqual({
			message: expect.any(String) as string,
			description: expect.stringMatching(end) as string,
			outcome: 'charged',
			status: 200,
			code: 'invalid_tool_arguments',
			retryable: false,
			extra: { costRub: null },
		});
	});
});

describe('the end of a stream', () => {
	const finish = {
		type: 'finish',
		finishReason: 'stop',
		usage: { promptTokens: 3, completionTokens: 4, totalTokens: 7, inputTokenDetails: { cacheRead: 1 } },
	};

	it('has each tool call in one chunk, then the tokens', () => {
		const chunks = toClosingChunks(
			response({ text: 'Hm', toolCalls: calls, finishReason: 'tool_calls' }),
			'Hm',
		);
		expect(chunks).toStrictEqual([
			{ type: 'tool-call-delta', id: 'a', name: 'weather', argumentsDelta: '{"city":"Omsk"}' },
			{
				type: 'tool-call-delta',
				id: expect.stringMatching(/^call_/) as string,
				name: 'time',
				argumentsDelta: '{}',
			},
			{ ...finish, finishReason: 'tool-calls' },
		]);
	});

	it('adds the text that was not streamed', () => {
		expect(toClosingChunks(response({ refusal: 'I cannot' }), '')[0]).toStrictEqual({
			type: 'text-delta',
			delta: 'I cannot',
		});
		expect(toClosingChunks(response({ text: 'Hello' }), 'Hel')[0]).toStrictEqual({
			type: 'text-delta',
			delta: 'lo',
		});
		expect(toClosingChunks(response({ text: 'Hello' }), 'Hello')).toHaveLength(1);
	});

	it('adds nothing when the text is not the streamed one', () =>
		expect(toClosingChunks(response({ text: 'Hello' }), 'Good day')).toStrictEqual([finish]));

	it('gives a tool call a new id when its id is taken', () => {
		const [call] = toClosingChunks(response({ toolCalls: calls.slice(0, 1) }), '', ['a']);
		expect(call).toStrictEqual({
			type: 'tool-call-delta',
			id: expect.stringMatching(/^call_[0-9a-f]{32}$/) as string,
			name: 'weather',
			argumentsDelta: '{"city":"Omsk"}',
		});
	});
});
