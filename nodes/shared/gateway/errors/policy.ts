import type { ApiErrorDetails, RequestKind } from './errors';

const REPEATABLE: readonly RequestKind[] = ['read', 'poll', 'catalogue', 'file', 'keyed'];
const ALL: readonly RequestKind[] = [...REPEATABLE, 'create', 'charge'];
const NONE: readonly RequestKind[] = [];

/** What a status means (§7.3 to 7.6). */
interface StatusPolicy {
	/** Whether the request is sent again. After a possible effect, only what is charged once. */
	again: boolean;
	/** The kinds of requests that may have had their effect. */
	effect: readonly RequestKind[];
	otherModel: boolean;
}

// prettier-ignore
const POLICIES: Readonly<Record<number, StatusPolicy>> = {
	// A client or a proxy has stopped waiting: that does not say what the gateway did.
	408: { again: false, effect: ALL, otherModel: false },
	499: { again: false, effect: ALL, otherModel: false },
	429: { again: true, effect: NONE, otherModel: true },
	500: { again: true, effect: REPEATABLE, otherModel: false },
	// No generator and no provider was reached.
	502: { again: true, effect: NONE, otherModel: true },
	503: { again: true, effect: NONE, otherModel: true },
	// §8: the gateway has stopped the request. The specification does not say that this is free.
	504: { again: true, effect: ALL, otherModel: false },
};

export function statusPolicy(status: number): StatusPolicy {
	const effect = status >= 500 ? REPEATABLE : NONE;
	return POLICIES[status] ?? { again: false, effect, otherModel: false };
}

/** The statuses of the codes of §7.3. The first code of a row also stands for errors in formats without one (§7.1). */
// prettier-ignore
const STATUSES: Readonly<Record<number, readonly string[]>> = {
	400: ['invalid_request', 'provider_bad_request', 'context_length_exceeded'],
	401: ['invalid_api_key', 'unauthorized'],
	402: ['insufficient_quota'],
	403: ['forbidden', 'feature_not_available', 'sub_account_blocked', 'ip_not_allowed'],
	404: ['not_found', 'model_not_found'],
	409: ['conflict'],
	410: ['gone'],
	422: ['invalid_input', 'content_too_large', 'limit_exceeded'],
	429: ['rate_limit_exceeded', 'token_limit_exceeded'],
	499: ['client_closed_request'],
	500: ['internal_error'],
	502: ['provider_error'],
	503: ['service_unavailable', 'no_providers'],
	504: ['gateway_timeout'],
};

/** §7.1: the code of an error counts before the status of its response, such as no money (402) as a 429. */
export function statusOf(code: string | undefined, status: number): number {
	const [known] = Object.entries(STATUSES).find(([, codes]) => codes.includes(code ?? '')) ?? [];
	return known === undefined ? status : Number(known);
}

/** The code of an error without one (§7.1): workflows branch on it. */
export function codeOf(status: number, kind: RequestKind): string | undefined {
	return kind === 'charge' && status === 404 ? 'model_not_found' : STATUSES[status]?.[0];
}

/** Whether a request that failed may be sent again (§7.6). A call that costs money only after an error status. */
export function mayRepeat(kind: RequestKind, { retryable, outcome, status = 0 }: ApiErrorDetails): boolean {
	if (!retryable) return false;
	return REPEATABLE.includes(kind) || outcome === 'notSent' || (outcome === 'rejected' && status >= 400);
}

export function costsMoney(kind: RequestKind): boolean {
	return kind === 'keyed' || kind === 'charge';
}
