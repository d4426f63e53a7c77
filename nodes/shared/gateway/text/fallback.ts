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
 * price under a limit of cost, is passed over.
 *
 * @param models in the order in which they are tried, at least one
 * @param before what each model that did not take the call has said
 * @returns the result, and the models before
 * @throws the error of the last model
 */
export async function withFallbacks<T>(
	models: readonly string[],
	ask: (model: string) => Promise<T>,
	before: ReadonlyMap<string, string> = new Map(),
): Promise<{ result: T; fallbackFrom: readonly string[] }> {
	const [model = '', ...others] = new Set(models);
	try {
		return { result: await ask(model), fallbackFrom: [...before.keys()] };
	} catch (error) {
		// Found before anything is sent: another model may be cheaper.
		const isUnsent = error instanceof InvalidInputError && (before.size > 0 || LIMITS.has(error.param));
		if (others.length > 0 && (isUnsent || mayFallBack(error)))
			return await withFallbacks(others, ask, new Map([...before, [model, error.message]]));
		throw before.size > 0 ? withRejections(asError(error), before) : asError(error);
	}
}

function withRejections(error: Error, before: ReadonlyMap<string, string>): Error {
	const models = [...before].map(([model, message]) => `${model} (“${message}”)`);
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
