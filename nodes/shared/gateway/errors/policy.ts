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

/** Whether a request that failed may be sent again (§7.6). A call that costs money only after an error status. */
export function mayRepeat(kind: RequestKind, { retryable, outcome, status = 0 }: ApiErrorDetails): boolean {
	if (!retryable) return false;
	return REPEATABLE.includes(kind) || outcome === 'notSent' || (outcome === 'rejected' && status >= 400);
}

export function costsMoney(kind: RequestKind): boolean {
	return kind === 'keyed' || kind === 'charge';
}
