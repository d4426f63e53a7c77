/** Authentication (§5) and rate limits of the account (§7.3: 429). */
import type { FastifyRequest } from 'fastify';
import { keysOf, type Account } from './accounts';
import type { GatewayContext } from './context';
import type { RateLimit } from './control/types';
import { ApiError } from './errors';

/** The account of the request, or null without a key; throws 401 for an invalid key. */
export function identify(context: GatewayContext, request: FastifyRequest): Account | null {
	const { xApiKey, bearer } = keysOf(request.headers);
	const key = xApiKey ?? bearer;
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
	const windowMs = limit.windowMs ?? 60_000;
	account.recentRequests = account.recentRequests.filter((time) => now - time < windowMs);
	const oldest = account.recentRequests[0];
	if (oldest !== undefined && account.recentRequests.length >= limit.requestsPerMinute) {
		throw new ApiError('rate_limit_exceeded', undefined, retryDetails(limit, oldest + windowMs - now));
	}
	account.recentRequests.push(now);
}

/** 429 `token_limit_exceeded` when the window's tokens are used up; otherwise notes the call's tokens. */
export function checkTokenRate(account: Account, limit: RateLimit | null, tokens: number, now: number): void {
	if (limit?.tokensPerMinute === undefined) return;
	const windowMs = limit.windowMs ?? 60_000;
	account.recentTokens = account.recentTokens.filter((entry) => now - entry.time < windowMs);
	const used = account.recentTokens.reduce((sum, entry) => sum + entry.tokens, 0);
	if (used + tokens > limit.tokensPerMinute) {
		const oldest = account.recentTokens[0]?.time ?? now;
		throw new ApiError('token_limit_exceeded', undefined, retryDetails(limit, oldest + windowMs - now));
	}
	account.recentTokens.push({ time: now, tokens });
}

function retryDetails(limit: RateLimit, waitMs: number): { retryAfter?: string } {
	if (limit.retryAfter === 'none') return {};
	const seconds = Math.max(1, Math.ceil(waitMs / 1000));
	const isDate = limit.retryAfter === 'date';
	return { retryAfter: isDate ? new Date(Date.now() + seconds * 1000).toUTCString() : String(seconds) };
}
