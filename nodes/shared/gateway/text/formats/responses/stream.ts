import { policyOf, statusOf } from '../../../errors/policy';
import {
	asArray,
	asIndex,
	asNumber,
	asObject,
	asObjects,
	at,
	fieldOf,
	omit,
	setField,
	textOf,
	type Json,
	type JsonObject,
} from '../../../util/json';
import { generationError, readReceipt } from '../completion';
import { addDelta, addFields, addMissing, byIndex } from '../deltas';
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
	private readonly items = new Map<number, StreamedItem>();

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
			const failure = generationError(error, readReceipt(closing ?? {}, USAGE), true);
			if (failure.details.outcome === 'charged') throw failure;
			// §6.1: a failure is free, unless it has a cost. That of a provider has no response, and may pass.
			const { code, chargeUnsaid } = failure.details;
			const meant = statusOf(code);
			const retryable = !closing && (meant === undefined || policyOf({ code }, meant, 200).again);
			throw failure.with({ outcome: 'rejected', ...(chargeUnsaid && { chargeUnsaid: false }), retryable });
		}
		// §3.3: the event says the status, too.
		if (closing) addMissing(this.head, closing);
		if (isWhole) this.closed = received;
		if (CLOSING.has(type) && closing) {
			this.closed = { status: textOf(type).replace('response.', '') };
			addFields(this.closed, closing);
		}
		if (this.closed) addMissing(this.closed, this.head);
		// §6.1: the number shows duplicates and missing events.
		const number = asNumber(received.sequence_number);
		if (number !== undefined) {
			if (number <= this.lastNumber) return '';
			this.hasGap ||= number > this.lastNumber + 1;
			this.lastNumber = number;
		}
		const index = asIndex(received.output_index) ?? 0;
		return at(this.items, index, () => new StreamedItem()).read(received);
	}

	/** Complete after the closing event. Some have no output: then no event and no tool call may be missing. */
	isComplete(): boolean {
		const hasOutput = asArray(this.closed?.output).length > 0;
		const isWhole = !this.hasGap && ![...this.items.values()].some(({ isOpenCall }) => isOpenCall);
		return this.isFinished && (hasOutput || isWhole);
	}

	get isFinished(): boolean {
		return this.closed !== undefined;
	}

	/** Where the closing event has no output, or no text, it is that of the other events. */
	body(): JsonObject {
		const repeated = asObjects(this.closed?.output);
		const streamed = byIndex(this.items).flatMap((item) => item.assembled());
		if (repeated.length === 0) return { ...this.closed, output: streamed };
		const hasText = ({ type, content }: JsonObject) => type === 'message' && asArray(content).length > 0;
		if (repeated.some(hasText) || !streamed.some(hasText)) return { ...this.closed, output: repeated };
		const messages = streamed.filter(hasText);
		return { ...this.closed, output: [...repeated.filter(({ type }) => type !== 'message'), ...messages] };
	}
}

type Place = readonly [list: 'content' | 'summary' | 'call', type: string, field: string];

/** Where an item has its texts, by the names of the events that bring them, whole or in pieces. */
const TEXTS: ReadonlyMap<string, Place> = new Map<string, Place>([
	['output_text', ['content', 'output_text', 'text']],
	['refusal', ['content', 'refusal', 'refusal']],
	['reasoning_summary_text', ['summary', 'summary_text', 'text']],
	['function_call_arguments', ['call', 'arguments', 'arguments']],
]);

const CHUNKED: ReadonlySet<string> = new Set(['text', 'refusal', 'arguments']);

class StreamedItem {
	/** As it was added, or as it ended. */
	private own: JsonObject = {};
	/** What other events have of it: parts of a message, summaries of reasoning, arguments of a tool call. */
	private readonly content = new Map<number, JsonObject>();
	private readonly summary = new Map<number, JsonObject>();
	private readonly call = new Map<number, JsonObject>();
	isOpenCall = false;

	/** Returns the text that the event adds. */
	read(received: JsonObject): string {
		const [, name = '', step] = /^response\.(.+)\.(\w+)$/.exec(textOf(received.type)) ?? [];
		const { content_index, summary_index, annotation = null } = received;
		const [list, type, field] = TEXTS.get(name) ?? ['content', 'output_text', 'text'];
		const part = () => at(this[list], asIndex(content_index ?? summary_index) ?? 0, () => ({ type }));
		const item = asObject(received.item);
		if (name === 'output_item' && item) {
			this.own = item;
			this.isOpenCall = step === 'added' && item.type === 'function_call';
		}
		if (name === 'function_call_arguments' && step === 'done') this.isOpenCall = false;
		if (name === 'content_part' && step === 'done')
			// An event may leave out what those before it had.
			for (const [key, value] of Object.entries(asObject(received.part) ?? {}))
				if (!isEmpty(value)) setField(part(), key, value);
		if (name === 'output_text.annotation') addDelta(part(), { annotations: [annotation] }, CHUNKED);
		if (!TEXTS.has(name)) return '';
		const whole = fieldOf(received, field);
		if (step === 'done' && whole) setField(part(), field, whole);
		if (step !== 'delta') return '';
		const delta = textOf(received.delta);
		addDelta(part(), { [field]: delta }, CHUNKED);
		return list === 'content' ? delta : '';
	}

	assembled(): JsonObject[] {
		const fields: Array<[type: string, field: string, value: Json | undefined]> = [
			['reasoning', 'summary', byIndex(this.summary)],
			['message', 'content', byIndex(this.content)],
			['function_call', 'arguments', this.call.get(0)?.arguments],
		];
		const found = fields.flatMap(([type, field, value]) => {
			const own = this.own.type === type ? this.own : {};
			return isEmpty(value) || !isEmpty(fieldOf(own, field)) ? [] : [{ ...own, type, [field]: value }];
		});
		const isReplaced = this.own.type === undefined || found.some(({ type }) => type === this.own.type);
		return isReplaced ? found : [this.own, ...found];
	}
}

function isEmpty(value: Json = null): boolean {
	return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}
