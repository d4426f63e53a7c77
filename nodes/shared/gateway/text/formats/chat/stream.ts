import { joinedBase64 } from '../../../util/base64';
import {
	asIndex,
	asObject,
	asObjects,
	asText,
	at,
	compact,
	omit,
	textOf,
	type Json,
	type JsonObject,
} from '../../../util/json';
import { errorIn, eventError, partsBesideText, unlessEmpty, valueAt } from '../completion';
import { ObjectScanner } from '../../../util/objectScanner';
import { addDelta, addFields, addMissing, byIndex } from '../deltas';
import type { CompletionStream } from '../format';
import { contentText, firstList, hasFinished, hasFailed, otherParts } from './response';
import { isThought } from '../thoughts';

/** Assembles the chunks of a chat stream (§6.2) into a chat completion (§2.4). */
export class ChatStream implements CompletionStream {
	/** Only `[DONE]` ends the stream. */
	readonly isFinished = false;
	private readonly head: JsonObject = {};
	private usage: JsonObject | undefined;
	private readonly choices = new Map<number, StreamedChoice>();

	read(received: JsonObject): string {
		const error = errorIn(received);
		const usage = asObject(received.usage);
		if (usage) addFields((this.usage ??= {}), usage);
		if (error && !this.isComplete(false)) throw eventError(error, this.choices.size > 0);
		addMissing(this.head, omit(received, 'usage'));
		let shown = '';
		for (const choice of asObjects(received.choices)) {
			const index = asIndex(choice.index) ?? 0;
			const text = at(this.choices, index, () => new StreamedChoice(index)).read(choice);
			if (index === 0) shown += text;
		}
		return shown;
	}

	/** §6.2: the chunk with usage and cost, then `[DONE]`. Usage is enough if every choice has a finish reason. */
	isComplete(sawDone: boolean): boolean {
		const choices = [...this.choices.values()];
		if (sawDone || choices.some((choice) => choice.hasFailed)) return true;
		return this.usage !== undefined && choices.length > 0 && choices.every((choice) => choice.hasFinished);
	}

	body(): JsonObject {
		return {
			...this.head,
			object: 'chat.completion',
			choices: byIndex(this.choices).map((choice) => choice.assembled()),
			...compact({ usage: this.usage }),
		};
	}
}

// prettier-ignore
const CHUNKED = new Set([
	'reasoning', 'reasoning_content', 'refusal', 'data', 'transcript', 'text', 'thinking', 'summary', 'arguments', 'input',
]);

class StreamedChoice {
	private readonly message: JsonObject = {};
	private readonly content: JsonObject[] = [];
	private readonly toolCalls = new StreamedList((known, chunk) => {
		return beginsCall(known, chunk, () => this.hasArguments(known));
	});
	private readonly scanners = new Map<JsonObject, ObjectScanner>();
	private readonly details = new StreamedList(isOtherDetail);
	private readonly end: JsonObject = {};

	constructor(private readonly index: number) {}

	get hasFinished(): boolean {
		return hasFinished(this.end);
	}

	get hasFailed(): boolean {
		return hasFailed(this.end);
	}

	read({ finish_reason, logprobs, reasoning_details, error, ...choice }: JsonObject): string {
		// A gateway that does not stream may send its response as one event.
		const delta = asObject(choice.delta) ?? asObject(choice.message) ?? {};
		const { content, images, tool_calls, reasoning_details: ownDetails, ...fields } = delta;
		const text = contentText(content);
		const spoken = contentText(this.content) === '' ? textOf(asObject(delta.audio)?.transcript) : '';
		const parts = asText(content) === undefined ? asObjects(content) : [{ type: 'text', text }];
		for (const part of parts) addPart(this.content, part);
		addDelta(this.message, { ...fields, images: unlessEmpty(otherParts({ images })) }, CHUNKED);
		addDelta(this.end, { finish_reason: asText(finish_reason), logprobs: asObject(logprobs) }, CHUNKED);
		this.end.error ??= error ?? undefined;
		for (const [place, call] of asObjects(tool_calls).entries()) {
			const index = asIndex(call.index) ?? place;
			const chunk = { ...call, type: 'function', index };
			const known = this.toolCalls.add(chunk, { function: { name: '', arguments: '' } });
			at(this.scanners, known, () => new ObjectScanner()).add(textOf(valueAt(call, 'function.arguments')));
		}
		for (const detail of firstList(reasoning_details, ownDetails)) this.details.add(detail);
		return text || textOf(delta.refusal) || spoken;
	}

	/** Whether the arguments of a tool call are whole. */
	private hasArguments(call: JsonObject): boolean {
		const isText = typeof valueAt(call, 'function.arguments') === 'string';
		return !isText || this.scanners.get(call)?.isWhole === true;
	}

	assembled(): JsonObject {
		const { message, content } = this;
		const { audio } = message;
		const text = partsBesideText(content).length > 0 ? content : contentText(content);
		const toolCalls = this.toolCalls.elements.filter(isCall).map((call) => omit(call, 'index'));
		const hasOther = toolCalls.length > 0 || audio !== undefined;
		const { finish_reason = null, logprobs, error } = this.end;
		return {
			index: this.index,
			message: {
				role: 'assistant',
				content: text === '' && hasOther ? null : text,
				refusal: null,
				reasoning: null,
				annotations: [],
				...message,
				...compact({ audio: audio && withWholeData(audio), tool_calls: unlessEmpty(toolCalls) }),
			},
			finish_reason,
			...compact({ error }),
			reasoning_details: this.details.elements,
			logprobs: logprobs ? { content: [], refusal: [], ...asObject(logprobs) } : null,
		};
	}
}

/** Adds the next part of a content. Texts and thoughts go on. */
function addPart(parts: JsonObject[], { thinking, ...part }: JsonObject): void {
	const isText = isThought(part) || asText(part.text) !== undefined;
	const last = parts.at(-1);
	const isAlike = Array.isArray(last?.thinking) === Array.isArray(thinking);
	const known = last && last.type === part.type && isText && isAlike ? last : { type: part.type };
	if (known !== last) parts.push(known);
	addDelta(known, omit(part, 'type'), CHUNKED);
	if (!Array.isArray(thinking)) return addDelta(known, { thinking }, CHUNKED);
	const thoughts = Array.isArray(known.thinking) ? (known.thinking as JsonObject[]) : [];
	for (const thought of asObjects(thinking)) addPart(thoughts, thought);
	known.thinking = thoughts;
}

/** Sound whose data is one text: its pieces may be padded. */
function withWholeData(audio: Json): Json {
	const data = asText(asObject(audio)?.data);
	return data === undefined ? audio : { ...asObject(audio), data: joinedBase64(data) };
}

/** Whether a chunk begins another tool call. Some providers give all calls one index, or each chunk an ID. */
function beginsCall(known: JsonObject, chunk: JsonObject, hasArguments: () => boolean): boolean {
	const [before, after] = [asObject(known.function), asObject(chunk.function)];
	const name = asText(after?.name);
	if (name === undefined || !before?.name) return false;
	// Some repeat the name each time.
	return name !== before.name || (/^\s*(\{|$)/.test(textOf(after?.arguments)) && hasArguments());
}

/** Whether a call is more than the name of the one before once more, which some providers send at the end. */
function isCall(call: JsonObject, place: number, calls: JsonObject[]): boolean {
	const before = calls[place - 1];
	const [name, args] = ['function.name', 'function.arguments'].map((path) => valueAt(call, path));
	return args !== '' || before?.index !== call.index || valueAt(before, 'function.name') !== name;
}

/** Some providers give several details one index and different IDs. */
function isOtherDetail({ id: known }: JsonObject, { id }: JsonObject): boolean {
	return [known, id].every((value) => asText(value) !== undefined) && known !== id;
}

/** A list whose elements arrive in chunks: those of the same type and index. */
class StreamedList {
	readonly elements: JsonObject[] = [];
	private readonly last = new Map<string, JsonObject>();

	constructor(private readonly isOther: (known: JsonObject, chunk: JsonObject) => boolean) {}

	/** Returns the element to which a chunk is added. */
	add(chunk: JsonObject, empty: JsonObject = {}): JsonObject {
		const { index, type } = chunk;
		const key = JSON.stringify([index, type]);
		const known = typeof index === 'number' ? this.last.get(key) : undefined;
		const element = known && !this.isOther(known, chunk) ? known : { ...empty };
		if (element !== known) this.elements.push(element);
		this.last.set(key, element);
		addDelta(element, element.id ? omit(chunk, 'id') : chunk, CHUNKED);
		return element;
	}
}
