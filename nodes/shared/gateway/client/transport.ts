// One exchange over HTTP: what goes out, what comes back, and what carries it out. n8n's side of it is `execution/transport.ts`.

import type { Watchdog } from './watchdog';

/** Bytes that arrive bit by bit, such as Node's `Readable`. */
export interface ByteStream extends AsyncIterable<Uint8Array> {
	destroy(error?: Error): unknown;
}

/** One HTTP exchange, as the transport is to carry it out. */
export interface HttpRequest {
	method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
	url: string;
	headers: Record<string, string>;
	body?: string | ByteStream | Uint8Array;
	/** Longest silence in milliseconds. */
	timeoutMs: number;
	/** Whether the credential signs it. Never for addresses other than the gateway's own. */
	authenticated: boolean;
	responseType: 'text' | 'stream';
	/** Whether a lost answer may be a charge that a repeat would make again: it costs money and is not repeatable. */
	charged: boolean;
}

/** What came back. Any status: telling success from failure is the job of `request.ts`. */
export interface HttpResponse<Body> {
	status: number;
	/** Names in lower case. */
	headers: Record<string, string>;
	body: Body;
	/** The longest silence in which a body that is still arriving is waited for, in milliseconds. */
	idleTimeoutMs?: number;
}

/**
 * Carries out one exchange. Follows no redirect when `authenticated`.
 *
 * @throws {ApiError} with `arrival` `never` or `unknown` when no answer came
 * @throws {Stopped} when the execution was cancelled
 */
export interface Transport {
	text(httpRequest: HttpRequest): Promise<HttpResponse<string>>;
	stream(httpRequest: HttpRequest): Promise<HttpResponse<ByteStream>>;
}

/** §8: total time of a request under `/api/v1`. */
export const REQUEST_TIMEOUT_MS = 300_000;

/** §8: how long a streamed answer may take. */
export const STREAM_TIMEOUT_MS = 15 * 60_000;

/** A poll asks for a few hundred bytes: silence for a minute means a lost connection. */
export const POLL_TIMEOUT_MS = 60_000;

/** Lets go of a body that was not read to its end: a server may answer before it has come. */
export function destroyBody(body: HttpRequest['body']): void {
	if (typeof body === 'object' && 'destroy' in body) body.destroy();
}

/** Of an error answer to a download, this much is read. */
const MAX_ERROR_BODY_BYTES = 64 * 1024;

/**
 * The beginning of a stream as text; what follows is left unread. A broken stream gives what had come, and so does one
 * that has not ended when the watchdog's limit is passed.
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
	// A broken stream has an error of its own, which matters less than what the gateway said.
	await Promise.race([reading().catch(() => undefined), watchdog.watch()]);
	return Buffer.concat(chunks).toString('utf8');
}
