import type { IExecuteFunctions } from 'n8n-workflow';

import type { ByteStream } from '../gateway/client/transport';

/** Node's `Readable`, as n8n returns it. */
export type Readable = Awaited<ReturnType<IExecuteFunctions['helpers']['getBinaryStream']>>;

interface Emitter {
	on(event: 'error', listener: () => void): unknown;
}

interface StreamClass {
	from(chunks: AsyncIterable<Uint8Array>): Readable;
}

/** An error without a listener ends the process, also before or after a stream is read. Its reader still gets errors. */
export function ignoreErrors<S extends object>(stream: S): S {
	(stream as Emitter).on('error', () => undefined);
	return stream;
}

/** Node's `compose` leaves its source open when the result is destroyed, or throws what nobody can catch (Node 20). */
function deriveStream(
	source: ByteStream,
	chunks: (source: ByteStream) => AsyncGenerator<Uint8Array, void>,
): Readable {
	// The class `Readable`, found through the stream: n8n offers no other way to get it.
	const streamClass: object = source.constructor;
	const made = ignoreErrors((streamClass as StreamClass).from(chunks(source)));
	destroyTogether(made, source);
	return made;
}

export function reportChunks(source: ByteStream, onChunk: (chunk: Uint8Array) => void): Readable {
	return deriveStream(source, async function* (chunks: AsyncIterable<Uint8Array>) {
		for await (const chunk of chunks) {
			onChunk(chunk);
			yield chunk;
		}
	});
}

/** Calls `action` when a stream is destroyed. Its 'close' event comes later: it waits for the chunk that is being read. */
export function whenDestroyed(stream: ByteStream, action: () => unknown): void {
	const destroy = stream.destroy.bind(stream);
	stream.destroy = (error) => {
		const destroyed = destroy(error);
		action();
		return destroyed;
	};
}

/** Destroys a source with the stream that is made from it. Errors of the source are ignored. */
function destroyTogether(made: Readable, source: ByteStream): ByteStream {
	ignoreErrors(source);
	if (made.destroyed) source.destroy();
	whenDestroyed(made, () => source.destroy());
	return source;
}

/** The content of a file: its bytes, or what opens it, once for each time that it is read. */
export type FileContent = Uint8Array | (() => Promise<Readable>);

/** Opens a body that consists of bytes and files. Files are read, and each encoded, chunk by chunk, one after the other. */
export async function openBody(
	parts: readonly FileContent[],
	encode: (file: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array> = (file) => file,
): Promise<ByteStream | Uint8Array> {
	const first = parts.find((part) => typeof part === 'function');
	if (!first) return Buffer.concat(parts.filter((part) => typeof part === 'object'));
	const body = deriveStream(await first(), async function* (source: AsyncIterable<Uint8Array>) {
		for (const part of parts) {
			if (typeof part === 'object') yield part;
			else if (part === first) yield* encode(source);
			else yield* encode(destroyTogether(body, await part()));
		}
	});
	return body;
}
