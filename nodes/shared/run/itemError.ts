import { ApiError, InvalidInputError, StoppedError } from '../gateway/errors/errors';
import { descriptionOf } from './nodeError';

/** What the journal knows about an item that failed. */
export interface ChargeState {
	/** Its task, which is paid for. */
	taskId?: string;
	/** Whether a call was sent whose outcome is unknown. */
	mayBeCharged?: boolean;
}

/** Whether a call may be charged although it failed with this error. */
export function mayBeCharged(error: unknown): boolean {
	if (error instanceof StoppedError) return error.mayHaveTakenEffect;
	if (error instanceof ApiError) return error.details.mayBeCharged ?? false;
	return !(error instanceof InvalidInputError);
}

/**
 * The error of an item as the user gets it: with its task, and with what is charged. Sending the item again could
 * then pay twice, so it is not retryable.
 */
export function itemError(error: unknown, { taskId, mayBeCharged: isUnknown }: ChargeState): unknown {
	if (error instanceof StoppedError) return error;
	if (taskId !== undefined) return paidError(toApiError(error), taskId);
	return isUnknown ? unknownError(toApiError(error)) : error;
}

function paidError(error: ApiError, taskId: string): ApiError {
	const { description, paid = true } = error.details;
	const hint = `Task ${taskId} is paid for: fetch its result with the operation 'Wait'.`;
	return error.with({
		taskId,
		paid,
		retryable: false,
		mayBeCharged: undefined,
		description: paid && !description.includes(taskId) ? `${description} ${hint}`.trim() : description,
	});
}

function unknownError(error: ApiError): ApiError {
	const { description, mayBeCharged: isSaid } = error.details;
	const hint =
		'An earlier request for this item may have been charged: check the balance before you send it again.';
	return error.with({
		mayBeCharged: true,
		retryable: false,
		description: isSaid ? description : `${description} ${hint}`.trim(),
	});
}

function toApiError(error: unknown): ApiError {
	if (error instanceof ApiError) return error;
	const cause = error instanceof Error ? error : undefined;
	const details = {
		message: cause?.message ?? String(error),
		description: descriptionOf(error) ?? '',
		delivery: 'unknown' as const,
		code: 'internal_error',
		retryable: false,
	};
	return new ApiError(details, cause);
}
