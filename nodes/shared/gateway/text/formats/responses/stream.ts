import {
	asArray,
	asNumber,
	asObject,
	asObjects,
	omit,
	textOf,
	type Json,
	type JsonObject,
} from '../../../util/json';
import { generationError, readReceipt } from '../completion';
import { at, byIndex } from '../deltas';
import type { CompletionStream } from '../format';
import { USAGE } from './response';
import { StreamedItem } from './streamedItem';

/** The events that close a response (§3.3). */
const CLOSING: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete']);

/** The events whose text is shown while it arrives. */
const SHOWN: ReadonlySet<unknown> = new Set(['response.output_text.delta', 'response.refusal.delta']);

/** Assembles the events of a responses stream (§6.1) into a response object (§2.3). */
export class ResponsesStream implements CompletionStream {
	/** The response in the closing event. */
	private closed: JsonObject | undefined;
	private lastNumber = -1;
	private hasGap = false;
	private readonly items = new Map<number, StreamedItem>();

	read(received: JsonObject): string {
		// Events after the closing one cannot change a response that is charged.
		if (this.closed) return '';
		const { type } = received;
		const closing = asObject(received.response);
		const isRepeated = this.isRepeated(received.sequence_number);
		if (type === 'error' || type === 'response.failed') {
			// Official clients also read the fields of the error at the top of the event.
			const error = asObject(closing?.error) ?? asObject(received.error) ?? omit(received, 'type');
			// §6.1: a failure is free, unless it has a cost. That of a provider comes without a response, and may pass.
			const failure = generationError(error, readReceipt(closing ?? {}, USAGE));
			throw closing ? failure : failure.with({ retryable: true });
		}
		if (CLOSING.has(type)) this.closed = closing;
		// An event that ends the stream counts even if its number repeats.
		if (isRepeated) return '';
		const index = asNumber(received.output_index);
		if (index !== undefined) at(this.items, index, () => new StreamedItem()).read(received);
		return SHOWN.has(type) ? textOf(received.delta) : '';
	}

	/** §6.1: the sequence number shows duplicates and gaps. */
	private isRepeated(sequenceNumber: Json | undefined): boolean {
		const number = asNumber(sequenceNumber);
		if (number === undefined) return false;
		if (number <= this.lastNumber) return true;
		if (number > this.lastNumber + 1) this.hasGap = true;
		this.lastNumber = number;
		return false;
	}

	/** Whether the closing event has the output; some have none, or messages without their parts. */
	private get repeatsOutput(): boolean {
		const output = asObjects(this.closed?.output);
		const isWhole = ({ type, content }: JsonObject) => type !== 'message' || asArray(content).length > 0;
		return output.length > 0 && output.every(isWhole);
	}

	/** Complete after the closing event; if that has no output, only if no event and no tool's arguments are missing. */
	isComplete(): boolean {
		if (!this.closed) return false;
		if (this.repeatsOutput) return true;
		return !this.hasGap && ![...this.items.values()].some((item) => item.lacksArguments());
	}

	get isFinished(): boolean {
		return this.closed !== undefined;
	}

	body(): JsonObject {
		const closed = this.closed ?? {};
		if (this.repeatsOutput) return closed;
		const items = byIndex(this.items).map((item) => item.assembled());
		// An item with unknown events only is empty.
		const output = items.filter((item) => Object.keys(item).length > 0);
		return { ...closed, output: output.length > 0 ? output : asArray(closed.output) };
	}
}
