import { callInfoOf, toClosingChunks, toResult } from '../../../nodes/ChatModel/result';
import { ApiError } from '../../../nodes/shared/gateway/errors/errors';
import {
	emptyChoice,
	type Choice,
	type Completion,
	type ToolCall,
	type Usage,
} from '../../../nodes/shared/gateway/text/formats/completion';

const noUsage: Usage = {
	inputTokens: null,
	outputTokens: null,
	totalTokens: null,
	cachedInputTokens: null,
	reasoningTokens: null,
};
const response = (choice: Partial<Choice>, more: Partial<Completion> = {}): Completion => ({
	id: 'id-1',
	model: 'm',
	choices: [{ ...emptyChoice(), finishReason: 'stop', ...choice }],
	usage: { ...noUsage, inputTokens: 3, outputTokens: 4 },
	costRub: 0.25,
	...more,
});
const usage = { promptTokens: 3, completionTokens: 4, totalTokens: 7 };
const finish = { type: 'finish', finishReason: 'stop', usage };

function thrownBy(work: () => unknown): ApiError {
	try {
		work();
	} catch (error) {
		if (error instanceof ApiError) return error;
	}
	throw new Error('no failure was thrown');
}

/** The tool calls of a completion, whole and as chunks, which are the same. */
function callsIn(completion: Completion, earlierIds: string[] = []) {
	const whole = toResult(completion, earlierIds).message.content.flatMap((part) =>
		part.type === 'tool-call' ? { id: part.toolCallId, name: part.toolName, input: part.input } : [],
	);
	const chunks = toClosingChunks(completion, '', earlierIds).flatMap((chunk) =>
		chunk.type === 'tool-call-delta' ? { id: chunk.id, name: chunk.name, input: chunk.argumentsDelta } : [],
	);
	expect(chunks.map(({ name, input }) => [name, input])).toStrictEqual(
		whole.map(({ name, input }) => [name, input]),
	);
	return whole;
}

describe('the text', () => {
	it.each<[string, Partial<Choice>, string]>([
		['is that of the model, without reasoning', { text: 'Hello', reasoning: 'hm' }, 'Hello'],
		['may be a refusal', { refusal: 'I cannot' }, 'I cannot'],
		['may be next to a file', { text: 'Here', files: [{ kind: 'image', base64: 'AA==' }] }, 'Here'],
		['may be empty', {}, ''],
	])('%s', (_, choice, text) => {
		expect(toResult(response(choice), [])).toStrictEqual({
			usage,
			message: { role: 'assistant', content: [{ type: 'text', text }] },
		});
		const rest = text === '' ? [] : [{ type: 'text-delta', delta: text }];
		expect(toClosingChunks(response(choice), '', [])).toStrictEqual([...rest, finish]);
	});

	it.each([
		['Hel', [{ type: 'text-delta', delta: 'lo' }]],
		['Hello', []],
		['Good day', []],
	])('that a stream has not shown comes at its end: after %s', (shown, rest) =>
		expect(toClosingChunks(response({ text: 'Hello' }), shown, [])).toStrictEqual([...rest, finish]),
	);

	it.each<['image' | 'audio', string]>([
		['image', 'The model responded with an image and no text'],
		['audio', 'The model responded with audio and no text'],
	])('that is missing next to a file of the kind %s is an error that says what it cost', (kind, message) => {
		const only = response({ files: [{ kind, base64: 'AA==' }] });
		const toolCalls = [{ id: 'c', name: 'look', arguments: {} }];
		const withCall = response({ files: [{ kind, base64: 'AA==' }], toolCalls });
		expect(() => toResult(withCall, [])).not.toThrow();
		for (const work of [() => toResult(only, []), () => toClosingChunks(only, '', [])]) {
			expect(thrownBy(work).details).toMatchObject({
				message,
				code: 'no_text',
				outcome: 'charged',
				extra: { costRub: 0.25 },
			});
		}
	});
});

describe('n8n’s log', () => {
	const facts = { finish_reason: 'stop', id: 'id-1', model: 'm', costRub: 0.25 };

	it.each<[string, Partial<Choice>, Partial<Completion>, object]>([
		['has the cost', {}, {}, {}],
		['has the reasoning', { reasoning: 'hm' }, {}, { reasoning: 'hm' }],
		['has the sources', { sources: [{ url: 'x' }] }, {}, { sources: [{ url: 'x' }] }],
		['names files', { files: [{ kind: 'image', base64: 'AA==' }] }, {}, { filesLeftOut: ['image'] }],
		['has cached tokens', {}, { usage: { ...noUsage, cachedInputTokens: 1 } }, { cachedInputTokens: 1 }],
		['has no cached tokens when there are none', {}, { usage: { ...noUsage, cachedInputTokens: 0 } }, {}],
		['marks a computed cost', {}, { costIsComputed: true }, { costIsComputed: true }],
		['has the models before', {}, { fallbackFrom: ['a'] }, { fallbackFrom: ['a'] }],
		['has no models before when there are none', {}, { fallbackFrom: [] }, {}],
		[
			'says that a text is cut off',
			{ finishReason: 'length' },
			{ hint: 'Raise it' },
			{ isComplete: false, hint: 'Raise it', finish_reason: 'length' },
		],
		[
			'says that a text may not be complete',
			{ finishReason: 'new' },
			{ hint: 'Check' },
			{ hint: 'Check', finish_reason: 'new' },
		],
	])('%s', (_, choice, more, info) =>
		expect(callInfoOf(response(choice, more))).toStrictEqual({ ...facts, ...info }),
	);
});

it.each<[string | null, string]>([
	['stop', 'stop'],
	['tool_calls', 'tool-calls'],
	['length', 'length'],
	['content_filter', 'content-filter'],
	['eos_token', 'other'],
])('a stream that ended by %s has the reason %s', (finishReason, word) =>
	expect(toClosingChunks(response({ finishReason }), '', [])).toMatchObject([{ finishReason: word }]),
);

describe('tool calls', () => {
	const call = (id: string | null, args: ToolCall['arguments'] = {}) => ({ id, name: 't', arguments: args });

	it.each<[string, ToolCall['arguments'], string]>([
		['null in them', { city: null, days: [null, 1] }, '{"city":null,"days":[null,1]}'],
		['null for none', null, '{}'],
		['JSON text', '{"city":"Omsk"}', '{"city":"Omsk"}'],
	])('may have arguments with %s, next to text', (_, args, input) => {
		const completion = response({ text: 'Hm', toolCalls: [call('a', args)] });
		expect(callsIn(completion)).toStrictEqual([{ id: 'a', name: 't', input }]);
		expect(toResult(completion, []).message.content[0]).toStrictEqual({ type: 'text', text: 'Hm' });
	});

	it.each<[string, ToolCall, string, RegExp]>([
		['not JSON', { ...call('a', '{"city":'), invalidArguments: true }, 'stop', /^Run it again.*“\{"city":”$/],
		['cut off', { ...call('a', '{"c'), invalidArguments: true }, 'length', /'Max Tokens'.*“\{"c”$/],
		['a text', call('a', 'Omsk'), 'stop', /“"Omsk"”$/],
		['a list', call('a', [1, null]), 'stop', /“\[1,null\]”$/],
		['false', call('a', false), 'stop', /“false”$/],
	])(
		'with arguments that are %s are an error that says what they cost',
		(_, toolCall, finishReason, text) => {
			const broken = response({ toolCalls: [toolCall], finishReason });
			const { details } = thrownBy(() => toResult(broken, []));
			expect(details).toStrictEqual({
				message: `The model called the tool "t" with arguments that are ${toolCall.invalidArguments ? 'not JSON' : 'no JSON object'}`,
				description: expect.stringMatching(text) as string,
				outcome: 'charged',
				status: 200,
				code: 'invalid_tool_arguments',
				retryable: false,
				extra: { costRub: 0.25 },
			});
		},
	);
});
