import type { JsonObject } from '../util/json';

/**
 * How far a request got that has no usable response. Decides whether sending it again could charge twice.
 * - `responded`: the gateway responded with a status
 * - `notSent`: there was no connection, so the gateway has not seen the request
 * - `unknown`: the gateway may have processed the request, and its response was lost or says that it took too long
 */
export type Delivery = 'responded' | 'notSent' | 'unknown';

/** Code of a response that cannot be used, or that is not the gateway's. */
export const UNREADABLE = 'unreadable_answer';

/** What is known of a failed request: its texts, and what decides whether it can be sent again. */
export interface ApiErrorDetails {
	/** What happened, for the user. */
	message: string;
	/** What to do about it. */
	description: string;
	delivery: Delivery;
	/** HTTP status, if the gateway responded. */
	status?: number | undefined;
	/** Machine-readable code of the gateway (§7.3), or our own in snake_case if it sent none. */
	code?: string | undefined;
	/** Error class of the gateway (§7.1). */
	type?: string | undefined;
	/** The request field that the gateway names. */
	param?: string | undefined;
	/** The gateway's message, without secrets; `description` contains it already. */
	serverMessage?: string | undefined;
	/** Delay that the gateway asks for (`Retry-After`), in milliseconds. */
	retryAfterMs?: number | undefined;
	/** Whether the rate limit of the account refused it (§7.3): it was not worked on, and not charged. */
	isRateLimit?: boolean | undefined;
	/** Whether the response has a body that is not a JSON object, such as a proxy's page. */
	isForeign?: boolean | undefined;
	/** Whether the source of the request's body failed: the request was not sent. */
	isSource?: boolean | undefined;
	/** Whether the same request can succeed later without being changed (§7.6). */
	retryable: boolean;
	/** Whether it may have been charged although no usable response came. */
	mayBeCharged?: boolean | undefined;
	/** Whether sending it again with the same idempotency key cannot charge again. */
	idempotent?: boolean | undefined;
	/** Whether an earlier attempt may have had its effect: its response was lost, or a 5xx. */
	mayHaveTakenEffect?: boolean | undefined;
	/** Whether the task of `taskId` exists and is charged. */
	paid?: boolean | undefined;
	/** The media task that the error is about. */
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

	/** A copy with changed details. */
	with(details: Partial<ApiErrorDetails>): ApiError {
		return new ApiError(
			{ ...this.details, ...details },
			this.cause instanceof Error ? this.cause : undefined,
		);
	}
}

/** Anything thrown, as an `Error`. */
export function asError(thrown: unknown): Error {
	return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** Input that cannot be sent. Thrown before the request, so nothing was charged. */
export class InvalidInputError extends Error {
	override readonly name = 'InvalidInputError';

	/**
	 * @param message what is wrong, for the user
	 * @param description what to do about it
	 * @param param the parameter, by the name that workflows store
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
	'not waited for': 'The caller no longer waits for the response',
} as const;

/**
 * The run ends: the user cancelled the execution, another item failed, or nobody waits for the result. Not an
 * error of this item.
 */
export class StoppedError extends Error {
	override readonly name = 'StoppedError';

	/** @param mayHaveTakenEffect whether a request was in flight, or may have had its effect before */
	constructor(
		readonly reason: keyof typeof STOP_REASONS,
		readonly mayHaveTakenEffect = false,
	) {
		super(STOP_REASONS[reason]);
	}
}
