/** The chunks of a chat stream (§6.2). */
import type { JsonObject } from '../../jsonSchema';
import type { CompletedCall } from '../call';
import type { StreamDialect, StreamEvent } from '../eventStream';
import { splitWords } from '../tokens';
import type { Completion } from '../types';
import type { ChatRequest } from './request';
import { chatHead, chatUsage, reasoningDetails, audioOf, wireToolCalls } from './response';

export const chatDialect: StreamDialect = {
	named: false,
	numbered: false,
	error: (message) => ({ error: { message, type: 'server_error' } }),
	ping: null,
	unknown: { object: 'sandbox.unknown', choices: [], note: 'Clients ignore this' },
};

export function chatEvents(request: ChatRequest, completed: CompletedCall): StreamEvent[] {
	const head = { ...chatHead(request.call.model), object: 'chat.completion.chunk' };
	const chunks = completed.completions.flatMap((completion, index) =>
		choiceEvents(request, completion, index),
	);
	const usage: ChunkEvent = {
		kind: 'final',
		data: { choices: [], usage: chatUsage(request, completed.usage) },
		before: completed.charge,
	};
	const events = [...chunks, usage].map((event) => ({ ...event, data: { ...head, ...event.data } }));
	return [...events, { kind: 'done', data: '[DONE]' }];
}

type ChunkEvent = Omit<StreamEvent, 'data'> & { data: JsonObject };

function choiceEvents(request: ChatRequest, completion: Completion, index: number): ChunkEvent[] {
	const chunk = (delta: JsonObject, more: JsonObject = {}): JsonObject => ({
		choices: [{ index, delta, finish_reason: null, ...more }],
	});
	const shown = request.hideReasoning ? '' : completion.reasoning;
	const audio = audioOf(request, completion);
	const details = reasoningDetails(request, completion);
	const text = audio ? '' : completion.text;
	return [
		{ kind: 'meta', data: chunk({ role: 'assistant', content: '' }) },
		...splitWords(shown).map((part) => delta(chunk({ reasoning: part }))),
		...splitWords(text).map((part) => delta(chunk({ content: part }))),
		...toolDeltas(completion).map((toolCall) => delta(chunk({ tool_calls: [toolCall] }))),
		...(audio ? [delta(chunk({ audio }))] : []),
		...details.map(({ type, text: part, index: place }) =>
			delta(chunk({}, { reasoning_details: [{ type, text: part, index: place }] })),
		),
		{
			kind: 'final',
			data: chunk(
				{},
				{
					finish_reason: completion.finish,
					// A detail may come in parts with the same index.
					reasoning_details: details.map(({ type, signature, index: place }) => ({
						type,
						signature,
						index: place,
					})),
				},
			),
		},
	];
}

function delta(data: JsonObject): ChunkEvent {
	return { kind: 'delta', data };
}

/** Each tool call starts with ID and name; its arguments follow in chunks. */
function toolDeltas(completion: Completion): JsonObject[] {
	return wireToolCalls(completion).flatMap((call, index) => {
		const toolCall = completion.toolCalls[index];
		const parts = toolCall?.arguments.match(/[\s\S]{1,12}/g) ?? [];
		return [
			{ ...call, index, function: { name: toolCall?.name, arguments: '' } },
			...parts.map((part) => ({ index, function: { arguments: part } })),
		];
	});
}
