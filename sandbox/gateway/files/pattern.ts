/** Bytes that are generated while they are sent: files of any size without disk or memory. */
import { Readable } from 'node:stream';

const block = Buffer.alloc(64 * 1024, 'The quick brown fox jumps over the lazy dog. ');

export function patternStream(size: number): Readable {
	let sent = 0;
	return new Readable({
		highWaterMark: block.length,
		read() {
			const rest = size - sent;
			if (rest <= 0) {
				this.push(null);
				return;
			}
			const chunk = rest >= block.length ? block : block.subarray(0, rest);
			sent += chunk.length;
			this.push(chunk);
		},
	});
}
