import type { Turn } from '../client/attempts';
import { ApiError, asError, InvalidInputError } from '../errors/errors';
import { statusPolicy } from '../errors/policy';

/** Errors of §7.3 that another model may not have. */
const CODES: ReadonlySet<string | undefined> = new Set([
	'model_not_found',
	'context_length_exceeded',
	'content_too_large',
	'feature_not_available',
]);

/** Limits of cost, by the names that workflows and credentials store. */
const LIMITS: ReadonlySet<string | undefined> = new Set(['maxCostRub', 'minBalanceRub']);

const UNCODED: ReadonlySet<number> = new Set([403, 404, 422]);

/** Whether the gateway has rejected a model at no cost, and may take another one, or the first one later. */
function mayFallBack(error: unknown, isFirstLimited: boolean): boolean {
	if (!(error instanceof ApiError)) return false;
	const { outcome, status = 0, code, type } = error.details;
	if (outcome === 'unknown' || outcome === 'charged') return false;
	if (isFirstLimited) return status !== 401 && status !== 402;
	// §7.4: the messages format has types, and no codes.
	const mayBeOfModel = code === undefined ? type !== undefined && UNCODED.has(status) : CODES.has(code);
	return statusPolicy(status).otherModel || (status >= 400 && mayBeOfModel);
}

/**
 * Tries each of the models once, in turn, until one is not rejected. A fallback model that cannot be used,
 * such as one without a price under a limit of cost, is passed over. When the rate limit refuses two models,
 * it is that of the account (§5): then, and when no other model takes the call, the first of them is asked
 * again, and waits.
 *
 * @returns the result, and the models that did not take the call
 * @throws the error of the last model
 */
export async function withFallbacks<T>(
	models: readonly string[],
	ask: (model: string, turn: Turn) => Promise<T>,
): Promise<{ result: T; fallbackFrom: readonly string[] }> {
	const names = [...new Set(models.map((name) => name.trim()).filter(Boolean))];
	const rejected = new Map<string, Error>();
	let limited: string | undefined;
	for (const model of names) {
		const hasFallback = model !== names.at(-1);
		try {
			const result = await ask(model, { isFallback: limited !== undefined, hasFallback });
			return { result, fallbackFrom: [...rejected.keys()] };
		} catch (thrown) {
			const error = asError(thrown);
			// Found before anything is sent: another model may be cheaper.
			const isUnsent = error instanceof InvalidInputError && (rejected.size > 0 || LIMITS.has(error.param));
			const mayGoOn = isUnsent || mayFallBack(error, limited !== undefined);
			if (!mayGoOn || (!hasFallback && limited === undefined)) throw withRejections(error, rejected);
			rejected.set(model, error);
			if (!isRateLimit(error)) continue;
			if (limited !== undefined) break;
			limited = model;
		}
	}
	const again = limited ?? '';
	const result = await ask(again, {}).catch((last: unknown) => {
		throw withRejections(asError(last), rejected);
	});
	return { result, fallbackFrom: names.slice(0, names.indexOf(again)) };
}

function isRateLimit(error: Error): boolean {
	return error instanceof ApiError && error.details.isRateLimit === true;
}

export function fallbackHint(count: number): string {
	return `${count} item${count === 1 ? ' was' : 's were'} answered by a fallback model.`;
}

function withRejections(error: Error, before: ReadonlyMap<string, Error>): Error {
	if (before.size === 0) return error;
	const models = [...before].map(([model, { message }]) => `${model} (“${message}”)`);
	const note = `Rejected before: ${models.join(', ')}.`;
	if (error instanceof ApiError) return error.with({ description: `${error.details.description} ${note}` });
	if (!(error instanceof InvalidInputError)) return error;
	return new ApiError({
		message: error.message,
		description: `${error.description} ${note}`,
		outcome: 'rejected',
		code: 'invalid_input',
		param: error.param,
		retryable: false,
	});
}
