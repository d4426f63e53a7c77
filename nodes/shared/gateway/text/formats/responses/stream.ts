import {
	asArray,
	asNumber,
	asObject,
	asObjects,
	deepMerge,
	omit,
	textOf,
	type JsonObject,
} from '../../../util/json';
import { generationError, readReceipt } from '../completion';
import { byIndex } from '../deltas';
import type { CompletionStream } from '../format';
import { USAGE } from './response';

const CLOSING: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete']);

/** Assembles the events of a responses stream (§6.1) into a response object (§2.3). */
export class ResponsesStream implements CompletionStream {
	private closed: JsonObject | undefined;
	private lastNumber = -1;
	private hasGap = false;
	private text = '';
	private refusal = '';
	/** The items of the output that have ended, and the tool calls that have not. */
	private readonly items = new Map<number, JsonObject>();
	private readonly openCalls = new Set<number>();

	read(received: JsonObject): string {
		// Events after the closing one cannot change a response that is charged.
		if (this.closed) return '';
		const { type } = received;
		const closing = asObject(received.response);
		if (type === 'error' || type === 'response.failed') {
			// Official clients also read the fields of the error at the top of the event.
			const error = asObject(closing?.error) ?? asObject(received.error) ?? omit(received, 'type');
			// §6.1: a failure is free, unless it has a cost. That of a provider has no response, and may pass.
			const failure = generationError(error, readReceipt(closing ?? {}, USAGE));
			throw closing ? failure : failure.with({ retryable: true });
		}
		// §3.3: the event says the status, too.
		if (CLOSING.has(type) && closing)
			this.closed = deepMerge({ status: textOf(type).replace('response.', '') }, closing, 'ignore');
		// §6.1: the number shows duplicates and missing events.
		const number = asNumber(received.sequence_number);
		if (number !== undefined) {
			if (number <= this.lastNumber) return '';
			this.hasGap ||= number > this.lastNumber + 1;
			this.lastNumber = number;
		}
		const index = asNumber(received.output_index) ?? 0;
		const item = asObject(received.item);
		if (type === 'response.output_item.added' && item?.type === 'function_call') this.openCalls.add(index);
		if (type === 'response.output_item.done' && item) {
			this.items.set(index, item);
			this.openCalls.delete(index);
		}
		const delta = textOf(received.delta);
		if (type === 'response.output_text.delta') this.text += delta;
		else if (type === 'response.refusal.delta') this.refusal += delta;
		else return '';
		return delta;
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
		const output = repeated.length > 0 ? repeated : byIndex(this.items);
		const hasText = ({ type, content }: JsonObject) => type === 'message' && asArray(content).length > 0;
		const { text, refusal } = this;
		if (text + refusal === '' || output.some(hasText)) return { ...this.closed, output };
		const message = {
			type: 'message',
			content: [
				{ type: 'output_text', text },
				{ type: 'refusal', refusal },
			],
		};
		return { ...this.closed, output: [...output.filter(({ type }) => type !== 'message'), message] };
	}
}
