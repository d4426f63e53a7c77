import type { RequestInfo } from './texts/connection';
import { connectionError } from './fromResponse';
import { ApiError, StoppedError } from './errors';

/** Codes of a connection that was never made. */
const NEVER_CONNECTED: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/** System calls that come before the first byte is sent. */
const BEFORE_SENDING: ReadonlySet<string> = new Set(['connect', 'getaddrinfo']);

/** Codes of a connection that broke after it was made. */
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

/** Codes of an address that cannot work: no URL, or a handshake in the wrong protocol. Nothing was sent. */
const WRONG_ADDRESS =
	/^(EPROTO|ERR_SSL_|ERR_INVALID_URL|ERR_BAD_OPTION|ERR_INVALID_PROTOCOL|ERR_UNESCAPED_CHARACTERS)/;

/** Codes of TLS for what comes after the handshake: the request may have been sent. */
const BROKEN_TLS = /BAD_RECORD_MAC|UNEXPECTED_EOF/;

/** What is known of a thrown network error. */
interface Trace {
	code: string;
	syscall: string;
	message: string;
	isHttpClientError: boolean;
	isAggregate: boolean;
}

/**
 * Tells what a thrown error means for the request: whether it was sent, lost or cancelled. Looks through the
 * wrapping that n8n puts around it. Keeps code and message only: the original holds headers, and so the key.
 *
 * @param error anything thrown
 * @returns the failure, {@link StoppedError} when the execution was cancelled, or `undefined` for errors that are not
 *   the network's
 */
export function errorFromThrown(error: unknown, traits: RequestInfo): ApiError | StoppedError | undefined {
	if (error instanceof ApiError || error instanceof StoppedError) return error;
	const traces = errorChain(error);
	const decisive =
		traces.find(({ code }) => code !== '') ?? traces.find(({ isHttpClientError }) => isHttpClientError);
	if (!decisive) return traces.some(({ message }) => message === 'aborted') ? lost('', traits) : undefined;
	const { code, syscall, isAggregate } = decisive;
	if (code === 'ERR_CANCELED') return new StoppedError('cancelled');
	const cause = new Error(`${code || 'network error'}${syscall ? ` (${syscall})` : ''}`);
	if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(code)) {
		return connectionError({ kind: 'certificate', code }, traits, cause);
	}
	if (BROKEN_TLS.test(code)) return lost(code, traits, cause);
	if (WRONG_ADDRESS.test(code)) return connectionError({ kind: 'address', code }, traits, cause);
	if (NEVER_CONNECTED.has(code) || BEFORE_SENDING.has(syscall) || (isAggregate && code !== '')) {
		return connectionError({ kind: 'refused', code }, traits, cause);
	}
	if (TIMEOUTS.has(code)) return connectionError({ kind: 'timeout', code }, traits, cause);
	if (LOST.has(code) || code.startsWith('HPE_') || decisive.isHttpClientError)
		return lost(code, traits, cause);
	return undefined;
}

function lost(code: string, traits: RequestInfo, cause?: Error): ApiError {
	return connectionError({ kind: 'lost', code: code || undefined }, traits, cause);
}

/** The error and what it was caused by, outermost first. */
function errorChain(error: unknown): Trace[] {
	const traces: Trace[] = [];
	let current: unknown = error;
	for (let depth = 0; depth < 6 && typeof current === 'object' && current !== null; depth += 1) {
		const fields: Record<string, unknown> = { ...current };
		traces.push({
			code: typeof fields.code === 'string' ? fields.code : '',
			syscall: typeof fields.syscall === 'string' ? fields.syscall : '',
			message: current instanceof Error ? current.message : '',
			isHttpClientError: fields.isAxiosError === true,
			isAggregate: current instanceof AggregateError,
		});
		// An error's own cause is not among the fields that a copy has.
		current = 'cause' in current ? current.cause : undefined;
	}
	return traces;
}
