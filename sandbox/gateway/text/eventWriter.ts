import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

export interface WriterOptions {
	splitBytes?: number | undefined;
	crlf?: boolean | undefined;
	/** The connection is cut after this many bytes. */
	cutAfterBytes?: number | undefined;
	cut: () => void;
}

export class EventWriter {
	private written = 0;

	constructor(
		private readonly response: ServerResponse,
		private readonly options: WriterOptions,
	) {
		response.on('error', () => undefined);
	}

	get gone(): boolean {
		return this.response.destroyed || (this.response.socket?.destroyed ?? true);
	}

	/** One frame: its lines, and the empty line after them. */
	async frame(...lines: string[]): Promise<void> {
		const newline = this.options.crlf ? '\r\n' : '\n';
		await this.write(Buffer.from(`${lines.join(newline)}${newline}${newline}`));
	}

	end(): void {
		this.response.end();
	}

	private async write(bytes: Buffer): Promise<void> {
		const { cutAfterBytes, splitBytes, cut } = this.options;
		const room = cutAfterBytes === undefined ? bytes.length : cutAfterBytes - this.written;
		const part = bytes.subarray(0, Math.max(0, room));
		const step = splitBytes && splitBytes > 0 ? splitBytes : part.length;
		for (let start = 0; start < part.length && !this.gone; start += step) {
			await this.put(part.subarray(start, start + step), step < part.length);
		}
		this.written += part.length;
		if (room >= bytes.length) return;
		await new Promise((resolve) => setTimeout(resolve, 20));
		cut();
	}

	private async put(bytes: Buffer, apart: boolean): Promise<void> {
		const flushed = this.response.write(bytes);
		// An iteration of the event loop between the chunks keeps them in separate packets.
		if (apart) await new Promise((resolve) => setImmediate(resolve));
		if (flushed || this.gone) return;
		const waiting = new AbortController();
		const { signal } = waiting;
		await Promise.race([
			once(this.response, 'drain', { signal }),
			once(this.response, 'close', { signal }),
		]).finally(() => waiting.abort());
	}
}
