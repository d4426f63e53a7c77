import { ApiError, StoppedError, type RequestKind } from './errors';
import { problemError } from './fromResponse';
import type { ProblemName } from './problems';
import { asText } from '../util/json';

/**
 * TLS errors after the handshake, whatever they say: the request may have been sent. In the handshake, when the
 * request still waits to be written, Node.js reports the same errors as EPROTO.
 */
const BROKEN_TLS = /^ERR_SSL_/;

/** What the codes of Node.js and of n8n's HTTP client mean; the first that fits applies. */
const BY_CODE: ReadonlyArray<readonly [code: RegExp, problem: ProblemName]> = [
	[BROKEN_TLS, 'lost'],
	[/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/, 'certificate'],
	// Not a URL, or a failed TLS handshake.
	[/^(EPROTO|ERR_INVALID_URL|ERR_BAD_OPTION|ERR_INVALID_PROTOCOL|ERR_UNESCAPED_CHARACTERS)/, 'address'],
	[/^ERR_FR_TOO_MANY_REDIRECTS$/, 'circle'],
	[/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/, 'refused'],
	[/^(ECONNABORTED|ETIMEDOUT|ESOCKETTIMEDOUT)$/, 'timeout'],
	[/^(ECONNRESET|EPIPE|EHOSTUNREACH|ENETUNREACH|ENETDOWN|HPE_.*)$/, 'lost'],
	[/^(ERR_STREAM_PREMATURE_CLOSE|ERR_BAD_RESPONSE|ERR_NETWORK)$/, 'lost'],
];

/** System calls that come before the first byte is sent. */
const BEFORE_SENDING: ReadonlySet<string> = new Set(['connect', 'getaddrinfo']);

/** n8n's message for an address that its SSRF protection blocks; the error has no code. */
const BLOCKED = /^The request was blocked because /;

/** Node.js's message for a connection that is closed during the TLS handshake; its code is ECONNRESET. */
const CLOSED_IN_HANDSHAKE = /before secure TLS connection was established/;

/**
 * Turns a thrown network error into an {@link ApiError} that says how far the request got; `undefined` for other errors.
 * Reads the causes, too, because n8n wraps errors. Keeps only code and system call: the original error holds headers,
 * and so the key.
 */
export function errorFromThrown(error: unknown, kind: RequestKind): ApiError | StoppedError | undefined {
	if (error instanceof ApiError || error instanceof StoppedError) return error;
	const traces = errorChain(error);
	if (traces.some(({ message }) => BLOCKED.test(message))) return problemError('blocked', kind);
	const decisive =
		traces.find(({ code }) => code !== '') ?? traces.find(({ isHttpClientError }) => isHttpClientError);
	if (!decisive)
		return traces.some(({ message }) => message === 'aborted') ? problemError('lost', kind) : undefined;
	const { code, syscall, isHttpClientError } = decisive;
	if (code === 'ERR_CANCELED') return new StoppedError('cancelled', 'unknown');
	const [, listed] = BY_CODE.find(([pattern]) => pattern.test(code)) ?? [];
	const isUnsent =
		BEFORE_SENDING.has(syscall) || traces.some(({ message }) => CLOSED_IN_HANDSHAKE.test(message));
	const isFinal = listed === 'certificate' || listed === 'address' || BROKEN_TLS.test(code);
	const name = isUnsent && !isFinal ? 'refused' : (listed ?? (isHttpClientError ? 'lost' : undefined));
	if (name === undefined) return undefined;
	const cause = new Error(`${code || 'network error'}${syscall ? ` (${syscall})` : ''}`);
	const isUnnamed = code === '' || name === 'timeout';
	return problemError(name, kind, isUnnamed ? {} : { code: code.toLowerCase() }, cause);
}

/** @returns the error and its causes, outermost first */
function errorChain(error: unknown) {
	const traces: Array<ReturnType<typeof traceOf>> = [];
	let current: unknown = error;
	for (let depth = 0; depth < 6 && typeof current === 'object' && current !== null; depth += 1) {
		// `cause` is not enumerable, so `fields` may lack it.
		const cause: unknown = 'cause' in current ? current.cause : undefined;
		const fields: Record<string, unknown> = { ...current };
		traces.push(traceOf(current, cause === undefined ? withLostCause(fields) : fields));
		current = cause;
	}
	return traces;
}

/** Texts that are not there, such as `code` (`ECONNRESET`) and `syscall` (`connect`), are empty. */
function traceOf(error: object, fields: Record<string, unknown>) {
	const code = asText(fields.code) ?? '';
	const message = error instanceof Error ? (asText(fields.message) ?? error.message) : '';
	// Node.js writes "connect ECONNREFUSED 127.0.0.1:443", and combines the errors of several addresses.
	const [first = '', second] = error instanceof AggregateError ? ['connect', code] : message.split(' ');
	const syscall = asText(fields.syscall) ?? (code !== '' && second === code ? first : '');
	return { code, syscall, message, isHttpClientError: fields.isAxiosError === true };
}

/**
 * The fields of the error that a `NodeApiError` of n8n-workflow before 2.34 was made from: it deletes the cause.
 * One that was made from a response, and not from an error, has an `errorResponse`. Whatever it says, the HTTP client
 * has thrown it: without a code, too, the request may have been sent.
 */
function withLostCause(fields: Record<string, unknown>): Record<string, unknown> {
	const { errorResponse, httpCode, messages } = fields;
	if (errorResponse !== undefined || httpCode === undefined || !Array.isArray(messages)) return fields;
	const code = /^\d+$/.test(asText(httpCode) ?? '') ? '' : httpCode;
	return { code, message: messages[0], isAxiosError: true };
}
