/** Authentication (§5) and rate limits of the account (§7.3: 429). */
import type { FastifyRequest } from 'fastify';
import { keyOf, type Account } from './accounts';
import type { GatewayContext } from './context';
import type { RateLimit } from './control/types';
import { ApiError } from './errors';

/** The account of the request, or null without a key; throws 401 for an invalid key. */
export function identify(context: GatewayContext, request: FastifyRequest): Account | null {
	const key = keyOf(request);
	if (key !== null) {
		const account = context.accounts.byKey(key);
		if (!account) throw new ApiError('invalid_api_key');
		return account;
	}
	// §5: the cookie fallback; no session is ever valid here.
	if (request.headers.cookie?.includes('session=')) throw new ApiError('unauthorized');
	return null;
}

/** The account of a request that needs a key, after all checks of the account (§7.3). */
export function authenticate(context: GatewayContext, request: FastifyRequest): Account {
	const account = identify(context, request);
	if (!account) throw new ApiError('invalid_api_key', 'You did not provide an API key');
	checkRequestRate(account, context.settings.current.rateLimit, Date.now());
	return account;
}

function checkRequestRate(account: Account, limit: RateLimit | null, now: number): void {
	if (limit?.requestsPerMinute === undefined) return;
	checkRate('rate_limit_exceeded', account.recentRequests, 1, limit.requestsPerMinute, limit, now);
}

/** 429 `token_limit_exceeded` when the window's tokens are used up; otherwise notes the call's tokens. */
export function checkTokenRate(account: Account, limit: RateLimit | null, tokens: number, now: number): void {
	if (limit?.tokensPerMinute === undefined) return;
	checkRate('token_limit_exceeded', account.recentTokens, tokens, limit.tokensPerMinute, limit, now);
}

/** Notes an amount, unless that would be more than fits into the window. */
function checkRate(
	code: 'rate_limit_exceeded' | 'token_limit_exceeded',
	recent: Account['recentRequests'],
	amount: number,
	most: number,
	{ windowMs = 60_000, retryAfter }: RateLimit,
	now: number,
): void {
	while (recent[0] && now - recent[0].time >= windowMs) recent.shift();
	if (recent.reduce((sum, entry) => sum + entry.amount, amount) <= most) {
		recent.push({ time: now, amount });
		return;
	}
	const seconds = Math.max(1, Math.ceil(((recent[0]?.time ?? now) + windowMs - now) / 1000));
	const isDate = retryAfter === 'date';
	const header = isDate ? new Date(Date.now() + seconds * 1000).toUTCString() : String(seconds);
	throw new ApiError(code, undefined, retryAfter === 'none' ? {} : { retryAfter: header });
}
