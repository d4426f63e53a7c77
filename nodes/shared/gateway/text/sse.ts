/** The last data of a chat or responses stream (§6.1, §6.2). It is not JSON. */
export const DONE = '[DONE]';

/**
 * Incremental parser of `text/event-stream`. A chunk may end anywhere, also inside a character or a CRLF.
 * Lines end with LF, CRLF or CR. Reads only the data of events: their JSON repeats their names (§6.3).
 * Dispatches an event only at its blank line: a stream that breaks leaves no partial event.
 */
export class SseParser {
	private readonly decoder = new TextDecoder();
	private pending = '';
	private sawCr = false;
	private data: string | undefined;

	/** @param onData receives the `data:` lines of each event, joined by line feeds */
	constructor(private readonly onData: (data: string) => void) {}

	/** Of the event that has begun, in characters. */
	get length(): number {
		return this.pending.length + (this.data?.length ?? 0);
	}

	/** What has come of it. */
	get unread(): string {
		return [this.data, this.pending].filter(Boolean).join('\n');
	}

	push(bytes: Uint8Array): void {
		let text = this.decoder.decode(bytes, { stream: true });
		if (text === '') return;
		// The LF of a CRLF that is split between two chunks.
		if (this.sawCr && text.charCodeAt(0) === 0x0a) text = text.slice(1);
		this.sawCr = text.endsWith('\r');
		const lines = text.split(/\r\n|[\r\n]/);
		const unfinished = lines.pop() ?? '';
		for (const line of lines) this.endLine(line);
		this.pending += unfinished;
	}

	/** Dispatches a last event without a blank line, of a stream that ended properly. */
	end(): void {
		this.endLine('');
		this.dispatch();
	}

	private endLine(rest: string): void {
		const line = this.pending + rest;
		this.pending = '';
		if (line === '') return this.dispatch();
		if (line !== 'data' && !line.startsWith('data:')) return;
		const value = line.slice(line.charCodeAt(5) === 0x20 ? 6 : 5);
		this.data = this.data === undefined ? value : `${this.data}\n${value}`;
	}

	private dispatch(): void {
		const { data } = this;
		this.data = undefined;
		if (data !== undefined) this.onData(data);
	}
}
