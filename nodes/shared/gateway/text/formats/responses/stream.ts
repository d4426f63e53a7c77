import type { ApiError } from '../../../errors/errors';
import { policyOf, statusOf } from '../../../errors/policy';
import {
	asId,
	asIndex,
	asNumber,
	asObject,
	asObjects,
	asText,
	at,
	compact,
	fieldOf,
	omit,
	setField,
	textOf,
	type Json,
	type JsonObject,
} from '../../../util/json';
import { generationError, readReceipt, unlessEmpty } from '../completion';
import { addDelta, addFields, addMissing, byIndex } from '../deltas';
import type { CompletionStream } from '../format';
import { isEmptyValue, replaces, textIn, united, withLater } from '../merge';
import { isUnfinished, USAGE } from './response';

/** The statuses of the events that end a response (§3.3). The last event is that of another vendor. */
const CLOSING: ReadonlyMap<unknown, string> = new Map([
	['response.completed', 'completed'],
	['response.incomplete', 'incomplete'],
	['response.done', 'completed'],
]);

/** Assembles the events of a responses stream (§6.1) into a response object (§2.3). */
export class ResponsesStream implements CompletionStream {
	private closed: JsonObject | undefined;
	/** The response of the events before. */
	private readonly head: JsonObject = {};
	private readonly usage: JsonObject = {};
	private lastNumber = -1;
	/** Events without a number: some servers number all but the first. */
	private unnumbered = 0;
	private hasGap = false;
	private readonly items = new Map<number, StreamedItem>();
	private readonly indexes = new Map<string, number>();
	private lastIndex = 0;

	read(received: JsonObject): string {
		// Events after the closing one cannot change a response that is charged.
		if (this.closed) return '';
		const { type } = received;
		// A gateway that does not stream may send its response as one event.
		const isWhole = type === undefined && Array.isArray(received.output);
		const closing = isWhole ? received : asObject(received.response);
		if (type === 'error' || type === 'response.failed') throw failureOf(received, closing);
		if (closing) addMissing(this.head, closing);
		const usage = asObject(closing?.usage);
		if (usage) addFields(this.usage, usage);
		if (isWhole) this.closed = received;
		if (CLOSING.has(type) && closing) {
			// §3.3: the event says the status, too.
			const said = isUnfinished(closing) ? undefined : asText(closing.status);
			this.closed = { ...closing, status: said ?? CLOSING.get(type) };
		}
		if (this.closed) {
			addMissing(this.closed, this.head);
			if (Object.keys(this.usage).length > 0) this.closed.usage = this.usage;
		}
		// §6.1: the number shows duplicates and missing events.
		const number = asNumber(received.sequence_number);
		if (number !== undefined) {
			if (number <= this.lastNumber) return '';
			this.hasGap ||= number > (this.lastNumber < 0 ? this.unnumbered : this.lastNumber + 1);
			this.lastNumber = number;
		} else this.unnumbered += 1;
		return at(this.items, this.indexOf(received), () => new StreamedItem()).read(received);
	}

	/** The place of an item. Some servers send only its ID, or that with its first event. */
	private indexOf({ output_index: index, item_id: ofEvent, item }: JsonObject): number {
		const id = asId(ofEvent) ?? asId(asObject(item)?.id);
		const known = id === undefined ? this.lastIndex : this.indexes.get(id);
		this.lastIndex = asIndex(index) ?? known ?? this.indexes.size;
		if (id !== undefined) this.indexes.set(id, this.lastIndex);
		return this.lastIndex;
	}

	/** Complete after the closing event, unless something is missing that it does not repeat. */
	isComplete(): boolean {
		if (!this.closed) return false;
		if (!this.hasGap && ![...this.items.values()].some(({ isOpenCall }) => isOpenCall)) return true;
		const repeated = asObjects(this.closed.output);
		return repeated.some(hasContent) && contentIn(repeated) === contentIn(united(this.streamed(), repeated));
	}

	get isFinished(): boolean {
		return this.closed !== undefined;
	}

	/** What the closing event has counts, with what only the other events have. */
	body(): JsonObject {
		return { ...this.closed, output: united(this.streamed(), asObjects(this.closed?.output)) };
	}

	private streamed(): JsonObject[] {
		return byIndex(this.items).flatMap((item) => item.assembled());
	}
}

/** §6.1: a failure is free, unless it has a cost. That of a provider has no response, and may pass. */
function failureOf(received: JsonObject, response: JsonObject | undefined): ApiError {
	// Official clients also read the fields of the error at the top of the event.
	const error = asObject(response?.error) ?? asObject(received.error) ?? omit(received, 'type');
	const failure = generationError(error, readReceipt(response ?? {}, USAGE), true);
	if (failure.details.outcome === 'charged') return failure;
	const { code, chargeUnsaid } = failure.details;
	const meant = statusOf(code);
	const retryable = !response && (meant === undefined || policyOf({ code }, meant, 200).again);
	return failure.with({ outcome: 'rejected', ...(chargeUnsaid && { chargeUnsaid: false }), retryable });
}

/** The answer of a response: reasoning is none. */
function contentIn(items: readonly JsonObject[]): string {
	const answer = items.filter(({ type }) => type !== 'reasoning');
	return answer.map((item) => textIn(item) + textOf(item.arguments) + textOf(item.result)).join('');
}

function hasContent(item: JsonObject): boolean {
	return item.type !== 'message' || textIn(item) !== '';
}

type PartList = 'content' | 'summary' | 'thoughts' | 'call';

/** Where an item has its texts, by the names of the events that bring them, whole or in pieces. */
const TEXT_EVENTS: ReadonlyMap<string, readonly [list: PartList, type: string, field: string]> = new Map([
	['output_text', ['content', 'output_text', 'text']],
	['refusal', ['content', 'refusal', 'refusal']],
	['reasoning_summary_text', ['summary', 'summary_text', 'text']],
	['reasoning_text', ['thoughts', 'reasoning_text', 'text']],
	['function_call_arguments', ['call', 'arguments', 'arguments']],
] as const);

/** The lists of parts, by the names of the events that begin and end a part. */
const PARTS: ReadonlyMap<string, PartList> = new Map([
	['content_part', 'content'],
	['reasoning_summary_part', 'summary'],
] as const);

const CHUNKED: ReadonlySet<string> = new Set(['text', 'refusal', 'arguments']);

class StreamedItem {
	/** As it was added, and as it ended. */
	private added: JsonObject = {};
	private ended: JsonObject[] = [];
	/** What other events have of it: parts of a message, of reasoning, arguments of a tool call. */
	private readonly parts = new Map<PartList, Map<number, JsonObject>>();
	/** The parts that have a delta. */
	private readonly continued = new WeakSet<JsonObject>();
	isOpenCall = false;

	/** Returns the text that the event adds. */
	read(received: JsonObject): string {
		const [, name = '', step] = /^response\.(.+)\.(\w+)$/.exec(textOf(received.type)) ?? [];
		const [item, annotation] = [received.item, received.annotation].map(asObject);
		const [list, type, field] = TEXT_EVENTS.get(name) ?? [
			PARTS.get(name) ?? 'content',
			'output_text',
			'text',
		];
		const place = asIndex(received.content_index ?? received.summary_index) ?? 0;
		const id = asId(received.item_id);
		if (id !== undefined && asId(this.added.id) === undefined) this.added = { ...this.added, id };
		if (name === 'output_item' && item) this.readItem(item, step === 'added');
		if (name === 'image_generation_call') this.readImage(received);
		if (name === 'function_call_arguments' && step === 'done') this.isOpenCall = false;
		if (PARTS.has(name)) this.addPart(list, place, asObject(received.part));
		if (name === 'output_text.annotation' && annotation)
			addDelta(this.part(list, place, type), { annotations: [annotation] }, CHUNKED);
		if (!TEXT_EVENTS.has(name)) return '';
		const part = this.part(list, place, type);
		const whole = fieldOf(received, field);
		if (step === 'done' && replaces(fieldOf(part, field) ?? '', whole, field)) {
			setField(part, field, whole);
			this.continued.add(part);
		}
		const delta = step === 'delta' ? textOf(received.delta) : '';
		const shown = delta === '' ? '' : this.begun(part, field, delta) + delta;
		addDelta(part, { [field]: delta }, CHUNKED);
		return list === 'content' ? shown : '';
	}

	private readItem(item: JsonObject, isAdded: boolean): void {
		this.isOpenCall = isAdded && item.type === 'function_call';
		if (!isAdded) this.ended = united(this.ended, [item]);
		else {
			this.added = withLater(this.added, item);
			const { type, content, summary, arguments: args } = item;
			const lists: Array<[PartList, Json | undefined]> = [
				[type === 'reasoning' ? 'thoughts' : 'content', content],
				['summary', summary],
				['call', type === 'function_call' ? [{ type: 'arguments', arguments: args }] : []],
			];
			for (const [list, parts] of lists)
				for (const [place, part] of asObjects(parts).entries()) this.addPart(list, place, part);
		}
	}

	/** §6.1 shows no fields of this event: these are from the official client. */
	private readImage({ partial_image_b64: partial }: JsonObject): void {
		const image = { type: 'image_generation_call', partial_image_b64: partial };
		if (asText(partial) !== undefined) this.added = withLater(this.added, image);
	}

	private part(list: PartList, place: number, type: string): JsonObject {
		const parts = at(this.parts, list, () => new Map<number, JsonObject>());
		// A text and a refusal are two parts, also without a place.
		return at(parts, 2 * place + Number(type === 'refusal'), () => ({ type }));
	}

	private addPart(list: PartList, place: number, { type, ...part }: JsonObject = {}): void {
		if (Object.values(part).every((value) => isEmptyValue(value))) return;
		const isReasoning = list === 'content' && type === 'reasoning_text';
		const known = this.part(isReasoning ? 'thoughts' : list, place, asText(type) ?? 'output_text');
		for (const [name, value] of Object.entries(part))
			if (replaces(fieldOf(known, name) ?? '', value, name)) setField(known, name, value);
	}

	/** The text with which a part has begun, at its first delta. Some servers repeat it in the deltas. */
	private begun(part: JsonObject, field: string, delta: string): string {
		if (this.continued.has(part)) return '';
		this.continued.add(part);
		const text = textOf(fieldOf(part, field));
		const isRepeated = text.startsWith(delta) || delta.startsWith(text);
		if (isRepeated) setField(part, field, '');
		return isRepeated ? '' : text;
	}

	assembled(): JsonObject[] {
		const listed = (list: PartList) => unlessEmpty(byIndex(this.parts.get(list) ?? new Map()));
		const fields: Array<[type: string, fields: JsonObject]> = [
			['reasoning', compact({ summary: listed('summary'), content: listed('thoughts') })],
			['message', compact({ content: listed('content') })],
			['function_call', this.parts.has('call') ? { arguments: listed('call')?.[0]?.arguments } : {}],
		];
		const hasType = asText(this.added.type) !== undefined;
		const isOwn = (type: Json | undefined) => this.added.type === type;
		const found = fields.flatMap(([type, values]) => {
			if (Object.keys(values).length === 0) return [];
			return [{ ...(isOwn(type) || !hasType ? this.added : {}), type, ...compact(values) }];
		});
		const isFound = !hasType || found.some(({ type }) => isOwn(type));
		return united(isFound ? found : [this.added, ...found], this.ended);
	}
}
