/** The events of a responses stream (§6.1). */
import { isObject, type JsonObject } from '../../jsonSchema';
import type { StreamDialect, StreamEvent } from '../eventStream';
import { splitWords } from '../tokens';

export const responsesDialect: StreamDialect = {
	named: false,
	numbered: true,
	error: (message) => ({ type: 'error', error: { message, type: 'server_error' } }),
	ping: { type: 'response.ping' },
	unknown: { type: 'response.sandbox.unknown', note: 'Clients ignore this' },
};

/**
 * The charge is applied at the closing event (§6.1).
 *
 * @param closed has the items that are streamed
 * @param end the response in the closing event
 */
export function responsesEvents(
	open: JsonObject,
	closed: JsonObject,
	end: JsonObject,
	charge: () => void,
): StreamEvent[] {
	const output = Array.isArray(closed.output) ? closed.output.filter(isObject) : [];
	const ownEvent = end.status === 'incomplete' || end.status === 'failed';
	const closing = `response.${ownEvent ? String(end.status) : 'completed'}`;
	return [
		{ kind: 'meta', data: { type: 'response.created', response: open } },
		{ kind: 'meta', data: { type: 'response.in_progress', response: open } },
		...output.flatMap(itemEvents),
		{ kind: 'final', data: { type: closing, response: end }, before: charge },
		{ kind: 'done', data: '[DONE]' },
	];
}

function itemEvents(item: JsonObject, output_index: number): StreamEvent[] {
	const place = { output_index, item_id: item.id };
	const started = { ...item, status: 'in_progress', ...emptied(item) };
	return [
		{ kind: 'meta', data: { type: 'response.output_item.added', output_index, item: started } },
		...innerEvents(item, place),
		{ kind: 'meta', data: { type: 'response.output_item.done', output_index, item } },
	];
}

/** The part of an item that is still missing when it is added. */
function emptied(item: JsonObject): JsonObject {
	if (item.type === 'message') return { content: [] };
	if (item.type === 'function_call') return { arguments: '' };
	return item.type === 'reasoning' ? { summary: [] } : {};
}

interface Place {
	output_index: number;
	item_id: unknown;
}

function innerEvents(item: JsonObject, place: Place): StreamEvent[] {
	switch (item.type) {
		case 'message':
			return parts(item.content).flatMap((part, index) =>
				partEvents(part, { ...place, content_index: index }),
			);
		case 'reasoning':
			return parts(item.summary).flatMap((part, index) =>
				summaryEvents(part, { ...place, summary_index: index }),
			);
		case 'function_call':
			return argumentEvents(String(item.arguments), String(item.name), place);
		default:
			// Calls of built-in tools: of their events only the first is shown for each type.
			return [{ kind: 'meta', data: { type: `response.${String(item.type)}.in_progress`, ...place } }];
	}
}

function parts(value: unknown): JsonObject[] {
	return Array.isArray(value) ? value.filter(isObject) : [];
}

function partEvents(part: JsonObject, place: JsonObject): StreamEvent[] {
	if (part.type === 'output_text') return textEvents(part, place);
	const refusal = typeof part.refusal === 'string' ? part.refusal : '';
	return [
		{ kind: 'meta', data: { type: 'response.content_part.added', ...place, part: { ...part, refusal: '' } } },
		...splitWords(refusal).map((word) => delta('response.refusal.delta', word, place)),
		{ kind: 'meta', data: { type: 'response.content_part.done', ...place, part } },
	];
}

function textEvents(part: JsonObject, place: JsonObject): StreamEvent[] {
	const text = String(part.text);
	const empty = { type: 'output_text', text: '', annotations: [] };
	return [
		{ kind: 'meta', data: { type: 'response.content_part.added', ...place, part: empty } },
		...splitWords(text).map((part) => delta('response.output_text.delta', part, place)),
		...parts(part.annotations).map(
			(annotation, annotation_index): StreamEvent => ({
				kind: 'meta',
				data: { type: 'response.output_text.annotation.added', ...place, annotation_index, annotation },
			}),
		),
		{ kind: 'meta', data: { type: 'response.output_text.done', ...place, text } },
		{ kind: 'meta', data: { type: 'response.content_part.done', ...place, part } },
	];
}

function summaryEvents(part: JsonObject, place: JsonObject): StreamEvent[] {
	const text = String(part.text);
	const empty = { type: 'summary_text', text: '' };
	return [
		{ kind: 'meta', data: { type: 'response.reasoning_summary_part.added', ...place, part: empty } },
		...splitWords(text).map((part) => delta('response.reasoning_summary_text.delta', part, place)),
		{ kind: 'meta', data: { type: 'response.reasoning_summary_text.done', ...place, text } },
		{ kind: 'meta', data: { type: 'response.reasoning_summary_part.done', ...place, part } },
	];
}

function argumentEvents(text: string, name: string, place: Place): StreamEvent[] {
	const type = 'response.function_call_arguments';
	return [
		...(text.match(/[\s\S]{1,12}/g) ?? []).map((part) => delta(`${type}.delta`, part, { ...place })),
		{ kind: 'meta', data: { type: `${type}.done`, ...place, name, arguments: text } },
	];
}

function delta(type: string, part: string, place: JsonObject): StreamEvent {
	return { kind: 'delta', data: { type, ...place, delta: part } };
}
