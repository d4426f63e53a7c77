/** Writes the message object (§2.5) and the events of its stream (§6.3). */
import { randomUUID } from 'node:crypto';
import { isObject, type JsonObject } from '../../jsonSchema';
import type { CompletedCall } from '../call';
import type { StreamDialect, StreamEvent } from '../eventStream';
import { callIdsOf, signatureOf } from '../returnedReasoning';
import { splitWords } from '../tokens';
import type { Completion } from '../types';

export const messagesDialect: StreamDialect = {
	named: true,
	numbered: false,
	error: (message) => ({ type: 'error', error: { type: 'api_error', message } }),
	ping: { type: 'ping' },
	unknown: { type: 'sandbox_unknown', note: 'Clients ignore this' },
};

export function messageObject(completed: CompletedCall): JsonObject {
	const [completion] = completed.completions;
	return {
		id: `msg_${randomUUID().replaceAll('-', '')}`,
		type: 'message',
		role: 'assistant',
		content: completion ? contentParts(completion) : [],
		model: completed.model.id,
		stop_reason: completion ? stopReason(completion) : 'end_turn',
		stop_sequence: completion?.stopSequence ?? null,
		usage: { input_tokens: completed.usage.input, output_tokens: completed.usage.output },
	};
}

function stopReason(completion: Completion): string {
	switch (completion.finish) {
		case 'tool_calls':
			return 'tool_use';
		case 'length':
			return 'max_tokens';
		case 'content_filter':
			return 'refusal';
		case 'stop':
			return completion.stopSequence === null ? 'end_turn' : 'stop_sequence';
	}
}

function contentParts(completion: Completion): JsonObject[] {
	const signature = signatureOf(completion.reasoning, callIdsOf(completion));
	const thinking = { type: 'thinking', thinking: completion.reasoning, signature };
	return [
		...(completion.reasoning === '' ? [] : [thinking]),
		...(completion.text === '' && completion.toolCalls.length > 0
			? []
			: [{ type: 'text', text: completion.text }]),
		...completion.toolCalls.map((call) => ({
			type: 'tool_use',
			id: call.id.replace('call_', 'toolu_'),
			name: call.name,
			input: JSON.parse(call.arguments) as unknown,
		})),
	];
}

/**
 * The charge is applied with the event that has the stop reason.
 *
 * @param messages usually one; a stream of several ends with the last one
 */
export function messageEvents(messages: readonly JsonObject[], charge: () => void): StreamEvent[] {
	const { stop_reason, stop_sequence, usage } = messages.at(-1) ?? {};
	const output_tokens = isObject(usage) ? usage.output_tokens : undefined;
	const delta = { stop_reason, stop_sequence };
	return [
		...messages.flatMap(contentEvents),
		{ kind: 'final', data: { type: 'message_delta', delta, usage: { output_tokens } }, before: charge },
		{ kind: 'final', data: { type: 'message_stop' } },
	];
}

function contentEvents(message: JsonObject): StreamEvent[] {
	const { content, usage } = message;
	const start = {
		...message,
		content: [],
		stop_reason: null,
		stop_sequence: null,
		usage: { ...(isObject(usage) && usage), output_tokens: 0 },
	};
	const parts = Array.isArray(content) ? content.filter(isObject) : [];
	return [{ kind: 'meta', data: { type: 'message_start', message: start } }, ...parts.flatMap(blockEvents)];
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
					...splitWords(String(part.thinking)).map((thinking) => ({ type: 'thinking_delta', thinking })),
					{ type: 'signature_delta', signature: part.signature },
				],
			};
		case 'tool_use': {
			const fragments = JSON.stringify(part.input).match(/[\s\S]{1,12}/g) ?? [];
			return {
				start: { ...part, input: {} },
				deltas: fragments.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
			};
		}
		default:
			return {
				start: { type: 'text', text: '' },
				deltas: splitWords(String(part.text)).map((text) => ({ type: 'text_delta', text })),
			};
	}
}
