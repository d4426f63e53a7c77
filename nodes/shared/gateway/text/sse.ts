/** One server-sent event. */
export interface ServerSentEvent {
	/** The `event:` line; `undefined` when there was none. */
	event?: string;
	/** The `data:` lines, joined by line feeds. */
	data: string;
}

/** What a parser does with events, and how long they may be. */
export interface SseParserOptions {
	onEvent: (event: ServerSentEvent) => void;
	/** Limit of an unfinished line and of the data of an event, in characters. Default: 16 Mi. */
	maxLength?: number;
}

/** A line or an event of a stream exceeds the limit. */
export class SseTooLong extends Error {
	override readonly name = 'SseTooLong';

	constructor(readonly maxLength: number) {
		super(`A server-sent event is longer than ${maxLength} characters`);
	}
}

const DEFAULT_MAX_LENGTH = 16 * 1024 * 1024;

/** The last data of a chat or responses stream (§6.1, §6.2). It is not JSON. */
export const DONE = '[DONE]';

/**
 * Incremental parser of `text/event-stream`. A chunk may end anywhere, also inside a character or a CRLF. Lines end
 * with LF, CRLF or CR. Ignores comments and unknown fields. Dispatches an event only at its blank line: a stream that
 * breaks leaves no partial event.
 */
export class SseParser {
	private readonly decoder = new TextDecoder();
	private readonly onEvent: (event: ServerSentEvent) => void;
	private readonly maxLength: number;
	/** The chunks of the unfinished line: joined once, so that a long line costs linear time. */
	private pending: string[] = [];
	private pendingLength = 0;
	private sawCr = false;
	private eventName: string | undefined;
	private data: string | undefined;

	constructor(options: SseParserOptions) {
		this.onEvent = options.onEvent;
		this.maxLength = options.maxLength ?? DEFAULT_MAX_LENGTH;
	}

	/**
	 * Parses the next bytes of the stream.
	 *
	 * @throws {SseTooLong} if a line or an event exceeds the limit
	 */
	push(bytes: Uint8Array): void {
		let text = this.decoder.decode(bytes, { stream: true });
		if (text === '') return;
		// The LF of a CRLF that is split between two chunks.
		if (this.sawCr && text.charCodeAt(0) === 0x0a) text = text.slice(1);
		this.sawCr = false;
		this.readLines(text);
	}

	/**
	 * Dispatches a last event without a blank line. Only for a stream that ended properly: a broken one may end in the
	 * middle of a line.
	 */
	end(): void {
		this.endLine('');
		this.dispatch();
	}

	private readLines(text: string): void {
		let start = 0;
		let cr = text.indexOf('\r');
		let lf = text.indexOf('\n');
		while (cr !== -1 || lf !== -1) {
			const end = cr === -1 || (lf !== -1 && lf < cr) ? lf : cr;
			this.endLine(text.slice(start, end));
			start = end + 1;
			if (end === cr) {
				if (start === text.length) this.sawCr = true;
				else if (lf === start) start += 1;
				cr = text.indexOf('\r', start);
			}
			if (lf !== -1 && lf < start) lf = text.indexOf('\n', start);
		}
		if (start < text.length) this.keep(text.slice(start));
	}

	private keep(chunk: string): void {
		this.pending.push(chunk);
		this.pendingLength += chunk.length;
		if (this.pendingLength > this.maxLength) throw new SseTooLong(this.maxLength);
	}

	private endLine(rest: string): void {
		if (this.pendingLength === 0) return this.readLine(rest);
		this.pending.push(rest);
		const line = this.pending.join('');
		this.pending = [];
		this.pendingLength = 0;
		this.readLine(line);
	}

	private readLine(line: string): void {
		if (line === '') return this.dispatch();
		const colon = line.indexOf(':');
		const field = colon === -1 ? line : line.slice(0, colon);
		if (field !== 'data' && field !== 'event') return;
		const value = colon === -1 ? '' : line.slice(line.charCodeAt(colon + 1) === 0x20 ? colon + 2 : colon + 1);
		if (field === 'event') this.eventName = value;
		else this.addData(value);
	}

	private addData(value: string): void {
		this.data = this.data === undefined ? value : `${this.data}\n${value}`;
		if (this.data.length > this.maxLength) throw new SseTooLong(this.maxLength);
	}

	private dispatch(): void {
		const { data, eventName } = this;
		this.data = undefined;
		this.eventName = undefined;
		if (data === undefined) return;
		this.onEvent(eventName ? { event: eventName, data } : { data });
	}
}
