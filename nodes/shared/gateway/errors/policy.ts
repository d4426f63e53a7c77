import type { ApiErrorDetails, RequestKind } from './errors';

const REPEATABLE: readonly RequestKind[] = ['read', 'poll', 'catalogue', 'file', 'keyed'];
const ALL: readonly RequestKind[] = [...REPEATABLE, 'create', 'charge'];
const NO_KINDS: readonly RequestKind[] = [];

/** What an error status, or a code, means (§7.3 to 7.6). */
export interface Policy {
	/** Whether the request is sent again. After a possible effect, only what is charged once. */
	again: boolean;
	/** The kinds of requests that may have had their effect. */
	effect: readonly RequestKind[];
	/** Whether another model may take the call; `by code`: only for some codes. */
	otherModel: boolean | 'by code';
}

// prettier-ignore
const POLICIES: Readonly<Record<number, Policy>> = {
	401: { again: false, effect: NO_KINDS, otherModel: false },
	402: { again: false, effect: NO_KINDS, otherModel: false },
	// A client or a proxy has stopped waiting: that does not say what the gateway did.
	408: { again: false, effect: ALL, otherModel: false },
	429: { again: true, effect: NO_KINDS, otherModel: true },
	500: { again: true, effect: REPEATABLE, otherModel: false },
	// No generator and no provider was reached.
	502: { again: true, effect: NO_KINDS, otherModel: true },
	503: { again: true, effect: NO_KINDS, otherModel: true },
	// §8: the gateway has stopped the request. The specification does not say that this is free.
	504: { again: true, effect: ALL, otherModel: false },
};

const REFUSED: Policy = { again: false, effect: NO_KINDS, otherModel: 'by code' };
const OTHER: Policy = { again: false, effect: ALL, otherModel: false };

function statusPolicy(status: number): Policy {
	return POLICIES[status] ?? (status <= 429 ? REFUSED : OTHER);
}

/** The statuses of errors that another model may not have, where the gateway sends no code (§7.4). */
const UNCODED: readonly number[] = [403, 404, 422];

/** The codes of such errors. */
const OF_MODEL: ReadonlySet<string | undefined> = new Set([
	'model_not_found',
	'context_length_exceeded',
	'content_too_large',
	'feature_not_available',
]);

/**
 * What an error response means: its code says what happened, and what follows from it is what the stricter of code and status
 * says.
 *
 * @param meant the status of the code, see {@link statusOf}
 * @param status that of the response
 * @returns also whether they say that the call is free
 */
export function policyOf(
	{ code, type }: { code?: string | undefined; type?: string | undefined },
	meant: number,
	status: number,
): Omit<Policy, 'otherModel'> & { otherModel: boolean; saysFree: boolean } {
	// A status below 400 says nothing.
	const policies = (status < 400 ? [meant] : [meant, status]).map(statusPolicy);
	const isOfModel = code === undefined ? type !== undefined && UNCODED.includes(status) : OF_MODEL.has(code);
	return {
		again: policies.every(({ again }) => again),
		effect: ALL.filter((kind) => policies.some(({ effect }) => effect.includes(kind))),
		otherModel: policies.every(({ otherModel }) => (otherModel === 'by code' ? isOfModel : otherModel)),
		// A 502 or 503 says that no provider was reached; beside another status, not.
		saysFree:
			policies.every(({ effect }) => effect === NO_KINDS) &&
			(meant === status || status < 400 || Math.max(meant, status) < 500),
	};
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

/** §7.1: the status of a code, which says what happened, such as no money (402) in a 429; `undefined` for an unknown code. */
export function statusOf(code = ''): number | undefined {
	const [known] = Object.entries(STATUSES).find(([, codes]) => codes.includes(code)) ?? [];
	return known === undefined ? undefined : Number(known);
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
