import {
	asArray,
	asNumber,
	asObject,
	asObjects,
	deepMerge,
	omit,
	textOf,
	type Json,
	type JsonObject,
} from '../../../util/json';
import { generationError, readReceipt, unlessEmpty } from '../completion';
import { addDelta, addMissing, at, byIndex } from '../deltas';
import type { CompletionStream } from '../format';
import { USAGE } from './response';

const CLOSING: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete']);

/** Assembles the events of a responses stream (§6.1) into a response object (§2.3). */
export class ResponsesStream implements CompletionStream {
	private closed: JsonObject | undefined;
	/** The response of the events before. */
	private readonly head: JsonObject = {};
	private lastNumber = -1;
	private hasGap = false;
	/** The items of the output, by their index: as they were added, and as they ended. */
	private readonly items = new Map<number, JsonObject>();
	private readonly openCalls = new Set<number>();
	/** What other events have of the items: parts of messages, summaries of reasoning, arguments of tool calls. */
	private readonly contents = new Map<number, Map<number, JsonObject>>();
	private readonly summaries = new Map<number, Map<number, JsonObject>>();
	private readonly calls = new Map<number, JsonObject>();

	read(received: JsonObject): string {
		// Events after the closing one cannot change a response that is charged.
		if (this.closed) return '';
		const { type } = received;
		// A gateway that does not stream may send its response as one event.
		const isWhole = type === undefined && Array.isArray(received.output);
		const closing = isWhole ? received : asObject(received.response);
		if (type === 'error' || type === 'response.failed') {
			// Official clients also read the fields of the error at the top of the event.
			const error = asObject(closing?.error) ?? asObject(received.error) ?? omit(received, 'type');
			// §6.1: a failure is free, unless it has a cost. That of a provider has no response, and may pass.
			const failure = generationError(error, readReceipt(closing ?? {}, USAGE));
			throw closing ? failure : failure.with({ retryable: true });
		}
		// §3.3: the event says the status, too.
		if (closing) addMissing(this.head, closing);
		if (isWhole) this.closed = received;
		if (CLOSING.has(type) && closing)
			this.closed = deepMerge({ status: textOf(type).replace('response.', '') }, closing, 'ignore');
		if (this.closed) addMissing(this.closed, this.head);
		// §6.1: the number shows duplicates and missing events.
		const number = asNumber(received.sequence_number);
		if (number !== undefined) {
			if (number <= this.lastNumber) return '';
			this.hasGap ||= number > this.lastNumber + 1;
			this.lastNumber = number;
		}
		return this.readContent(received);
	}

	/** Returns the text that the event adds. */
	private readContent(received: JsonObject): string {
		const index = asNumber(received.output_index) ?? 0;
		const item = asObject(received.item);
		const delta = textOf(received.delta);
		const part = (type: string) => {
			const parts = at(this.contents, index, () => new Map<number, JsonObject>());
			return at(parts, asNumber(received.content_index) ?? 0, () => ({ type }));
		};
		const summary = () => {
			const parts = at(this.summaries, index, () => new Map<number, JsonObject>());
			return at(parts, asNumber(received.summary_index) ?? 0, () => ({ type: 'summary_text' }));
		};
		const call = () => at(this.calls, index, () => ({}));
		switch (received.type) {
			case 'response.output_item.added':
				if (item?.type === 'function_call') this.openCalls.add(index);
				if (item) this.items.set(index, item);
				return '';
			case 'response.output_item.done':
				if (item) this.items.set(index, item);
				if (item) this.openCalls.delete(index);
				return '';
			case 'response.content_part.done':
				Object.assign(part('output_text'), withoutEmpty(asObject(received.part) ?? {}));
				return '';
			case 'response.output_text.delta':
				addDelta(part('output_text'), { text: delta }, CHUNKED);
				return delta;
			case 'response.output_text.done':
				if (received.text) Object.assign(part('output_text'), { text: received.text });
				return '';
			case 'response.output_text.annotation.added':
				addDelta(part('output_text'), { annotations: [received.annotation ?? null] }, CHUNKED);
				return '';
			case 'response.refusal.delta':
				addDelta(part('refusal'), { refusal: delta }, CHUNKED);
				return delta;
			case 'response.refusal.done':
				if (received.refusal) Object.assign(part('refusal'), { refusal: received.refusal });
				return '';
			case 'response.function_call_arguments.delta':
				addDelta(call(), { arguments: delta }, CHUNKED);
				return '';
			case 'response.function_call_arguments.done':
				if (received.arguments) Object.assign(call(), { arguments: received.arguments });
				this.openCalls.delete(index);
				return '';
			case 'response.reasoning_summary_text.delta':
				addDelta(summary(), { text: delta }, CHUNKED);
				return '';
			case 'response.reasoning_summary_text.done':
				if (received.text) Object.assign(summary(), { text: received.text });
				return '';
			default:
				return '';
		}
	}

	/** Complete after the closing event. Some have no output: then no event and no tool call may be missing. */
	isComplete(): boolean {
		const hasOutput = asArray(this.closed?.output).length > 0;
		return this.isFinished && (hasOutput || (!this.hasGap && this.openCalls.size === 0));
	}

	get isFinished(): boolean {
		return this.closed !== undefined;
	}

	/** Where the closing event has no output, or no text, it is that of the other events. */
	body(): JsonObject {
		const repeated = asObjects(this.closed?.output);
		const streamed = this.streamed();
		if (repeated.length === 0) return { ...this.closed, output: streamed };
		const hasText = ({ type, content }: JsonObject) => type === 'message' && asArray(content).length > 0;
		if (repeated.some(hasText) || !streamed.some(hasText)) return { ...this.closed, output: repeated };
		const messages = streamed.filter(hasText);
		return { ...this.closed, output: [...repeated.filter(({ type }) => type !== 'message'), ...messages] };
	}

	/** The items, completed by what other events have of them. */
	private streamed(): JsonObject[] {
		const indexes = new Set(
			[this.items, this.contents, this.summaries, this.calls].flatMap((all) => [...all.keys()]),
		);
		return [...indexes]
			.sort((a, b) => a - b)
			.flatMap((index) => {
				const [content, summary] = [this.contents, this.summaries].map((all) =>
					byIndex(all.get(index) ?? new Map()),
				);
				const item = this.items.get(index) ?? {};
				const call = this.calls.get(index);
				const parts: Array<[type: string, field: string, value: Json | undefined]> = [
					['reasoning', 'summary', unlessEmpty(summary ?? [])],
					['message', 'content', unlessEmpty(content ?? [])],
					['function_call', 'arguments', call?.arguments],
				];
				const found = parts.flatMap(([type, field, value]) => {
					const own = item.type === type ? item : {};
					const isThere = asArray(own[field]).length > 0 || textOf(own[field]) !== '';
					return value === undefined || isThere ? [] : [{ ...own, type, [field]: value }];
				});
				const isReplaced = item.type === undefined || found.some(({ type }) => type === item.type);
				return isReplaced ? found : [item, ...found];
			});
	}
}

/** An event may leave out what those before it had. */
function withoutEmpty(part: JsonObject): JsonObject {
	const isEmpty = (value: Json = null) =>
		value === null || value === '' || (Array.isArray(value) && value.length === 0);
	return Object.fromEntries(Object.entries(part).filter(([, value]) => !isEmpty(value)));
}

/** The fields of parts that arrive in pieces. */
const CHUNKED: ReadonlySet<string> = new Set(['text', 'refusal', 'arguments']);
