import { asText } from '../util/json';

/** What is read of an error in a chain of causes. */
export interface Trace {
	/** Such as `ECONNRESET`; empty without one. */
	code: string;
	/** Such as `connect`; empty without one. */
	syscall: string;
	message: string;
	isHttpClientError: boolean;
}

/** @returns the error and its causes, outermost first */
export function errorChain(error: unknown): Trace[] {
	const traces: Trace[] = [];
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

function traceOf(error: object, fields: Record<string, unknown>): Trace {
	const code = asText(fields.code) ?? '';
	const message = error instanceof Error ? (asText(fields.message) ?? error.message) : '';
	// Node.js writes "connect ECONNREFUSED 127.0.0.1:443", and combines the errors of several addresses.
	const [first = '', second] = error instanceof AggregateError ? ['connect', code] : message.split(' ');
	const syscall = asText(fields.syscall) ?? (code !== '' && second === code ? first : '');
	return { code, syscall, message, isHttpClientError: fields.isAxiosError === true };
}

/**
 * The fields of the error that a `NodeApiError` of n8n-workflow 1.99.0 to 2.33.2 was made from: it deletes the cause.
 * One that was made from a response, and not from an error, has an `errorResponse`. Whatever it says, the HTTP client
 * has thrown it: without a code, too, the request may have been sent.
 */
function withLostCause(fields: Record<string, unknown>): Record<string, unknown> {
	const { errorResponse, httpCode, messages } = fields;
	if (errorResponse !== undefined || httpCode === undefined || !Array.isArray(messages)) return fields;
	const code = /^\d+$/.test(asText(httpCode) ?? '') ? '' : httpCode;
	return { code, message: messages[0], isAxiosError: true };
}
