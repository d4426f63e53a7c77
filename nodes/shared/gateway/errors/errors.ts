import type { JsonObject } from '../util/json';

/**
 * How an exchange with the gateway ended.
 * - `notSent`: nothing reached the gateway
 * - `rejected`: the gateway said no, and charges nothing
 * - `unknown`: it may have taken effect
 * - `charged`: it has, and there is a result or a task
 */
export type Outcome = 'notSent' | 'rejected' | 'unknown' | 'charged';

/**
 * What a request does.
 * - `read`: costs nothing, and has the same effect if it is sent twice
 * - `poll`: a read by a caller that sends it again
 * - `catalogue`: a read that works without the key (§5), and has no part in the rate limit of the account
 * - `file`: a read from another server, without the key
 * - `create`: costs nothing, but makes two things if it is sent twice
 * - `keyed`: creates a task with its idempotency key (§4.6): sent twice, it is charged once
 * - `charge`: a text; sent twice, it is charged twice
 */
export type RequestKind = 'read' | 'poll' | 'catalogue' | 'file' | 'create' | 'keyed' | 'charge';

/** Code of a response that cannot be used, or that is not the gateway's. */
export const UNREADABLE = 'unreadable_answer';

/** What is known of a failed request. What users read of its cost is derived from it, see `chargeText`. */
export interface ApiErrorDetails {
	message: string;
	/** What to do about it. */
	description: string;
	outcome: Outcome;
	/** What kind of request it was, or would have been. */
	kind: RequestKind;
	/** HTTP status, if the gateway responded; that of the code, if the code has another one (§7.1). */
	status?: number | undefined;
	/** The status of the response, if it is another one. */
	responseStatus?: number | undefined;
	/** Machine-readable code of the gateway (§7.3), or our own in snake_case if it sent none. */
	code?: string | undefined;
	/** Error class of the gateway (§7.1). */
	type?: string | undefined;
	/** The request field that the gateway names. */
	param?: string | undefined;
	/** Delay that the gateway asks for (`Retry-After`), in milliseconds. */
	retryAfterMs?: number | undefined;
	/** Whether another model may take the call. */
	otherModel?: boolean | undefined;
	/** Whether neither code nor status says that the call is free. */
	chargeUnsaid?: boolean | undefined;
	/** Whether the rate limit of the account refused it (§7.3): it was not worked on, and not charged. */
	isRateLimit?: boolean | undefined;
	/** Whether the same request can succeed later without being changed (§7.6). */
	retryable: boolean;
	taskId?: string | undefined;
	/** More fields of the error item, such as `failCode`. */
	extra?: JsonObject | undefined;
}

/** A request to the gateway that failed. Holds no headers and no key. */
export class ApiError extends Error {
	override readonly name = 'ApiError';

	constructor(
		readonly details: ApiErrorDetails,
		cause?: Error,
	) {
		super(details.message, cause ? { cause } : undefined);
	}

	with(details: Partial<ApiErrorDetails>): ApiError {
		return new ApiError(
			{ ...this.details, ...details },
			this.cause instanceof Error ? this.cause : undefined,
		);
	}
}

/** The error of a request that a call needs, such as for a price: the call itself was not sent. */
export function beforeSending(error: unknown): Error {
	return error instanceof ApiError ? error.with({ outcome: 'notSent', kind: 'charge' }) : asError(error);
}

export function asError(thrown: unknown): Error {
	return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** Input that cannot be sent. Thrown before the request, so nothing was charged. */
export class InvalidInputError extends Error {
	override readonly name = 'InvalidInputError';

	/** @param param the parameter, by the name that workflows store */
	constructor(
		message: string,
		readonly description: string,
		readonly param?: string,
	) {
		super(message);
	}
}

/** A limit of cost refuses the call: another model may be cheaper. */
export class LimitError extends InvalidInputError {}

const STOP_REASONS = {
	cancelled: 'The execution was cancelled',
	'other item failed': 'Another item failed',
	'not waited for': 'The caller no longer waits for the response',
} as const;

/** The run ends: it is cancelled, another item failed, or nobody waits for the result. Not an error of this item. */
export class StoppedError extends Error {
	override readonly name = 'StoppedError';

	/** @param outcome `unknown` if a request was in flight, or may have had its effect before */
	constructor(
		readonly reason: keyof typeof STOP_REASONS,
		readonly outcome: 'notSent' | 'unknown' = 'notSent',
	) {
		super(STOP_REASONS[reason]);
	}
}
