import type { JsonObject } from '../util/json';

/**
 * How far a request got when no usable answer came back. It decides whether sending it again could charge twice.
 * - `responded`: the gateway answered, with a status
 * - `notSent`: the connection was not made, so the gateway has not seen the request
 * - `unknown`: the request may have been processed and the answer lost
 */
export type Delivery = 'responded' | 'notSent' | 'unknown';

export interface ApiErrorDetails {
	/** What happened, in the user's words. */
	message: string;
	/** What to do about it. */
	description: string;
	delivery: Delivery;
	/** HTTP status, where the gateway answered. */
	status?: number | undefined;
	/** Machine-readable code of the gateway (§7.3), or our own in snake_case where it gave none. */
	code?: string | undefined;
	/** Error class of the gateway (§7.1). */
	type?: string | undefined;
	/** The request field that the gateway names. */
	param?: string | undefined;
	/** What the gateway said, without secrets: stands in `description` already; for words that fit the operation better. */
	serverMessage?: string | undefined;
	/** Pause the gateway asks for (`Retry-After`), in milliseconds. */
	retryAfterMs?: number | undefined;
	/** Whether the same request can succeed later without being changed (§7.6). */
	retryable: boolean;
	/** True when a charge may stand although no answer was received. */
	mayBeCharged?: boolean | undefined;
	/** True when sending it again, under the same idempotency key, cannot charge a second time. */
	idempotent?: boolean | undefined;
	/** True when an earlier try of the same request may have had its effect: its answer was lost, or a 5xx. */
	mayHaveTakenEffect?: boolean | undefined;
	/** The media task concerned, so that it is not lost. */
	taskId?: string | undefined;
	/** More facts for the error item, such as `failCode`. */
	extra?: JsonObject | undefined;
}

/** A request to the gateway that did not give what was asked for. Carries no headers and no key. */
export class ApiError extends Error {
	override readonly name = 'ApiError';

	constructor(
		readonly details: ApiErrorDetails,
		cause?: Error,
	) {
		super(details.message, cause ? { cause } : undefined);
	}

	/** The same failure with more known about it. */
	with(details: Partial<ApiErrorDetails>): ApiError {
		return new ApiError(
			{ ...this.details, ...details },
			this.cause instanceof Error ? this.cause : undefined,
		);
	}
}

/** Anything thrown, as an error. */
export function asError(thrown: unknown): Error {
	return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** Input that cannot be sent. Found before anything went out, so nothing was charged. */
export class InvalidInputError extends Error {
	override readonly name = 'InvalidInputError';

	/**
	 * @param message what is wrong, in the user's words
	 * @param description what to do about it
	 * @param param the parameter concerned, by the name that workflows store
	 */
	constructor(
		message: string,
		readonly description: string,
		readonly param?: string,
	) {
		super(message);
	}
}

const STOP_REASONS = {
	cancelled: 'The execution was cancelled',
	'other item failed': 'Another item failed',
	'not waited for': 'Nobody waits for the answer any more',
} as const;

/**
 * The run ends: the user cancelled the execution, another item failed, or whoever asked has given up. Not a failure of
 * this item.
 */
export class StoppedError extends Error {
	override readonly name = 'StoppedError';

	constructor(readonly reason: keyof typeof STOP_REASONS) {
		super(STOP_REASONS[reason]);
	}
}
