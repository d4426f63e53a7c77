import { asArray, asText, mergeKnown, type JsonObject } from '../../../util/json';
import { generationError, isCharged, type Charge } from '../completion';
import type { CompletionStream } from '../format';
import { TextBuffer } from '../textBuffer';
import { readCharge } from './response';
import { response, responsesEvent, type ResponsesEvent } from './types';

/** The events that close a response (§3.3). */
const CLOSING: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete']);

/** The events whose text is shown while it arrives. */
const SHOWN: ReadonlySet<unknown> = new Set(['response.output_text.delta', 'response.refusal.delta']);

/** Assembles the events of a responses stream (§6.1) into a response object (§2.3). */
export class ResponsesStream implements CompletionStream {
	/** The response in the closing event. */
	private closed: JsonObject | undefined;
	/** The response in the event of a failure; empty for an error event. */
	private failed: JsonObject | undefined;
	private lastNumber = -1;
	private hasGap = false;
	private readonly items = new Map<number, StreamedItem>();

	read(received: JsonObject): string {
		// Events after the closing one cannot change a response that is charged.
		if (this.closed) return '';
		const event = responsesEvent(received);
		const { type, response: closing } = event;
		const isRepeated = this.isRepeated(event);
		if (type === 'error' || type === 'response.failed') {
			this.failed = closing ?? {};
			// Official clients also read the fields of the error at the top of the event.
			throw generationError(response(closing).error ?? event.error ?? received);
		}
		if (CLOSING.has(type)) this.closed = closing;
		// An event that ends the stream counts even if its number repeats.
		if (isRepeated) return '';
		this.readItemEvent(event);
		return SHOWN.has(type) ? (asText(event.delta) ?? '') : '';
	}

	/** §6.1: the sequence number shows duplicates and gaps. */
	private isRepeated({ sequence_number: number }: ResponsesEvent): boolean {
		if (number === undefined) return false;
		if (number <= this.lastNumber) return true;
		if (number > this.lastNumber + 1) this.hasGap = true;
		this.lastNumber = number;
		return false;
	}

	private readItemEvent(event: ResponsesEvent): void {
		const index = event.output_index;
		if (index === undefined) return;
		const item = this.items.get(index) ?? new StreamedItem();
		this.items.set(index, item);
		item.read(event);
	}

	/** Complete after the closing event; if that has no output, only if no event is missing. */
	isComplete(): boolean {
		if (!this.closed) return false;
		return asArray(this.closed.output).length > 0 || !this.hasGap;
	}

	isFinished(): boolean {
		return this.closed !== undefined;
	}

	/** §6.1: a failure is free, unless it has a cost. After any other end, the event that charges may be lost. */
	mayBeCharged(): boolean {
		return !this.failed || isCharged(readCharge(this.failed));
	}

	charge(): Charge | undefined {
		const response = this.closed ?? this.failed;
		return response && readCharge(response);
	}

	body(): JsonObject {
		const closed = this.closed ?? {};
		if (asArray(closed.output).length > 0) return closed;
		const items = [...this.items].sort(([a], [b]) => a - b);
		const output = items.map(([, item]) => item.assembled());
		// An item with unknown events only is empty.
		return { ...closed, output: output.filter((item) => Object.keys(item).length > 0) };
	}
}

/** An output item, for responses whose closing event does not repeat the output. */
class StreamedItem {
	private item: JsonObject = {};
	private isDone = false;
	/** The texts of each kind, by the index of their part. */
	private readonly parts = new Map<string, Map<number, TextBuffer>>();

	read(event: ResponsesEvent): void {
		switch (event.type) {
			case 'response.output_item.added':
				this.item = event.item ?? {};
				break;
			case 'response.output_item.done':
				this.item = event.item ?? this.item;
				this.isDone = true;
				break;
			case 'response.output_text.delta':
				this.part('text', event.content_index).add(event.delta);
				break;
			case 'response.refusal.delta':
				this.part('refusal', event.content_index).add(event.delta);
				break;
			case 'response.reasoning_summary_text.delta':
				this.part('summary', event.summary_index).add(event.delta);
				break;
			case 'response.function_call_arguments.delta':
				this.part('arguments', 0).add(event.delta);
				break;
			default:
		}
	}

	private part(kind: string, index = 0): TextBuffer {
		const ofKind = this.parts.get(kind) ?? new Map<number, TextBuffer>();
		const known = ofKind.get(index) ?? new TextBuffer();
		this.parts.set(kind, ofKind.set(index, known));
		return known;
	}

	/** The item of its last event; before that, assembled from its deltas. */
	assembled(): JsonObject {
		if (this.isDone) return this.item;
		const texts = (kind: string) => [...(this.parts.get(kind)?.values() ?? [])].map((part) => part.text());
		const content = [
			...texts('text').map((text) => ({ type: 'output_text', text, annotations: [] })),
			...texts('refusal').map((refusal) => ({ type: 'refusal', refusal })),
		];
		const [args] = texts('arguments');
		const summary = texts('summary').map((text) => ({ type: 'summary_text', text }));
		const kind = {
			...(content.length > 0 ? { type: 'message' } : {}),
			...(summary.length > 0 ? { type: 'reasoning' } : {}),
			...(args === undefined ? {} : { type: 'function_call' }),
		};
		return {
			...mergeKnown(kind, this.item),
			...(content.length > 0 ? { content } : {}),
			...(args === undefined ? {} : { arguments: args }),
			...(summary.length > 0 ? { summary } : {}),
		};
	}
}
