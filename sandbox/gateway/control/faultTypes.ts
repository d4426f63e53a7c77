/** Fault rules: the requests that they match, and their actions. */
import type { ErrorCode } from '../errors';
import type { JsonObject } from '../jsonSchema';
import type { RequestMatch } from './requestTypes';

/** Milliseconds: a fixed number, or a range that each use draws from evenly. */
export type Duration = number | readonly [min: number, max: number];

/** How a stream is disturbed. `after` values count the events (frames) that were written before. */
export interface StreamFault {
	/** The connection is cut after so many events. */
	cutAfter?: number;
	/** An error frame is written after so many events, and the stream ends there (§6.1, §6.2). */
	errorAfter?: number;
	/** There are neither the closing events nor `[DONE]`. The connection ends in order. */
	missingEnd?: boolean;
	/** Nothing more is written after so many events, until the client goes away. */
	stallAfter?: number;
	/** Every n-th event is written twice, with the same sequence number. */
	duplicateEvery?: number;
	/** A comment, a keep-alive and an event of an unknown type are put before every n-th event. */
	noiseEvery?: number;
	/** Writes are split into chunks of this many bytes, at any position. */
	splitBytes?: number;
	/** Pause before every delta. */
	deltaDelayMs?: Duration;
	/** Lines end with CR LF. */
	crlf?: boolean;
}

/**
 * What the answer to a text request looks like, in the format of its endpoint: these fields are merged into those that the
 * sandbox makes, see `looksLike`.
 */
export interface AnswerLooks {
	/** Fields of the response, whole and streamed. */
	response?: JsonObject;
	/** Responses: fields that only the response in the closing event of a stream has, such as other `output`. */
	closing?: JsonObject;
	/** Messages: fields of a second message, which begins in the stream after the content of the first. */
	next?: JsonObject;
}

/** A body that is not an error of the API, as proxies and broken servers send it. */
export type RawBody = 'html' | 'empty' | { text: string | Buffer; contentType: string };

/** Seconds, or an HTTP date or any other text. */
export type RetryAfter = number | string;

export type FaultAction =
	/** No fault: uses up one match, so that a list of rules says what happens to each request in turn. */
	| { kind: 'pass' }
	/** An error in the format of the endpoint's group (§7). With `afterEffect`, the request is carried out and charged. */
	| { kind: 'error'; code: ErrorCode; message?: string; retryAfter?: RetryAfter; afterEffect?: boolean }
	| { kind: 'raw'; status: number; body: RawBody; retryAfter?: RetryAfter; afterEffect?: boolean }
	/** The socket is destroyed before the request is carried out. */
	| { kind: 'cutBefore' }
	/** The socket is destroyed after a part of the body (default: half of it, or 1024 bytes of a stream). */
	| { kind: 'cutBody'; afterBytes?: number }
	/** The body stops after a part of it (default: half of it, or 1024 bytes of a stream), and the socket stays open. */
	| { kind: 'stallBody'; afterBytes?: number }
	/** The body is sent byte by byte, with a pause after each. */
	| { kind: 'dripBody'; everyMs: Duration }
	/** There is no response, and the request is not carried out, unless `afterEffect` says so. */
	| { kind: 'hang'; afterEffect?: boolean }
	/** The request is carried out and charged in full, then the socket is destroyed. */
	| { kind: 'loseResponse' }
	| { kind: 'redirect'; location: string; status?: 301 | 302 | 303 | 307 | 308 }
	| { kind: 'delay'; ms: Duration }
	| ({ kind: 'answer' } & AnswerLooks)
	| { kind: 'stream'; stream: StreamFault };

export interface FaultRule {
	match?: RequestMatch & {
		/** Only from the n-th matching request on (1 is the first). */
		nth?: number;
	};
	action: FaultAction;
	/** How many requests it hits; default 1; 0 means all, until it is cleared. */
	times?: number;
}

export interface FaultView extends FaultRule {
	id: string;
	/** Requests that matched, and those that were hit. */
	seen: number;
	hits: number;
}
