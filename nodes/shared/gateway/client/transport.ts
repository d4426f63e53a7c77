// HTTP requests and responses as the client sees them; `n8n/transport.ts` sends them.

import type { RequestKind } from '../errors/errors';
import type { Watchdog } from './watchdog';

/** A stream of bytes, such as Node's `Readable`. */
export interface ByteStream extends AsyncIterable<Uint8Array> {
	destroy(error?: Error): unknown;
}

/** An HTTP request for the transport to send. */
export interface HttpRequest {
	/** Only requests to the gateway itself, and not those of the kind `file`, are sent with the API key. */
	kind: RequestKind;
	method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
	url: string;
	headers: Record<string, string>;
	body?: string | ByteStream | Uint8Array | undefined;
	/**
	 * The longest time of the exchange, in milliseconds; for a response that is streamed, until its headers arrive. With
	 * a body that is a stream, the time over which it may be slow.
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
}

/**
 * Sends one request. Follows redirects only for the kind `file`.
 *
 * @throws {ApiError} with the outcome `notSent` or `unknown` if there is no response
 * @throws {StoppedError} if the execution is cancelled
 */
export interface Transport {
	text(httpRequest: HttpRequest): Promise<HttpResponse<string>>;
	stream(httpRequest: HttpRequest): Promise<HttpResponse<ByteStream>>;
}

/** §8: the gateway stops a request after 300 s. A little more, so that its 504 arrives. */
export const REQUEST_TIMEOUT_MS = 315_000;

/** §8: total time of a streamed response. */
export const STREAM_TIMEOUT_MS = 15 * 60_000;

/** A poll returns a few hundred bytes: a minute without data means a lost connection. */
export const POLL_TIMEOUT_MS = 60_000;

/** The longest response that is kept in memory, in bytes: a response may hold pictures as base64. */
export const MAX_RESPONSE_BYTES = 128 * 1024 * 1024;

/** Destroys a request body: a server may respond before it has read all of it. */
export function destroyBody(body: HttpRequest['body']): void {
	if (typeof body === 'object' && 'destroy' in body) body.destroy();
}

/** Bytes that are read of the error response to a streamed request. */
const MAX_ERROR_BODY_BYTES = 64 * 1024;

/**
 * Reads the beginning of a stream as text. If the stream breaks or the watchdog expires, returns what has been
 * received.
 */
export async function readStart(stream: ByteStream, watchdog: Watchdog): Promise<string> {
	const chunks: Uint8Array[] = [];
	let length = 0;
	const reading = async () => {
		for await (const chunk of stream) {
			chunks.push(chunk);
			length += chunk.length;
			if (length >= MAX_ERROR_BODY_BYTES) break;
		}
	};
	// What the gateway sent matters more than the error of a broken stream.
	await Promise.race([reading().catch(() => undefined), watchdog.watch()]);
	return Buffer.concat(chunks).toString('utf8');
}
