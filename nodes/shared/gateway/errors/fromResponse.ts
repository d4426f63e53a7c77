import { ApiError, asError, UNREADABLE, type ApiErrorDetails } from './errors';
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

/** Characters of the server's message that are shown. */
const MAX_SERVER_MESSAGE = 600;

/** Characters of it in the message of an error. */
const MAX_HEADLINE = 160;

/** An error response, and what its texts depend on. */
export interface ErrorResponse {
	group: EndpointGroup;
	status: number;
	body: string;
	retryAfter?: string | undefined;
	/** Current time in Unix milliseconds. */
	now: number;
	/** Redacted from the texts: the API key. */
	secrets: readonly string[];
	/** Where the request comes from; default: an action node. */
	origin?: Origin | undefined;
	/** Whether the request costs money and cannot be repeated safely; default: false. */
	charged?: boolean | undefined;
}

/**
 * Turns an error response into an error with a message and a hint for the user (§7.3 to 7.6). A 5xx in none of the
 * formats of §7.1 is not the gateway's: a proxy sends it also while the gateway works on the request. Never throws.
 */
export function errorFromResponse(response: ErrorResponse): ApiError {
	const { group, status, origin, secrets, charged = false } = response;
	if (status >= 300 && status < 400) return unusable('redirect', { status, retryable: false });
	const { isKnown, isForeign, serverMessage, code, type, param } = parseErrorBody(response.body);
	// The server of a file has no format.
	if (status >= 500 && !isKnown && group !== 'file') return proxyError(response);
	const text = errorText({ group, status, code, type, origin });
	const words = namesField(group, { status, code, param }) ? serverMessage : undefined;
	// §8: the gateway has stopped the call. The specification does not say that this is free.
	const isUnknown = charged && status === 504;
	return new ApiError({
		...(words === undefined
			? { ...text, description: withServerMessage(text.description, serverMessage, secrets) }
			: causeFirst(text, words, { param, secrets })),
		...(serverMessage ? { serverMessage: redact(serverMessage, secrets) } : {}),
		delivery: isUnknown ? 'unknown' : 'responded',
		status,
		code,
		type,
		param,
		...(isUnknown ? { mayBeCharged: true } : {}),
		...(isForeign ? { isForeign } : {}),
		retryAfterMs: parseRetryAfter(response.retryAfter, response.now),
		retryable: isRetryableStatus(status),
	});
}

/** Codes that say no more than the status. */
const GENERAL_CODES: ReadonlySet<string | undefined> = new Set([
	undefined,
	'invalid_request',
	'provider_bad_request',
]);

/** Whether the gateway's words say which field is wrong: `param` (§7.1), or the `msg` of a media 422 (§7.4). */
function namesField(
	group: EndpointGroup,
	{ status, code, param }: { status: number; code: string | undefined; param: string | undefined },
): boolean {
	if ((status !== 400 && status !== 422) || !GENERAL_CODES.has(code)) return false;
	return param !== undefined || (group === 'media' && status === 422);
}

/** The gateway's words as the message, with the field, then what to do. Long words are in the description, too. */
function causeFirst(
	{ message, description }: ErrorText,
	serverMessage: string,
	{ param = '', secrets }: { param: string | undefined; secrets: readonly string[] },
): ErrorText {
	const words = redact(serverMessage, secrets).replace(/\s+/g, ' ').trim();
	const cause = words.includes(param) ? words : `${param}: ${words}`;
	const rest = `${message}. ${description}`;
	return {
		message: excerpt(cause, MAX_HEADLINE).replace(/\.$/, ''),
		description: cause.length > MAX_HEADLINE ? withServerMessage(rest, serverMessage, secrets) : rest,
	};
}

function proxyError({ status, charged = false, retryAfter, now }: ErrorResponse): ApiError {
	return unusable(charged ? 'proxyCharge' : 'proxy', {
		status,
		retryAfterMs: parseRetryAfter(retryAfter, now),
		retryable: isRetryableStatus(status),
		mayBeCharged: charged,
	});
}

/** Awaits a response; an error gets the text of `texts` for its status, if there is one. */
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
	// A code of §7.3 is more precise than the status.
	const text = code === undefined ? texts[status] : undefined;
	if (!text) return error;
	return error.with({
		message: text.message,
		description: withServerMessage(text.description, serverMessage, []),
	});
}

/** Problems that occur before anything is sent. */
const NEVER_SENT: ReadonlySet<ConnectionProblem> = new Set(['refused', 'certificate', 'address', 'blocked']);

/** Problems that a retry does not solve. */
const LASTING: ReadonlySet<ConnectionProblem> = new Set(['certificate', 'address', 'blocked']);

/** The error for a request without a response. */
export function connectionError(
	{ kind, code }: { kind: ConnectionProblem; code?: string | undefined },
	request: RequestInfo,
	cause?: Error,
): ApiError {
	const notSent = NEVER_SENT.has(kind);
	return new ApiError(
		{
			...connectionText(kind, request),
			delivery: notSent ? 'notSent' : 'unknown',
			code: kind === 'timeout' ? 'timeout' : (code?.toLowerCase() ?? 'connection_lost'),
			retryable: !LASTING.has(kind),
			mayBeCharged: request.charged && !notSent,
		},
		cause,
	);
}

/**
 * The error for a response with a successful status and an unusable body: HTML, empty, truncated JSON.
 *
 * @param options.charged whether the request costs money and cannot be repeated safely
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

/**
 * The error for a response whose body is longer than the node keeps in memory.
 *
 * @param options.charged as for {@link unreadableResponse}
 */
export function responseTooLarge({ charged }: { charged: boolean }): ApiError {
	const { message, description } = CONNECTION_TEXTS[charged ? 'tooLargeCharge' : 'tooLarge'];
	return new ApiError({
		message,
		description,
		delivery: 'unknown',
		code: 'response_too_large',
		retryable: false,
		mayBeCharged: charged,
	});
}

/** The error for a successful response without the file that was asked for. It can be fetched again. */
export function noFile(kind: 'empty' | 'webPage', status: number): ApiError {
	const { message, description } = CONNECTION_TEXTS[kind === 'empty' ? 'fileEmpty' : 'fileWebPage'];
	const code = kind === 'empty' ? 'empty_file' : 'web_page';
	return new ApiError({
		message,
		description,
		delivery: 'responded',
		status,
		code,
		retryable: kind === 'empty',
	});
}

/** The error for a request that was not sent because n8n could not read the credential. */
export function credentialError(cause: Error): ApiError {
	const { message, description } = CONNECTION_TEXTS.credential;
	return new ApiError(
		{
			message,
			description: `${description} n8n says: “${excerpt(cause.message, MAX_SERVER_MESSAGE)}”`,
			delivery: 'notSent',
			code: 'credential_unreadable',
			retryable: true,
		},
		cause,
	);
}

function unusable(
	kind: 'redirect' | 'webPage' | 'notJson' | 'notJsonCharge' | 'proxy' | 'proxyCharge',
	details: Pick<ApiErrorDetails, 'status' | 'retryable' | 'mayBeCharged' | 'retryAfterMs'>,
): ApiError {
	return new ApiError({
		...CONNECTION_TEXTS[kind],
		...details,
		delivery: kind === 'redirect' ? 'responded' : 'unknown',
		code: kind === 'redirect' ? 'redirected' : UNREADABLE,
	});
}

/**
 * The error for an error object in a response with status 200, as `/responses` returns for a failed
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

/** `description`, followed by the server's message, shortened and without secrets. */
export function withServerMessage(
	description: string,
	serverMessage: string | undefined,
	secrets: readonly string[],
): string {
	if (!serverMessage) return description;
	const clean = redact(serverMessage, secrets).replace(/\s+/g, ' ').trim();
	const shown = excerpt(clean, MAX_SERVER_MESSAGE);
	// Another sentence may follow.
	const end = /[.!?…]$/.test(shown) ? '' : '.';
	return `${description} The gateway says: “${shown}”${end}`;
}

/**
 * For requests that return 404 when they have been done already (§3.2, §4.16): a 404 after an attempt with an
 * unknown outcome is a success.
 *
 * @returns the body of a success
 * @throws any other error
 */
export function ignoreAlreadyDone(error: unknown): JsonObject {
	const isDone =
		error instanceof ApiError && error.details.status === 404 && error.details.mayHaveTakenEffect;
	if (isDone) return { success: true };
	throw asError(error);
}
