import type { IExecuteFunctions } from 'n8n-workflow';

/** Node's stream, as n8n gives it. */
export type Readable = Awaited<ReturnType<IExecuteFunctions['helpers']['getBinaryStream']>>;

/** Node's stream, as far as it is listened to here. */
interface Emitter {
	on?(event: 'error', listener: () => void): unknown;
}

/**
 * The same stream, whose errors may go unheard. Whoever reads it gets them by reading; but it may break before anybody
 * does, or when nobody does any more, and an error that nobody hears would end n8n.
 */
export function ignoreErrors<S extends object>(stream: S): S {
	(stream as Emitter).on?.('error', () => undefined);
	return stream;
}

/**
 * A stream of the portions that are made from another one, which is closed with it. Node's own `compose` leaves its
 * source open when what it made is given up, or throws an error that nobody can hear (seen in Node 20).
 */
export function deriveStream(
	source: Readable,
	chunks: (source: Readable) => AsyncGenerator<Uint8Array, void>,
): Readable {
	const made = ignoreErrors(streamClassOf(source).from(chunks(source)));
	destroyTogether(made, source);
	return made;
}

/** Node's class of streams, to which n8n gives no other way. */
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

/** Closes a source with the stream that is made from it, also while that waits for it. Its errors may go unheard, too. */
export function destroyTogether(made: Readable, source: Readable): void {
	ignoreErrors(source);
	if (made.destroyed) source.destroy();
	const destroy = made.destroy.bind(made);
	// Its 'close' event would come too late: it waits for the portion that is asked for.
	made.destroy = (error) => {
		source.destroy();
		return destroy(error);
	};
}
