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

/** Statuses that such errors have. */
const UNCODED: ReadonlySet<number> = new Set([403, 404, 422]);

/**
 * Whether another model may be asked after an error: the gateway has rejected every request for the first one, so
 * nothing is charged, and the reason may lie in the model.
 */
function mayFallBack(error: unknown): error is ApiError {
	if (!(error instanceof ApiError)) return false;
	const { outcome, status = 0, code, type } = error.details;
	if (outcome === 'unknown' || outcome === 'charged') return false;
	// §7.4: the messages format has types, and no codes.
	const mayBeOfModel = code === undefined ? type !== undefined && UNCODED.has(status) : CODES.has(code);
	return statusPolicy(status).otherModel || (status >= 400 && mayBeOfModel);
}

/**
 * Tries each of the models once, in turn, until one is not rejected. A fallback model that cannot be used, such as one without a
 * price under a limit of cost, is passed over. When the rate limit refuses two models, it is that of the account (§5): then,
 * and when no other model takes the call, the first of them is asked again, and waits.
 *
 * @param models in the order in which they are tried, at least one
 * @param before the errors of the models that did not take the call
 * @returns the result, and the models before
 * @throws the error of the last model
 */
export async function withFallbacks<T>(
	models: readonly string[],
	ask: (model: string, turn: Turn) => Promise<T>,
	before: ReadonlyMap<string, Error> = new Map(),
): Promise<{ result: T; fallbackFrom: readonly string[] }> {
	const [model = '', ...others] = new Set(models);
	try {
		const turn = { isFallback: firstLimited(before) !== undefined, hasFallback: others.length > 0 };
		return { result: await ask(model, turn), fallbackFrom: [...before.keys()] };
	} catch (thrown) {
		const error = asError(thrown);
		// Found before anything is sent: another model may be cheaper.
		const isUnsent = error instanceof InvalidInputError && (before.size > 0 || LIMITS.has(error.param));
		if (!isUnsent && !mayFallBack(error)) throw withRejections(error, before);
		const tried = new Map([...before, [model, error]]);
		const limited = firstLimited(tried);
		const isLast = others.length === 0;
		if (limited !== undefined && limited !== model && (isLast || isRateLimit(error))) {
			const result = await ask(limited, {}).catch((last: unknown) => {
				throw withRejections(asError(last), tried);
			});
			const names = [...tried.keys()];
			return { result, fallbackFrom: names.slice(0, names.indexOf(limited)) };
		}
		if (isLast) throw withRejections(error, before);
		return await withFallbacks(others, ask, tried);
	}
}

/** The first model that the rate limit has refused. */
function firstLimited(errors: ReadonlyMap<string, Error>): string | undefined {
	return [...errors].find(([, error]) => isRateLimit(error))?.[0];
}

function isRateLimit(error: Error): boolean {
	return error instanceof ApiError && error.details.isRateLimit === true;
}

/** The hint about what fallback models have answered. */
export function fallbackHint(count: number, noun: string): string {
	return `${count} ${noun}${count === 1 ? ' was' : 's were'} answered by a fallback model.`;
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
