import {
	asNumber,
	asObject,
	asObjects,
	asText,
	textOf,
	type Json,
	type JsonObject,
} from '../../../util/json';
import { at, byIndex } from '../deltas';

/** The texts that arrive in chunks: the list of their parts, the type of such a part, and the field in it. */
const TEXTS: ReadonlyMap<string, readonly ['content' | 'summary', string, 'text' | 'refusal']> = new Map([
	['response.output_text', ['content', 'output_text', 'text']],
	['response.refusal', ['content', 'refusal', 'refusal']],
	['response.reasoning_summary_text', ['summary', 'summary_text', 'text']],
]);

/** An output item of a stream, for responses whose closing event does not repeat the output (§6.1). */
export class StreamedItem {
	private item: JsonObject = {};
	private isDone = false;
	/** Its fields, as the events of its parts have them. */
	private streamed: JsonObject = {};
	private readonly parts = { content: new Map<number, JsonObject>(), summary: new Map<number, JsonObject>() };

	read(event: JsonObject): void {
		// Such as `response.output_text` and `delta`.
		const [, subject = '', action] = /^(.*)\.(\w+)$/.exec(textOf(event.type)) ?? [];
		const text = TEXTS.get(subject);
		if (text) {
			const [list, type, field] = text;
			const part = at(this.parts[list], asNumber(event[`${list}_index`]) ?? 0, () => ({}));
			part.type = type;
			this.streamed.type = list === 'content' ? 'message' : 'reasoning';
			part[field] = asText(event[field]) ?? textOf(part[field]) + textOf(event.delta);
		} else if (subject === 'response.output_text.annotation') {
			const part = at(this.parts.content, asNumber(event.content_index) ?? 0, () => ({}));
			part.annotations = [...asObjects(part.annotations), ...asObjects([event.annotation])];
		} else if (subject === 'response.function_call_arguments') {
			const args = asText(event.arguments) ?? textOf(this.streamed.arguments) + textOf(event.delta);
			this.streamed = { type: 'function_call', arguments: args };
		} else if (subject === 'response.output_item') {
			this.item = filled(asObject(event.item) ?? {}, this.item);
			this.isDone = action === 'done';
		}
	}

	/** Whether it calls a tool whose arguments are lost. A complete call of a tool without parameters may have none. */
	lacksArguments(): boolean {
		const { type, arguments: args } = this.assembled();
		return type === 'function_call' && isMissing(args) && !(this.isDone && args === '');
	}

	/** The item of its last event, with what that lacks from the events before. */
	assembled(): JsonObject {
		const { content, summary } = this.parts;
		return {
			...filled(this.item, this.streamed),
			...(content.size > 0 ? { content: merged(this.item.content, content) } : {}),
			...(summary.size > 0 ? { summary: merged(this.item.summary, summary) } : {}),
		};
	}
}

/** The parts of a list, each with what it lacks from its events. */
function merged(list: Json | undefined, streamed: ReadonlyMap<number, JsonObject>): JsonObject[] {
	const parts = new Map(asObjects(list).entries());
	for (const [index, part] of streamed) parts.set(index, filled(parts.get(index) ?? {}, part));
	return byIndex(parts);
}

/** An object, with what it lacks from another one. */
function filled(object: JsonObject, other: JsonObject): JsonObject {
	const known = Object.entries(object).filter(([, value]) => !isMissing(value));
	return { ...object, ...other, ...Object.fromEntries(known) };
}

function isMissing(value: Json | undefined): boolean {
	return (value ?? '') === '' || (Array.isArray(value) && value.length === 0);
}
