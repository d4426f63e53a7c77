/** Node's stream, as far as it is listened to here. */
interface Emitter {
	on?(event: 'error', listener: () => void): unknown;
}

/**
 * The same stream, whose errors may go unheard. Whoever reads it gets them by reading; but it may break before anybody
 * does, or when nobody does any more, and an error that nobody hears would end n8n.
 */
export function guarded<S extends object>(stream: S): S {
	(stream as Emitter).on?.('error', () => undefined);
	return stream;
}
