import { callInfoOf, toClosingChunks, toResult } from '../../../nodes/ChatModel/result';
import { ApiError } from '../../../nodes/shared/gateway/errors/errors';
import {
	emptyChoice,
	type Choice,
	type Completion,
	type ToolCall,
	type Usage,
} from '../../../nodes/shared/gateway/text/formats/completion';

const answer = (choice: Partial<Choice>, more: Partial<Completion> = {}): Completion => ({
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

describe('an answer', () => {
	it('is a message with text, tokens and the reason of its end', () =>
		expect(toResult(answer({ text: 'Hello', reasoning: 'hm' }))).toStrictEqual({
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

	it('shows its cost and thoughts in the log', () =>
		expect(callInfoOf(answer({ text: 'Hello', reasoning: 'hm' }))).toStrictEqual({
			finish_reason: 'stop',
			id: 'id-1',
			model: 'm',
			costRub: 0.25,
			reasoning: 'hm',
		}));

	it('shows the sources that it names, and neither thoughts nor sources where there are none', () => {
		const sources = [{ url: 'https://x.test', title: 'X' }];
		const facts = { finish_reason: 'stop', id: 'id-1', model: 'm', costRub: 0.25 };
		expect(callInfoOf(answer({ sources }))).toStrictEqual({ ...facts, sources });
		expect(callInfoOf(answer({}))).toStrictEqual(facts);
	});

	it('of which little is known is told as far as it is', () => {
		const little = answer({}, { id: null, model: null, choices: [], usage: noUsage, costRub: null });
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
			'cached tokens of none',
			{ cachedInputTokens: 0, reasoningTokens: null },
			{ promptTokens: 0, completionTokens: 0, totalTokens: 0, inputTokenDetails: { cacheRead: 0 } },
		],
		[
			'tokens of thoughts',
			{ outputTokens: 9, reasoningTokens: 5 },
			{ promptTokens: 0, completionTokens: 9, totalTokens: 9, outputTokenDetails: { reasoning: 5 } },
		],
	])('with %s has its tokens', (_, usage, expected) =>
		expect(toResult(answer({}, { usage: { ...noUsage, ...usage } })).usage).toStrictEqual(expected),
	);

	it('that says something and calls a tool has both', () => {
		const content = toResult(answer({ text: 'Hm', toolCalls: calls.slice(0, 1) })).message.content;
		expect(content).toStrictEqual([
			{ type: 'text', text: 'Hm' },
			{ type: 'tool-call', toolCallId: 'a', toolName: 'weather', input: '{"city":"Omsk"}' },
		]);
	});

	it('whose calls have ids of earlier ones, or one id twice, gets others', () => {
		const same = ['a', 'a', 'b'].map((id) => ({ id, name: 'time', arguments: {} }));
		const { content } = toResult(answer({ toolCalls: same }), ['b']).message;
		const ids = content.map((part) => ('toolCallId' in part ? part.toolCallId : undefined));
		const newId = expect.stringMatching(/^call_[0-9a-f]{32}$/) as string;
		expect(ids).toStrictEqual(['a', newId, newId]);
		expect(new Set(ids).size).toBe(3);
	});

	it('keeps null in the arguments of a call', () => {
		const args = { city: null, days: [null, 1], more: { unit: null } };
		const { content } = toResult(answer({ toolCalls: [{ id: 'a', name: 't', arguments: args }] })).message;
		expect(content).toStrictEqual([
			{ type: 'tool-call', toolCallId: 'a', toolName: 't', input: JSON.stringify(args) },
		]);
	});

	it('with calls of tools has each of them, with an id', () => {
		const { message, finishReason } = toResult(answer({ toolCalls: calls, finishReason: 'tool_calls' }));
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

	it('that is a refusal says so', () =>
		expect(toResult(answer({ refusal: 'I cannot' })).message.content).toStrictEqual([
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
		expect(toResult(answer({ finishReason: reason })).finishReason).toBe(word),
	);

	it('with broken arguments is an error that says what to do and what it cost', () => {
		const broken = { id: 'a', name: 'weather', arguments: '{"city":', invalidArguments: true as const };
		const failure = thrownBy(() => toResult(answer({ toolCalls: [broken] })));
		expect(failure.message).toBe('The model called the tool "weather" with arguments that are not JSON');
		expect(failure.details.description).toMatch(/Run it again.*₽0\.25.*\{"city":/);
		expect(failure.details.mayBeCharged).toBe(true);
		const cutOff = answer({ toolCalls: [broken], finishReason: 'length' });
		expect(thrownBy(() => toResult(cutOff)).details.description).toContain('Max Tokens');
	});

	test.each<[string, ToolCall, RegExp]>([
		['not JSON', { id: 'a', name: 't', arguments: '{"city":', invalidArguments: true }, /“\{"city":”$/],
		['a text', { id: 'a', name: 't', arguments: 'Omsk' }, /“"Omsk"”$/],
		['a list', { id: 'a', name: 't', arguments: [1, null] }, /“\[1,null\]”$/],
		['false', { id: 'a', name: 't', arguments: false }, /“false”$/],
	])('with arguments that are %s is charged, and not worth a retry', (_, call, end) => {
		const { details } = thrownBy(() => toResult(answer({ toolCalls: [call] }, { costRub: null })));
		expect(details).toStrictEqual({
			message: expect.any(String) as string,
			description: expect.stringMatching(end) as string,
			delivery: 'responded',
			status: 200,
			code: 'invalid_tool_arguments',
			retryable: false,
			mayBeCharged: true,
		});
	});
});

describe('the end of a stream', () => {
	const finish = {
		type: 'finish',
		finishReason: 'stop',
		usage: { promptTokens: 3, completionTokens: 4, totalTokens: 7, inputTokenDetails: { cacheRead: 1 } },
	};

	it('brings each call of a tool in one piece, then tokens', () => {
		const chunks = toClosingChunks(
			answer({ text: 'Hm', toolCalls: calls, finishReason: 'tool_calls' }),
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

	it('adds what was not streamed', () => {
		expect(toClosingChunks(answer({ refusal: 'I cannot' }), '')[0]).toStrictEqual({
			type: 'text-delta',
			delta: 'I cannot',
		});
		expect(toClosingChunks(answer({ text: 'Hello' }), 'Hel')[0]).toStrictEqual({
			type: 'text-delta',
			delta: 'lo',
		});
		expect(toClosingChunks(answer({ text: 'Hello' }), 'Hello')).toHaveLength(1);
	});

	it('adds nothing to a text that is not the one that was streamed', () =>
		expect(toClosingChunks(answer({ text: 'Hello' }), 'Good day')).toStrictEqual([finish]));

	it('gives another id to a call whose id is taken', () => {
		const [call] = toClosingChunks(answer({ toolCalls: calls.slice(0, 1) }), '', ['a']);
		expect(call).toStrictEqual({
			type: 'tool-call-delta',
			id: expect.stringMatching(/^call_[0-9a-f]{32}$/) as string,
			name: 'weather',
			argumentsDelta: '{"city":"Omsk"}',
		});
	});
});
