import {
	asArray,
	asId,
	asNumber,
	asObject,
	asText,
	parseJson,
	type Json,
	type JsonObject,
} from '../util/json';
import { UNREADABLE, ApiError, asError, type ApiErrorDetails, type RequestKind } from './errors';
import { policyOf, statusOf } from './policy';
import { redact } from './secrets';
import { ENDPOINTS, type Endpoint } from './endpoints';
import { PROBLEMS, type ProblemName } from './problems';
import { errorText, problemText, type ErrorInfo, type ErrorText } from './texts';
import { DAY_MS, duration, excerpt } from '../util/text';

/**
 * Reads an error body of any of the formats of §7.1: OpenAI-style `{error: {message, type, param, code}}`, messages
 * `{type: 'error', error: {type, message}}`, media envelope `{code, msg, data}`, storage `{error: {message, type}}`.
 * Recognizes the format by its shape, not by the endpoint: authentication errors are OpenAI-style everywhere. A body
 * that is no JSON object, such as a proxy's page, is not known, and has the code {@link UNREADABLE}. Never throws.
 */
export function parseErrorBody(text: string) {
	const body = asObject(parseJson(text));
	if (!body) return { isKnown: false, code: text.trim() === '' ? undefined : UNREADABLE } as const;
	const { message, type, param, code } = asObject(body.error) ?? {};
	const isEnvelope = asNumber(body.code) !== undefined && typeof body.msg === 'string';
	return {
		// Load balancers send error objects with a numeric `code` only.
		isKnown: isEnvelope || (asText(type) ?? asText(code)) !== undefined,
		serverMessage: asText(message) ?? asText(body.msg) ?? asText(body.message) ?? asText(body.error),
		code: asId(code),
		/** The error status in a media envelope. */
		status: isEnvelope ? errorStatus(body.code) : undefined,
		type: asText(type),
		// A name, not a text.
		param: (asText(param)?.length ?? 0) <= MAX_PARAM ? asText(param) : undefined,
	};
}

/** A code that is an HTTP error status. */
function errorStatus(code: Json | undefined): number | undefined {
	const status = asNumber(code) ?? 0;
	return Number.isInteger(status) && status >= 400 && status <= 599 ? status : undefined;
}

/** The longest name of a field, in characters. */
const MAX_PARAM = 200;

/** Characters of the server's message that are shown. */
const MAX_SERVER_MESSAGE = 600;

/** Characters of it in the message of an error. */
const MAX_HEADLINE = 160;

export interface ErrorResponse extends ErrorInfo {
	kind: RequestKind;
	body: string;
	retryAfter?: string | undefined;
	/** Current time in Unix milliseconds. */
	now: number;
	/** Redacted from the texts: the API key. */
	secrets: readonly string[];
}

/** The statuses of key, money, plan and proxy, with which the gateway itself sends a format of §7.1. */
const REFUSALS: readonly number[] = [401, 402, 403, 407];

/** §7.3 to 7.6. A refusal or a 5xx in no format of §7.1 is a proxy's, whose 5xx also comes while the gateway works. Never throws. */
export function errorFromResponse(response: ErrorResponse): ApiError {
	const { kind } = response;
	const isFile = kind === 'file';
	if (response.status >= 300 && response.status < 400 && !isFile)
		return problemError('redirect', kind, { status: response.status });
	// The server of a file has no format.
	const { isKnown, code, type, param, ...body } = parseErrorBody(isFile ? '' : response.body);
	const status = statusOf(code) ?? body.status ?? response.status;
	const policy = policyOf({ code, type }, status, response.status);
	const retryAfterMs = parseRetryAfter(response.retryAfter, response.now);
	const serverMessage = body.serverMessage && redact(body.serverMessage, response.secrets);
	const isRefusal = REFUSALS.includes(status);
	if ((status >= 500 || isRefusal) && !isKnown && !isFile) {
		const words = withServerMessage(problemText('proxy', kind).description, serverMessage, 'It says');
		const final = isRefusal ? ({ outcome: 'rejected', retryable: false } as const) : {};
		return problemError('proxy', kind, { status, retryAfterMs, description: words, ...final });
	}
	const { message, description, isVague = false, isOwn } = errorText({ ...response, status, code });
	const time = retryAfterMs && (retryAfterMs > DAY_MS ? 'more than a day' : duration(retryAfterMs));
	const wait = time ? ` The gateway asks to wait ${time} before the next try.` : '';
	const text = { message, description: description + wait };
	// §7.1: the words then say which field is wrong.
	const namesField = !isOwn && param !== undefined && (status === 400 || status === 422);
	return new ApiError({
		...((isVague || namesField) && serverMessage
			? causeFirst(text, serverMessage, param)
			: { ...text, description: withServerMessage(text.description, serverMessage) }),
		outcome: policy.effect.includes(kind) ? 'unknown' : 'rejected',
		kind,
		status,
		...(status === response.status ? {} : { responseStatus: response.status }),
		code,
		type,
		param,
		retryAfterMs,
		retryable: policy.again || (isFile && status >= 500),
		...(policy.otherModel ? { otherModel: true } : {}),
		...(policy.saysFree ? {} : { chargeUnsaid: true }),
		...(status === 429 && policy.again && policy.saysFree && !isFile ? { isRateLimit: true } : {}),
	});
}

/**
 * The status of an error that has the status of a success (§7.1). `undefined` if the body has a task ID or output of a model, and
 * for a code that has no status, except of media.
 */
export function statusInBody(endpoint: Endpoint, { data, error, ...body }: JsonObject): number | undefined {
	if (error === undefined && body.code === undefined) return undefined;
	const { group } = ENDPOINTS[endpoint];
	if (group === 'text') {
		const { choices, output, content, usage } = body;
		const hasOutput = [choices, output, content].some((list) => asArray(list).length > 0);
		return hasOutput || asObject(usage) ? undefined : statusOf(asId(asObject(error)?.code));
	}
	if (asId(asObject(data)?.taskId) !== undefined) return undefined;
	const code = asObject(error)?.code;
	const known = statusOf(asId(code)) ?? errorStatus(code);
	if (group !== 'media' && group !== 'list') return hasResult({ data, ...body }) ? undefined : known;
	return known ?? errorStatus(body.code) ?? (error && !data ? 400 : undefined);
}

/** Whether a body has what was asked for: a balance, a file, or a list of models or files. */
function hasResult({ data, files, ...body }: JsonObject): boolean {
	const { id, asset, amount, RUB, USD } = body;
	return asArray(data).length + asArray(files).length > 0 || [id, asset, amount, RUB, USD].some(Boolean);
}

/** The gateway's words as the message, with the field, then what to do. Long words are in the description, too. */
function causeFirst({ message, description }: ErrorText, serverMessage: string, param = ''): ErrorText {
	const words = serverMessage.replace(/\s+/g, ' ').trim();
	const cause = words.includes(param) ? words : `${param}: ${words}`;
	const rest = `${message}. ${description}`;
	return {
		message: excerpt(cause, MAX_HEADLINE).replace(/\.$/, ''),
		description: cause.length > MAX_HEADLINE ? withServerMessage(rest, serverMessage) : rest,
	};
}

/** The error for a request without a usable response; `known` replaces what the problem usually means. */
export function problemError(
	name: ProblemName,
	kind: RequestKind,
	known: Partial<ApiErrorDetails> = {},
	cause?: Error,
): ApiError {
	return new ApiError({ ...PROBLEMS[name], ...problemText(name, kind), kind, ...known }, cause);
}

/** `description`, followed by the server's message, shortened. It must have no secrets: half of one is not found. */
export function withServerMessage(description: string, words = '', says = 'The gateway says'): string {
	const quote = quoted(words);
	return quote === '' ? description : `${description} ${says}: ${quote}`;
}

/** The server's words as a sentence, shortened; empty if there are none. */
export function quoted(words: string): string {
	const shown = excerpt(words.replace(/\s+/g, ' ').trim(), MAX_SERVER_MESSAGE);
	if (shown === '') return '';
	return /[.!?…]$/.test(shown) ? `“${shown}”` : `“${shown}”.`;
}

/** §3.2, §4.16: a 404 after an attempt that may have had its effect is a success, because it has been done already. */
export function ignoreAlreadyDone(error: unknown): JsonObject {
	const { status, outcome, code } = error instanceof ApiError ? error.details : {};
	if (status === 404 && outcome === 'unknown' && code !== UNREADABLE) return { success: true };
	throw asError(error);
}

/** A longer delay is a mistake, such as a Unix time in place of seconds. */
const LONGEST_MS = 366 * DAY_MS;

/** Whole or fractional seconds, or an HTTP date, as milliseconds from now, at least 0; `undefined` if it is not usable. */
export function parseRetryAfter(header = '', now: number): number | undefined {
	const value = header.trim();
	const isDate = value.endsWith('GMT');
	if (!isDate && !/^\d+(\.\d+)?$/.test(value)) return undefined;
	const milliseconds = isDate ? Math.max(0, Date.parse(value) - now) : Number(value) * 1_000;
	return milliseconds <= LONGEST_MS ? milliseconds : undefined;
}
