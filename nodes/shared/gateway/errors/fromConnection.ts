import type { RequestInfo } from './texts/connection';
import { connectionError } from './fromResponse';
import { errorChain } from './errorChain';
import { ApiError, StoppedError } from './errors';

/** Codes of connections that were never established. */
const NEVER_CONNECTED: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/** System calls that come before the first byte is sent. */
const BEFORE_SENDING: ReadonlySet<string> = new Set(['connect', 'getaddrinfo']);

/** Codes of connections that broke after they were established. */
const LOST: ReadonlySet<string> = new Set([
	'ECONNRESET',
	'EPIPE',
	'ERR_STREAM_PREMATURE_CLOSE',
	'ERR_BAD_RESPONSE',
	'ERR_NETWORK',
	'EHOSTUNREACH',
	'ENETUNREACH',
	'ENETDOWN',
]);

const TIMEOUTS: ReadonlySet<string> = new Set(['ECONNABORTED', 'ETIMEDOUT', 'ESOCKETTIMEDOUT']);

/** Codes of an address that cannot work: not a URL, or a failed TLS handshake. Nothing was sent. */
const WRONG_ADDRESS =
	/^(EPROTO|ERR_INVALID_URL|ERR_BAD_OPTION|ERR_INVALID_PROTOCOL|ERR_UNESCAPED_CHARACTERS)/;

/**
 * TLS errors after the handshake, whatever they say: the request may have been sent. In the handshake, when the
 * request still waits to be written, Node.js reports the same errors as EPROTO.
 */
const BROKEN_TLS = /^ERR_SSL_/;

/** n8n's message for an address that its SSRF protection blocks; the error has no code. */
const BLOCKED = /^The request was blocked because /;

/** Node.js's message for a connection that is closed during the TLS handshake; its code is ECONNRESET. */
const CLOSED_IN_HANDSHAKE = /before secure TLS connection was established/;

/**
 * Turns a thrown network error into an {@link ApiError} that says how far the request got. Reads the causes,
 * too, because n8n wraps errors. Keeps only code and system call: the original error holds headers, and so
 * the key.
 *
 * @param error anything thrown
 * @returns {@link StoppedError} when the execution was cancelled; `undefined` for errors that are not network
 *   errors
 */
export function errorFromThrown(error: unknown, request: RequestInfo): ApiError | StoppedError | undefined {
	if (error instanceof ApiError || error instanceof StoppedError) return error;
	const traces = errorChain(error);
	if (traces.some(({ message }) => BLOCKED.test(message)))
		return connectionError({ kind: 'blocked', code: 'blocked_by_n8n' }, request);
	const decisive =
		traces.find(({ code }) => code !== '') ?? traces.find(({ isHttpClientError }) => isHttpClientError);
	if (!decisive) return traces.some(({ message }) => message === 'aborted') ? lost('', request) : undefined;
	const { code, syscall, isAggregate } = decisive;
	if (code === 'ERR_CANCELED') return new StoppedError('cancelled', true);
	const cause = new Error(`${code || 'network error'}${syscall ? ` (${syscall})` : ''}`);
	if (BROKEN_TLS.test(code)) return lost(code, request, cause);
	if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(code)) {
		return connectionError({ kind: 'certificate', code }, request, cause);
	}
	if (WRONG_ADDRESS.test(code)) return connectionError({ kind: 'address', code }, request, cause);
	const isClosedInHandshake = traces.some(({ message }) => CLOSED_IN_HANDSHAKE.test(message));
	const isRefused = NEVER_CONNECTED.has(code) || BEFORE_SENDING.has(syscall) || isClosedInHandshake;
	if (isRefused || (isAggregate && code !== '')) {
		return connectionError({ kind: 'refused', code }, request, cause);
	}
	if (TIMEOUTS.has(code)) return connectionError({ kind: 'timeout', code }, request, cause);
	if (LOST.has(code) || code.startsWith('HPE_') || decisive.isHttpClientError)
		return lost(code, request, cause);
	return undefined;
}

function lost(code: string, request: RequestInfo, cause?: Error): ApiError {
	return connectionError({ kind: 'lost', code: code || undefined }, request, cause);
}
