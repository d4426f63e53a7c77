/** Writes the message object (§2.5) and the events of its stream (§6.3). */
import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../jsonSchema';
import type { AnsweredCall } from '../call';
import type { StreamDialect, StreamEvent } from '../eventStream';
import { wordPieces } from '../tokens';
import type { HttpResponse } from '../types';

export const messagesDialect: StreamDialect = {
	named: true,
	numbered: false,
	error: (message) => ({ type: 'error', error: { type: 'api_error', message } }),
	ping: { type: 'ping' },
	unknown: { type: 'sandbox_unknown', note: 'Clients ignore this' },
};

export function messageObject(answered: AnsweredCall): JsonObject {
	const [answer] = answered.answers;
	return {
		id: `msg_${randomUUID().replaceAll('-', '')}`,
		type: 'message',
		role: 'assistant',
		content: answer ? contentParts(answer) : [],
		model: answered.model.id,
		stop_reason: answer ? stopReason(answer) : 'end_turn',
		stop_sequence: answer?.stopSequence ?? null,
		usage: { input_tokens: answered.usage.input, output_tokens: answered.usage.output },
	};
}

function stopReason(answer: HttpResponse): string {
	switch (answer.finish) {
		case 'tool_calls':
			return 'tool_use';
		case 'length':
			return 'max_tokens';
		case 'content_filter':
			return 'refusal';
		case 'stop':
			return answer.stopSequence === null ? 'end_turn' : 'stop_sequence';
	}
}

function contentParts(answer: HttpResponse): JsonObject[] {
	const thinking = { type: 'thinking', thinking: answer.reasoning, signature: 'c2FuZGJveA==' };
	return [
		...(answer.reasoning === '' ? [] : [thinking]),
		...(answer.text === '' && answer.toolCalls.length > 0 ? [] : [{ type: 'text', text: answer.text }]),
		...answer.toolCalls.map((call) => ({
			type: 'tool_use',
			id: call.id.replace('call_', 'toolu_'),
			name: call.name,
			input: JSON.parse(call.arguments) as unknown,
		})),
	];
}

/** The charge is applied with the event that tells how the answer ended. */
export function messageEvents(message: JsonObject, answered: AnsweredCall): StreamEvent[] {
	const start = {
		...message,
		content: [],
		stop_reason: null,
		stop_sequence: null,
		usage: { input_tokens: answered.usage.input, output_tokens: 0 },
	};
	const parts = answered.answers.flatMap(contentParts);
	return [
		{ kind: 'meta', data: { type: 'message_start', message: start } },
		...parts.flatMap(blockEvents),
		{
			kind: 'final',
			data: {
				type: 'message_delta',
				delta: { stop_reason: message.stop_reason, stop_sequence: message.stop_sequence },
				usage: { output_tokens: answered.usage.output },
			},
			before: answered.charge,
		},
		{ kind: 'final', data: { type: 'message_stop' } },
	];
}

function blockEvents(part: JsonObject, index: number): StreamEvent[] {
	const { start, deltas } = block(part);
	return [
		{ kind: 'meta', data: { type: 'content_block_start', index, content_block: start } },
		...deltas.map(
			(delta): StreamEvent => ({ kind: 'delta', data: { type: 'content_block_delta', index, delta } }),
		),
		{ kind: 'meta', data: { type: 'content_block_stop', index } },
	];
}

/** The empty block that a stream starts with, and the deltas that fill it. */
function block(part: JsonObject): { start: JsonObject; deltas: JsonObject[] } {
	switch (part.type) {
		case 'thinking':
			return {
				start: { type: 'thinking', thinking: '', signature: '' },
				deltas: [
					...wordPieces(String(part.thinking)).map((thinking) => ({ type: 'thinking_delta', thinking })),
					{ type: 'signature_delta', signature: part.signature },
				],
			};
		case 'tool_use': {
			const pieces = JSON.stringify(part.input).match(/[\s\S]{1,12}/g) ?? [];
			return {
				start: { ...part, input: {} },
				deltas: pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
			};
		}
		default:
			return {
				start: { type: 'text', text: '' },
				deltas: wordPieces(String(part.text)).map((text) => ({ type: 'text_delta', text })),
			};
	}
}
