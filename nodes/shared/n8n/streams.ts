import type { IExecuteFunctions } from 'n8n-workflow';

/** Node's `Readable`, as n8n returns it. */
export type Readable = Awaited<ReturnType<IExecuteFunctions['helpers']['getBinaryStream']>>;

interface Emitter {
	on?(event: 'error', listener: () => void): unknown;
}

/**
 * Adds a listener for errors to a stream, and returns the stream. Its reader still gets errors, but a stream may
 * fail before or after it is read, and an error without a listener ends the process.
 */
export function ignoreErrors<S extends object>(stream: S): S {
	(stream as Emitter).on?.('error', () => undefined);
	return stream;
}

/**
 * A stream of chunks made from another stream, which is destroyed with it. Node's own `compose` leaves its source
 * open when the result is destroyed, or throws an error that cannot be caught (seen in Node 20).
 */
export function deriveStream(
	source: Readable,
	chunks: (source: Readable) => AsyncGenerator<Uint8Array, void>,
): Readable {
	const made = ignoreErrors(streamClassOf(source).from(chunks(source)));
	destroyTogether(made, source);
	return made;
}

/** The same chunks, each reported when it is read. */
export function reportChunks(source: Readable, onChunk: (chunk: Uint8Array) => void): Readable {
	return deriveStream(source, async function* (chunks: AsyncIterable<Uint8Array>) {
		for await (const chunk of chunks) {
			onChunk(chunk);
			yield chunk;
		}
	});
}

/** The `Readable` class, taken from a stream: n8n offers no other way to get it. */
interface StreamClass {
	from(chunks: AsyncIterable<Uint8Array>): Readable;
}

function streamClassOf({ constructor }: { constructor: object }): StreamClass {
	if (isStreamClass(constructor)) return constructor;
	throw new Error('The file is not one of Node’s streams');
}

function isStreamClass(value: object): value is StreamClass {
	return 'from' in value && typeof value.from === 'function';
}

/**
 * Destroys a source with the stream that is made from it, also while that stream waits for it. Errors of the
 * source are ignored.
 */
export function destroyTogether(made: Readable, source: Readable): void {
	ignoreErrors(source);
	if (made.destroyed) source.destroy();
	const destroy = made.destroy.bind(made);
	// The 'close' event would come too late: it waits for the chunk that is being read.
	made.destroy = (error) => {
		source.destroy();
		return destroy(error);
	};
}
