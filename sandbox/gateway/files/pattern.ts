/** Bytes that are generated while they are sent: files of any size without disk or memory. */
import { Readable } from 'node:stream';

const block = Buffer.alloc(64 * 1024, 'The quick brown fox jumps over the lazy dog. ');

export function patternStream(size: number): Readable {
	return Readable.from(blocks(size));
}

function* blocks(size: number): Generator<Buffer> {
	for (let rest = size; rest > 0; rest -= block.length) yield block.subarray(0, rest);
}
