import type { RequestSettings } from '../client/client';
import { ApiError, asError, InvalidInputError, LimitError } from '../errors/errors';

/** How long a model waits for its rate limit while another one may take the call, in milliseconds. */
const BRIEF_MS = 2_000;

/** Whether another model, or later the first one, may take a call that the gateway has rejected. */
function mayFallBack(error: unknown, isFirstLimited: boolean): boolean {
	if (!(error instanceof ApiError)) return false;
	const { outcome, status = 0, responseStatus = status, otherModel, chargeUnsaid } = error.details;
	// What a call needs before, such as a price, says nothing of the model.
	if (outcome !== 'rejected') return false;
	// A model that has failed with the status 200 may have written something.
	const isOfAccount = [status, responseStatus].some((one) => one === 401 || one === 402);
	return otherModel === true || (isFirstLimited && !chargeUnsaid && status >= 400 && !isOfAccount);
}

/**
 * Tries each of the models once, one after the other, until one is not rejected. A fallback model that cannot be used,
 * such as one without a price under a limit of cost, is passed over. When no model takes the call, the first
 * one that the rate limit has refused is asked again, and waits. Returns the models that did not take the call, too, and
 * throws the error of the last one.
 */
export async function withFallbacks<T>(
	models: readonly string[],
	ask: (model: string, settings: Pick<RequestSettings, 'rateLimitWaitMs'>) => Promise<T>,
): Promise<{ result: T; fallbackFrom: string[] }> {
	const names = [...new Set(models.map((name) => name.trim()).filter(Boolean))];
	const rejected = new Map<string, Error>();
	let limited: string | undefined;
	for (const model of names) {
		const isLast = model === names.at(-1) && limited === undefined;
		try {
			const result = await ask(model, isLast ? {} : { rateLimitWaitMs: BRIEF_MS });
			return { result, fallbackFrom: [...rejected.keys()] };
		} catch (thrown) {
			const error = asError(thrown);
			// Found before anything is sent: another model may be cheaper.
			const isUnsent =
				error instanceof LimitError || (error instanceof InvalidInputError && rejected.size > 0);
			const mayGoOn = isUnsent || mayFallBack(error, limited !== undefined);
			if (!mayGoOn || isLast) throw withRejections(error, rejected);
			rejected.set(model, error);
			if (error instanceof ApiError && error.details.isRateLimit) limited ??= model;
		}
	}
	// All have been asked. Without any model, the gateway refuses the call.
	const again = limited ?? '';
	const result = await ask(again, {}).catch((last: unknown) => {
		throw withRejections(asError(last), rejected);
	});
	return { result, fallbackFrom: names.slice(0, names.indexOf(again)) };
}

/** A hint. */
export const FALLBACK = 'A fallback model answered.';

function withRejections(error: Error, before: ReadonlyMap<string, Error>): Error {
	if (before.size === 0) return error;
	const models = [...before].map(([model, { message }]) => `${model} (“${message}”)`);
	const note = `Rejected before: ${models.join(', ')}.`;
	const sent = [...before.values()].filter((earlier) => earlier instanceof ApiError);
	const isUnsaid = sent.some(({ details }) => details.chargeUnsaid);
	const chargeUnsaid = isUnsaid ? { chargeUnsaid: true } : {};
	if (error instanceof ApiError)
		return error.with({ description: `${error.details.description} ${note}`, ...chargeUnsaid });
	if (!(error instanceof InvalidInputError)) return error;
	return new ApiError({
		message: error.message,
		description: `${error.description} ${note}`,
		outcome: sent.length > 0 ? 'rejected' : 'notSent',
		kind: 'charge',
		...chargeUnsaid,
		code: 'invalid_input',
		param: error.param,
		retryable: false,
	});
}
