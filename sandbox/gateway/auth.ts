/** Authentication (§5) and limits of the account (§7.3: 403, 422 limit_exceeded, 429). */
import type { FastifyRequest } from 'fastify';
import type { Account } from './accounts';
import type { GatewayContext } from './context';
import type { RateLimit, RequestRecord } from './control/types';
import { ApiError } from './errors';

/** The keys that a request carries; X-Api-Key is checked first (§5). */
export function keysOf(headers: FastifyRequest['headers']): {
	xApiKey: string | null;
	bearer: string | null;
	used: RequestRecord['key']['used'];
} {
	const raw = headers['x-api-key'];
	const xApiKey = typeof raw === 'string' && raw !== '' ? raw : null;
	const bearer = /^Bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1] ?? null;
	return { xApiKey, bearer, used: xApiKey ? 'x-api-key' : bearer ? 'authorization' : null };
}

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
	checkAccess(account, request.ip);
	checkRequestRate(account, context.settings.current.rateLimit, Date.now());
	return account;
}

function checkAccess(account: Account, address: string): void {
	const { restrictions } = account;
	if (restrictions?.deny) throw new ApiError(restrictions.deny);
	if (restrictions?.ipAllowList && !restrictions.ipAllowList.includes(address)) {
		throw new ApiError('ip_not_allowed');
	}
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
	const seconds = Math.max(1, Math.ceil(waitMs / 1000));
	switch (limit.retryAfter ?? 'seconds') {
		case 'none':
			return {};
		case 'date':
			return { retryAfter: new Date(Date.now() + seconds * 1000).toUTCString() };
		case 'seconds':
			return { retryAfter: String(seconds) };
	}
}

/** Checks a paid request against the plan: 403 for a model outside it, 422 when its quantity is used up. */
export function checkPlan(account: Account, model: string): void {
	const { restrictions } = account;
	if (!restrictions) return;
	if (restrictions.blockedModels?.includes(model)) throw new ApiError('feature_not_available');
	if (restrictions.remainingCalls === undefined) return;
	if (restrictions.remainingCalls <= 0) throw new ApiError('limit_exceeded');
	restrictions.remainingCalls -= 1;
}
