/** What is read of an error in a chain of causes. */
export interface Trace {
	/** Such as `ECONNRESET`; empty without one. */
	code: string;
	/** Such as `connect`; empty without one. */
	syscall: string;
	message: string;
	isHttpClientError: boolean;
	isAggregate: boolean;
}

/** @returns the error and its causes, outermost first */
export function errorChain(error: unknown): Trace[] {
	const traces: Trace[] = [];
	let current: unknown = error;
	for (let depth = 0; depth < 6 && typeof current === 'object' && current !== null; depth += 1) {
		// `cause` is not enumerable, so `fields` may lack it.
		const cause: unknown = 'cause' in current ? current.cause : undefined;
		const fields: Record<string, unknown> = { ...current };
		traces.push(hasLostCause(fields, cause) ? traceOfLostCause(fields) : traceOf(current, fields));
		current = cause;
	}
	return traces;
}

function traceOf(error: object, fields: Record<string, unknown>): Trace {
	return {
		code: text(fields.code),
		syscall: text(fields.syscall),
		message: error instanceof Error ? error.message : '',
		isHttpClientError: fields.isAxiosError === true,
		isAggregate: error instanceof AggregateError,
	};
}

/** What n8n's `NodeApiError` has of an error that it was made from. */
interface LostCause {
	/** The status or the code of the original error; null without one. */
	httpCode: unknown;
	/** The message of the original error, then those that n8n has put in its place. */
	messages: unknown[];
}

/**
 * Whether this is a `NodeApiError` of n8n-workflow 1.99.0 to 2.33.2, which deletes the cause of an error. One that
 * was made from a response, and not from an error, has an `errorResponse`.
 */
function hasLostCause(
	fields: Record<string, unknown>,
	cause: unknown,
): fields is Record<string, unknown> & LostCause {
	const { errorResponse, messages } = fields;
	return (
		cause === undefined && errorResponse === undefined && 'httpCode' in fields && Array.isArray(messages)
	);
}

/** Whatever it says, the HTTP client has thrown it: without a code, too, the request may have been sent. */
function traceOfLostCause({ httpCode, messages }: LostCause): Trace {
	const code = /^\d+$/.test(text(httpCode)) ? '' : text(httpCode);
	const message = text(messages[0]);
	// Node.js writes "connect ECONNREFUSED 127.0.0.1:443".
	const [syscall = '', name] = message.split(' ');
	const hasSyscall = code !== '' && name === code;
	return {
		code,
		syscall: hasSyscall ? syscall : '',
		message,
		isHttpClientError: true,
		isAggregate: false,
	};
}

function text(value: unknown): string {
	return typeof value === 'string' ? value : '';
}
