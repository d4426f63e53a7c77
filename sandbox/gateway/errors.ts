/** Errors of the API (§7): one class inside, four body formats outside. */

/** §7.3, then the errors of the media envelope alone (§7.4), and those without a code. */
export const errorCodes = {
	invalid_request: { status: 400, message: 'Invalid request' },
	provider_bad_request: { status: 400, message: 'The provider rejected the request: unsupported parameter' },
	context_length_exceeded: { status: 400, message: "The input exceeds the model's maximum context window" },
	unauthorized: { status: 401, message: 'Session invalid or expired' },
	invalid_api_key: { status: 401, message: 'Incorrect API key provided' },
	insufficient_quota: { status: 402, message: 'Insufficient funds' },
	feature_not_available: { status: 403, message: 'This feature is not available on your plan' },
	sub_account_blocked: { status: 403, message: 'The child account is blocked' },
	ip_not_allowed: { status: 403, message: 'The address is outside the allow-list' },
	forbidden: { status: 403, message: 'Access denied' },
	model_not_found: { status: 404, message: 'The model does not exist' },
	content_too_large: { status: 422, message: 'Input tokens plus reserved output exceed the context window' },
	limit_exceeded: { status: 422, message: 'The plan limit is exhausted' },
	rate_limit_exceeded: { status: 429, message: 'Requests per minute exceeded' },
	token_limit_exceeded: { status: 429, message: 'Tokens per minute exceeded' },
	client_closed_request: { status: 499, message: 'The client cancelled the request' },
	internal_error: { status: 500, message: 'Internal error' },
	provider_error: { status: 502, message: 'The provider is misconfigured' },
	no_providers: { status: 503, message: 'No provider is available for the model' },
	service_unavailable: { status: 503, message: 'The provider is disabled' },
	gateway_timeout: { status: 504, message: 'The 300 second request ceiling was reached' },
	not_found: { status: 404, message: 'Not found' },
	conflict: { status: 409, message: 'The session is busy' },
	gone: { status: 410, message: 'The promo code has expired' },
	payload_too_large: { status: 413, message: 'The request body exceeds the limit of 100 MB' },
	invalid_input: { status: 422, message: 'Invalid input' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errorCodes;

export function isErrorCode(value: string): value is ErrorCode {
	return Object.hasOwn(errorCodes, value);
}

export type ErrorFormat = 'openai' | 'messages' | 'media' | 'storage';

/** An error on its way to the client; the endpoint's group decides its body. */
export class ApiError extends Error {
	readonly status: number;

	constructor(
		readonly code: ErrorCode,
		message?: string,
		readonly details: { param?: string; retryAfter?: string } = {},
	) {
		super(message ?? errorCodes[code].message);
		this.name = 'ApiError';
		this.status = errorCodes[code].status;
	}
}

/** §7.3: the type follows from the status. */
const types: Record<number, string> = {
	401: 'authentication_error',
	429: 'rate_limit_error',
	499: 'client_closed_request',
	500: 'internal_error',
	502: 'bad_gateway',
	503: 'service_unavailable',
	504: 'gateway_timeout',
};

/** Codes that are not in §7.3, by the nearest one there is. */
const publicCodes: Partial<Record<ErrorCode, ErrorCode>> = {
	not_found: 'model_not_found',
	payload_too_large: 'invalid_request',
	invalid_input: 'invalid_request',
	conflict: 'invalid_request',
	gone: 'invalid_request',
};

/** §7.4: the class in the messages format. */
const messagesTypes: Record<number, string> = {
	403: 'permission_error',
	404: 'not_found_error',
	429: 'rate_limit_error',
};

/** The status and body of an error in the format of the endpoint's group (§7.1). */
export function renderError(
	{ status, code, message, details }: ApiError,
	format: ErrorFormat,
	withoutParam = false,
): { status: number; body: Record<string, unknown> } {
	const error = {
		message,
		type: types[status] ?? 'invalid_request_error',
		// §7.1: the catalogues omit `param` from their 500 body.
		...(!withoutParam && { param: details.param ?? null }),
		code: publicCodes[code] ?? code,
	};
	// §5: authentication errors are OpenAI-style everywhere. On /messages the outer `type` is added, so that the body fits
	// both formats of §7.1.
	if (status === 401) return { status, body: format === 'messages' ? { type: 'error', error } : { error } };
	switch (format) {
		case 'messages': {
			// §7.4: insufficient funds give 400 here.
			const own = code === 'insufficient_quota' ? 400 : status;
			const type = messagesTypes[own] ?? (own >= 500 ? 'api_error' : 'invalid_request_error');
			return { status: own, body: { type: 'error', error: { type, message } } };
		}
		case 'media':
			return { status, body: { code: status, msg: message, data: null } };
		case 'storage':
			return { status, body: { error: { message, type: 'invalid_request' } } };
		case 'openai':
			return { status, body: { error } };
	}
}

/** §7.1: which body format a path has; the path starts below `/api/v1`. */
export function errorFormatOf(path: string): ErrorFormat {
	if (path.startsWith('/messages')) return 'messages';
	if (path.startsWith('/async/media') || path.startsWith('/media/sessions')) return 'media';
	if (path.startsWith('/storage')) return 'storage';
	return 'openai';
}
