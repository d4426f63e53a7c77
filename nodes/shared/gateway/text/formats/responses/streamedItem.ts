import {
	asNumber,
	asObject,
	asObjects,
	asText,
	textOf,
	type Json,
	type JsonObject,
} from '../../../util/json';
import { addDelta, at, byIndex } from '../deltas';

type List = 'content' | 'summary';

/** The texts of parts that arrive in chunks: the list of the parts, the type of such a part, and the field in it. */
const TEXTS: ReadonlyMap<string, readonly [List, string, 'text' | 'refusal']> = new Map([
	['response.output_text', ['content', 'output_text', 'text']],
	['response.refusal', ['content', 'refusal', 'refusal']],
	['response.reasoning_text', ['content', 'reasoning_text', 'text']],
	['response.reasoning_summary_text', ['summary', 'summary_text', 'text']],
]);

/** The events of whole parts, and their list. */
const PARTS: ReadonlyMap<string, List> = new Map([
	['response.content_part', 'content'],
	['response.reasoning_summary_part', 'summary'],
]);

/** The texts of items that arrive in chunks: the type of the item, and the field in it. */
const INPUTS: ReadonlyMap<string, readonly [string, 'arguments' | 'input']> = new Map([
	['response.function_call_arguments', ['function_call', 'arguments']],
	['response.mcp_call_arguments', ['mcp_call', 'arguments']],
	['response.custom_tool_call_input', ['custom_tool_call', 'input']],
]);

/** An output item of a stream, for responses whose closing event does not repeat the output (§6.1). */
export class StreamedItem {
	private item: JsonObject = {};
	private isDone = false;
	/** Its fields, as the events of its parts have them. */
	private readonly streamed: JsonObject = {};
	private readonly parts = { content: new Map<number, JsonObject>(), summary: new Map<number, JsonObject>() };

	read(event: JsonObject): void {
		// Such as `response.output_text` and `delta`.
		const [, subject = '', action] = /^(.*)\.(\w+)$/.exec(textOf(event.type)) ?? [];
		const [text, input, list] = [TEXTS.get(subject), INPUTS.get(subject), PARTS.get(subject)];
		if (text) {
			const [place, type, field] = text;
			addText(this.part(place, event, type), field, event);
		} else if (input) {
			const [type, field] = input;
			this.streamed.type = type;
			addText(this.streamed, field, event);
		} else if (list) {
			const received = asObject(event.part) ?? {};
			const part = this.part(list, event, asText(received.type));
			Object.assign(part, filled(received, part));
		} else if (subject === 'response.output_text.annotation') {
			addDelta(this.part('content', event), { annotations: asObjects([event.annotation]) }, new Set());
		} else if (subject === 'response.output_item') {
			this.item = filled(asObject(event.item) ?? {}, this.item);
			this.isDone = action === 'done';
		}
	}

	/** The part that an event is about. Its type tells that of the item. */
	private part(list: List, event: JsonObject, type?: string): JsonObject {
		const part = at(this.parts[list], asNumber(event[`${list}_index`]) ?? 0, () => ({}));
		if (type === undefined) return part;
		part.type = type;
		this.streamed.type = /^(reasoning|summary)/.test(type) ? 'reasoning' : 'message';
		return part;
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

/** Adds the text of an event to a field: a delta, or the whole text. */
function addText(object: JsonObject, field: string, event: JsonObject): void {
	object[field] = asText(event[field]) ?? textOf(object[field]) + textOf(event.delta);
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
