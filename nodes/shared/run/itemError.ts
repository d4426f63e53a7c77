import { isFailedTask } from '../gateway/endpoints/tasks';
import { ApiError, InvalidInputError, StoppedError, type ApiErrorDetails } from '../gateway/errors/errors';
import { outcomeFlags } from '../gateway/errors/outcome';
import { descriptionOf } from './nodeError';

/** Whether a call may be charged although it failed with this error. */
export function mayBeCharged(error: unknown): boolean {
	if (error instanceof StoppedError) return error.outcome === 'unknown';
	if (error instanceof ApiError) return outcomeFlags(error.details).mayBeCharged ?? false;
	return !(error instanceof InvalidInputError);
}

/**
 * The error of an item, with what is known of its earlier requests.
 *
 * @param known the outcome `charged` with the item's task, or `unknown`
 */
export function itemError(
	error: unknown,
	known: Pick<ApiErrorDetails, 'outcome' | 'kind' | 'taskId'>,
): unknown {
	if (error instanceof StoppedError || isFailedTask(error)) return error;
	const { details } = toApiError(error);
	// What the error itself says of its outcome is more precise.
	if (known.outcome === 'unknown' && outcomeFlags(details).mayBeCharged) return error;
	return toApiError(error).with(known);
}

function toApiError(error: unknown): ApiError {
	if (error instanceof ApiError) return error;
	const cause = error instanceof Error ? error : undefined;
	const details = {
		message: cause?.message ?? String(error),
		description: error instanceof InvalidInputError ? error.description : (descriptionOf(error) ?? ''),
		outcome: 'unknown' as const,
		code: 'internal_error',
		retryable: false,
	};
	return new ApiError(details, cause);
}
