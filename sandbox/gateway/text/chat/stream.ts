/** The chunks of a chat stream (§6.2). */
import type { JsonObject } from '../../jsonSchema';
import type { AnsweredCall } from '../call';
import type { StreamDialect, StreamEvent } from '../eventStream';
import { logprobsOf, wordPieces } from '../tokens';
import type { HttpResponse } from '../types';
import type { ChatRequest } from './request';
import { chatHead, chatUsage, reasoningDetails, spokenAnswer, wireToolCalls } from './response';

export const chatDialect: StreamDialect = {
	named: false,
	numbered: false,
	error: (message) => ({ error: { message, type: 'server_error' } }),
	ping: null,
	unknown: { object: 'sandbox.unknown', choices: [], note: 'Clients ignore this' },
};

export function chatEvents(request: ChatRequest, answered: AnsweredCall): StreamEvent[] {
	const head = { ...chatHead(request.call.model), object: 'chat.completion.chunk' };
	const chunks = answered.answers.flatMap((answer, index) => choiceEvents(request, answer, index));
	const usage: ChunkEvent = {
		kind: 'final',
		data: { choices: [], usage: chatUsage(request, answered.usage) },
		before: answered.charge,
	};
	const events = [...chunks, usage].map((event) => ({ ...event, data: { ...head, ...event.data } }));
	return [...events, { kind: 'done', data: '[DONE]' }];
}

type ChunkEvent = Omit<StreamEvent, 'data'> & { data: JsonObject };

function choiceEvents(request: ChatRequest, answer: HttpResponse, index: number): ChunkEvent[] {
	const chunk = (delta: JsonObject, more: JsonObject = {}): JsonObject => ({
		choices: [{ index, delta, finish_reason: null, ...more }],
	});
	const shown = request.hideReasoning ? '' : answer.reasoning;
	const audio = spokenAnswer(request, answer);
	const text = audio ? '' : answer.text;
	const probabilities = request.topLogprobs === null ? [] : logprobsOf(answer.text, request.topLogprobs);
	return [
		{ kind: 'meta', data: chunk({ role: 'assistant', content: '' }) },
		...wordPieces(shown).map((piece) => delta(chunk({ reasoning: piece }))),
		...wordPieces(text).map((piece, place) => {
			// One entry a word, as in the answer that comes in one piece.
			const entry = probabilities[place];
			return delta(chunk({ content: piece }, entry ? { logprobs: { content: [entry], refusal: [] } } : {}));
		}),
		...toolDeltas(answer).map((toolCall) => delta(chunk({ tool_calls: [toolCall] }))),
		...(audio ? [delta(chunk({ audio }))] : []),
		{
			kind: 'final',
			data: chunk({}, { finish_reason: answer.finish, reasoning_details: reasoningDetails(request, answer) }),
		},
	];
}

function delta(data: JsonObject): ChunkEvent {
	return { kind: 'delta', data };
}

/** Each call starts with id and name; its arguments follow in pieces. */
function toolDeltas(answer: HttpResponse): JsonObject[] {
	return wireToolCalls(answer).flatMap((call, index) => {
		const toolCall = answer.toolCalls[index];
		const pieces = toolCall?.arguments.match(/[\s\S]{1,12}/g) ?? [];
		return [
			{ ...call, index, function: { name: toolCall?.name, arguments: '' } },
			...pieces.map((piece) => ({ index, function: { arguments: piece } })),
		];
	});
}
