/** The chunks of a chat stream (§6.2). */
import { isObject, type JsonObject } from '../../jsonSchema';
import type { StreamDialect, StreamEvent } from '../eventStream';
import { splitWords } from '../tokens';

export const chatDialect: StreamDialect = {
	named: false,
	numbered: false,
	error: (message) => ({ error: { message, type: 'server_error' } }),
	ping: null,
	unknown: { object: 'sandbox.unknown', choices: [], note: 'Clients ignore this' },
};

/** The chunks that give this completion. */
export function chatEvents(completion: JsonObject, charge: () => void): StreamEvent[] {
	const { choices, usage, ...fields } = completion;
	const head = { ...fields, object: 'chat.completion.chunk' };
	const events: ChunkEvent[] = [
		...objects(choices).flatMap(choiceEvents),
		{ kind: 'final', data: { choices: [], usage }, before: charge },
	];
	const chunks = events.map((event) => ({ ...event, data: { ...head, ...event.data } }));
	return [...chunks, { kind: 'done', data: '[DONE]' }];
}

type ChunkEvent = Omit<StreamEvent, 'data'> & { data: JsonObject };

function choiceEvents(choice: JsonObject, place: number): ChunkEvent[] {
	const { index = place, finish_reason } = choice;
	const chunk = (delta: JsonObject, more: JsonObject = {}): JsonObject => ({
		choices: [{ index, delta, finish_reason: null, ...more }],
	});
	const details = objects(choice.reasoning_details);
	const ends = details.map(({ type, signature, index: at }) => ({ type, signature, index: at }));
	return [
		{ kind: 'meta', data: chunk({ role: 'assistant', content: '' }) },
		...messageDeltas(isObject(choice.message) ? choice.message : {}).map((part) => delta(chunk(part))),
		// A detail may come in parts with the same index.
		...details.map((detail) =>
			delta(chunk({}, { reasoning_details: [{ ...detail, signature: undefined }] })),
		),
		{ kind: 'final', data: chunk({}, { finish_reason, reasoning_details: ends }) },
	];
}

/** Texts come in words, tool calls in pieces, and other fields, such as pictures, whole. */
function messageDeltas({ reasoning, content, tool_calls, ...others }: JsonObject): JsonObject[] {
	return [
		...wordsOf(reasoning).map((part) => ({ reasoning: part })),
		...wordsOf(content).map((part) => ({ content: part })),
		...objects(tool_calls)
			.flatMap(toolDeltas)
			.map((call) => ({ tool_calls: [call] })),
		...Object.entries(others)
			.filter(([name, value]) => name !== 'role' && !isEmpty(value))
			.map(([name, value]) => ({ [name]: value })),
	];
}

/** A text in words; parts of other kinds as they are. */
function wordsOf(value: unknown): unknown[] {
	if (typeof value === 'string') return splitWords(value);
	return isEmpty(value) ? [] : [value];
}

function isEmpty(value: unknown): boolean {
	return (
		value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
	);
}

function objects(value: unknown): JsonObject[] {
	return Array.isArray(value) ? value.filter(isObject) : [];
}

function delta(data: JsonObject): ChunkEvent {
	return { kind: 'delta', data };
}

/** Each tool call starts with ID and name; its arguments follow in chunks. */
function toolDeltas(call: JsonObject, index: number): JsonObject[] {
	const { arguments: args, ...named } = isObject(call.function) ? call.function : {};
	const parts = typeof args === 'string' ? (args.match(/[\s\S]{1,12}/g) ?? []) : [];
	return [
		{ ...call, index, function: { ...named, arguments: '' } },
		...parts.map((part) => ({ index, function: { arguments: part } })),
	];
}
