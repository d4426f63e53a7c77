import { ApiError, asError } from './errors';
import {
	CONNECTION_TEXTS,
	connectionText,
	type ConnectionProblem,
	type RequestInfo,
} from './texts/connection';
import { errorText, type EndpointGroup, type ErrorText } from './texts';
import { parseErrorBody } from './errorBody';
import { redact } from './secrets';
import { excerpt } from '../util/excerpt';
import { asId, asText, type JsonObject } from '../util/json';
import type { Origin } from './texts/origin';
import { isRetryableStatus, parseRetryAfter } from './retryable';

/** Text of the server is shown up to this length. */
const MAX_SERVER_MESSAGE = 600;

/** What an answer with an error status is judged by. */
export interface ErrorResponse {
	group: EndpointGroup;
	status: number;
	body: string;
	retryAfter?: string | undefined;
	/** Present time in Unix milliseconds. */
	now: number;
	/** Texts that must not appear in what a user reads: the API key. */
	secrets: readonly string[];
	/** Where it was asked for; an action node when it does not say. */
	origin?: Origin | undefined;
}

/** Turns an error answer into a failure with a user's message and a next step (§7.3 to 7.6). Never throws. */
export function errorFromResponse(response: ErrorResponse): ApiError {
	const { group, status } = response;
	if (status >= 300 && status < 400) return unusable('redirect', { status, retryable: false });
	const body = parseErrorBody(response.body);
	// The media envelope repeats the HTTP status as its code: that is no code of §7.3.
	const signs = { group, status, code: body.code, type: body.type, origin: response.origin };
	const text = errorText(signs);
	return new ApiError({
		message: text.message,
		description: withServerMessage(text.description, body.serverMessage, response.secrets),
		...(body.serverMessage ? { serverMessage: redact(body.serverMessage, response.secrets) } : {}),
		delivery: 'responded',
		status,
		code: body.code,
		type: body.type,
		param: body.param,
		retryAfterMs: parseRetryAfter(response.retryAfter, response.now),
		retryable: isRetryableStatus(status),
	});
}

/** The response; an error gets the texts that fit it better, where there are some for its status. */
export async function withTexts<T>(
	texts: Readonly<Record<number, ErrorText>>,
	response: Promise<T>,
): Promise<T> {
	try {
		return await response;
	} catch (error) {
		throw withText(texts, error);
	}
}

function withText(texts: Readonly<Record<number, ErrorText>>, error: unknown): Error {
	if (!(error instanceof ApiError)) return asError(error);
	const { status = 0, code, serverMessage } = error.details;
	// A code of §7.3 says more than the status: authentication failures look the same everywhere.
	const text = code === undefined ? texts[status] : undefined;
	if (!text) return error;
	return error.with({
		message: text.message,
		description: withServerMessage(text.description, serverMessage, []),
	});
}

/** Problems that come before anything is sent. */
const NEVER_SENT: ReadonlySet<ConnectionProblem> = new Set(['refused', 'certificate', 'address']);

/** Problems that do not pass by themselves. */
const LASTING: ReadonlySet<ConnectionProblem> = new Set(['certificate', 'address']);

/** The failure for a request that got no answer. */
export function connectionError(
	{ kind, code }: { kind: ConnectionProblem; code?: string | undefined },
	traits: RequestInfo,
	cause?: Error,
): ApiError {
	const notSent = NEVER_SENT.has(kind);
	return new ApiError(
		{
			...connectionText(kind, traits),
			delivery: notSent ? 'notSent' : 'unknown',
			code: kind === 'timeout' ? 'timeout' : (code?.toLowerCase() ?? 'connection_lost'),
			retryable: !LASTING.has(kind),
			mayBeCharged: traits.charged && !notSent,
		},
		cause,
	);
}

/**
 * The failure for a successful status whose body is not what was promised: HTML, empty, cut-off JSON.
 *
 * @param options.charged whether the call costs money and cannot be repeated safely
 */
export function unreadableResponse(
	response: { status: number; body: string },
	options: { charged: boolean },
): ApiError {
	const { status, body } = response;
	if (/^\s*<(!doctype|html|head|body|\?xml)/i.test(body)) {
		return unusable('webPage', { status, retryable: false, mayBeCharged: options.charged });
	}
	return unusable(options.charged ? 'notJsonCharge' : 'notJson', {
		status,
		retryable: true,
		mayBeCharged: options.charged,
	});
}

function unusable(
	kind: 'redirect' | 'webPage' | 'notJson' | 'notJsonCharge',
	details: { status: number; retryable: boolean; mayBeCharged?: boolean },
): ApiError {
	return new ApiError({
		...CONNECTION_TEXTS[kind],
		...details,
		delivery: kind === 'redirect' ? 'responded' : 'unknown',
		code: kind === 'redirect' ? 'redirected' : 'unreadable_answer',
	});
}

/**
 * An answer that arrived with status 200 although it tells of an error, as `/responses` does for a failed
 * generation (§2.3: `status` = `failed`, `error` an object).
 */
export function errorFromObject(error: JsonObject, text: ErrorText): ApiError {
	return new ApiError({
		message: text.message,
		description: withServerMessage(text.description, asText(error.message), []),
		delivery: 'responded',
		status: 200,
		code: asId(error.code) ?? 'generation_failed',
		type: asText(error.type),
		param: asText(error.param),
		retryable: false,
	});
}

/** `description`, followed by what the server said, shortened and without secrets. */
export function withServerMessage(
	description: string,
	serverMessage: string | undefined,
	secrets: readonly string[],
): string {
	if (!serverMessage) return description;
	const clean = redact(serverMessage, secrets).replace(/\s+/g, ' ').trim();
	const shown = excerpt(clean, MAX_SERVER_MESSAGE);
	// More may follow.
	const end = /[.!?…]$/.test(shown) ? '' : '.';
	return `${description} The gateway says: “${shown}”${end}`;
}

/**
 * For requests that get 404 when their work is done already (§3.2, §4.16): 404 for a try that follows one with an unknown
 * outcome is a success.
 *
 * @returns the body of a success
 * @throws the error, when it is not that
 */
export function ignoreAlreadyDone(error: unknown): JsonObject {
	const isDone =
		error instanceof ApiError && error.details.status === 404 && error.details.mayHaveTakenEffect;
	if (isDone) return { success: true };
	throw asError(error);
}
