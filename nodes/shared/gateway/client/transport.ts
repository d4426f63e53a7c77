import type { RequestKind } from '../errors/errors';
import { errorFromThrown } from '../errors/fromConnection';
import { problemError } from '../errors/fromResponse';

export interface ByteStream extends AsyncIterable<Uint8Array> {
	/** Whether it has been read to its end. */
	readonly readableEnded?: boolean;
	destroy(error?: Error): unknown;
}

/** Is called with each chunk that is read, and the number of bytes so far. What it throws ends the transfer. */
export type OnChunk = (chunk: Uint8Array, length: number) => void;

export interface HttpRequest {
	/** Only requests to the gateway itself, and not those of the kind `file`, are sent with the API key. */
	kind: RequestKind;
	/** Whether it is about the account that pays: the key is that of the charge, not a newer one. */
	isOfPayer?: boolean;
	method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
	url: string;
	headers: Record<string, string>;
	body?: string | ByteStream | Uint8Array | undefined;
	/**
	 * The longest time of the exchange, in milliseconds, with what the transport's `read` does. With a body that is a
	 * stream, the time over which it may be slow.
	 */
	timeoutMs: number;
	/** Ends the exchange and closes its connection. */
	signal?: AbortSignal | undefined;
}

/** A response with any status; `client.ts` turns error statuses into errors. */
export interface HttpResponse<Body> {
	status: number;
	/** Names in lower case. */
	headers: Record<string, string>;
	body: Body;
	/** The time over which the body may be slow, in milliseconds. */
	timeoutMs?: number;
	/** How long the exchange has taken until its headers arrived, in milliseconds. */
	spentMs?: number;
	/** The URL to which the gateway has redirected for a file. */
	link?: string;
}

/**
 * Sends a request, and returns what `read` makes of its response, in the time of the exchange. Follows redirects only for the
 * kind `file`. `close` ends a response that is read later. Without a response, throws with the outcome `notSent` or `unknown`.
 */
export type Transport = <T>(
	httpRequest: HttpRequest,
	read: (response: HttpResponse<ByteStream>, close: () => void) => Promise<T>,
) => Promise<T>;

export function isSuccess({ status }: HttpResponse<unknown>): boolean {
	return status >= 200 && status <= 299;
}

/** §8: the gateway stops a request after 300 s. A little more, so that its 504 arrives. */
export const REQUEST_TIMEOUT_MS = 315_000;

/** §8: total time of a streamed response. */
export const STREAM_TIMEOUT_MS = 15 * 60_000;

/** A poll returns a few hundred bytes: a minute without data means a lost connection. */
export const POLL_TIMEOUT_MS = 60_000;

/** The longest response to a text, in bytes. */
export const MAX_TEXT_BYTES = 32 * 1024 * 1024;

/** The longest one that may hold sound and pictures as base64, in bytes. */
export const MAX_MEDIA_BYTES = 128 * 1024 * 1024;

/** The longest response to other requests, and the longest error, in bytes. */
export const MAX_OTHER_BYTES = 16 * 1024 * 1024;

/** @throws {ApiError} for a body over the limit, for network errors, and for bytes that cannot be decompressed */
export async function readBody(
	response: HttpResponse<ByteStream>,
	kind: RequestKind,
): Promise<HttpResponse<string>> {
	const parts: Uint8Array[] = [];
	let length = 0;
	try {
		// Bytes of compressed responses are counted, and kept, as they are unpacked.
		for await (const chunk of response.body) {
			length += chunk.length;
			if (length > MAX_OTHER_BYTES) throw problemError('tooLarge', kind);
			parts.push(chunk);
		}
		return { ...response, body: new TextDecoder().decode(Buffer.concat(parts)) };
	} catch (error) {
		throw errorFromThrown(error, kind) ?? problemError('notJson', kind);
	}
}

let lastSlot: Promise<unknown> = Promise.resolve();

/**
 * Waits until it may read what a response has above {@link MAX_TEXT_BYTES}: several of them do not fit into memory. `done`
 * is aborted when the response is read, or nobody reads it any more.
 */
export async function largeSlot(done: AbortSignal): Promise<void> {
	const before = lastSlot;
	const ended = new Promise<void>((resolve) => {
		if (done.aborted) resolve();
		else done.addEventListener('abort', () => resolve());
	});
	lastSlot = Promise.all([before, ended]);
	await before;
}
