import { factsOf, toClosingChunks, toResult } from '../../../nodes/ChatModel/result';
import { ApiFailure } from '../../../nodes/shared/gateway/failure';
import { emptyChoice, type Choice, type TextAnswer } from '../../../nodes/shared/gateway/formats/answer';

const answer = (choice: Partial<Choice>, more: Partial<TextAnswer> = {}): TextAnswer => ({
	id: 'id-1',
	model: 'm',
	choices: [{ ...emptyChoice(), finishReason: 'stop', ...choice }],
	usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7, cachedInputTokens: 1, reasoningTokens: null },
	costRub: 0.25,
	...more,
});
const calls = [
	{ id: 'a', name: 'weather', arguments: { city: 'Omsk' } },
	{ id: null, name: 'time', arguments: {} },
];

function thrownBy(work: () => unknown): ApiFailure {
	try {
		work();
	} catch (error) {
		if (error instanceof ApiFailure) return error;
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
		expect(factsOf(answer({ text: 'Hello', reasoning: 'hm' }))).toStrictEqual({
			finish_reason: 'stop',
			id: 'id-1',
			model: 'm',
			costRub: 0.25,
			reasoning: 'hm',
		}));

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
});

describe('the end of a stream', () => {
	it('brings each call of a tool in one piece, then tokens', () => {
		const chunks = toClosingChunks(
			answer({ text: 'Hm', toolCalls: calls, finishReason: 'tool_calls' }),
			'Hm',
		);
		expect(chunks).toMatchObject([
			{ type: 'tool-call-delta', id: 'a', name: 'weather', argumentsDelta: '{"city":"Omsk"}' },
			{ type: 'tool-call-delta', name: 'time', argumentsDelta: '{}' },
			{ type: 'finish', finishReason: 'tool-calls', usage: { promptTokens: 3, completionTokens: 4 } },
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
});
