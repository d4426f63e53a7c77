import { ApiError, InvalidInputError, StoppedError, type ApiErrorDetails } from './errors';
import { costsMoney } from './policy';

/**
 * What workflows decide on, as the error item has it.
 * - `retryable`: sending the item again may succeed, and cannot pay twice
 * - `mayBeCharged`: the call is, or may be, charged: look before sending the item again
 * - `paid`: the task of `taskId` exists and is charged: fetch it with *Wait*
 */
export function outcomeFlags({ outcome, kind = 'charge', taskId, retryable }: ApiErrorDetails) {
	const isCharged = outcome === 'charged';
	const mayBeCharged = (isCharged && taskId === undefined) || (outcome === 'unknown' && costsMoney(kind));
	return {
		retryable: retryable && !isCharged && !mayBeCharged,
		...(mayBeCharged ? { mayBeCharged } : {}),
		...(isCharged && taskId !== undefined ? { paid: true } : {}),
	};
}

/** Whether a call may be charged although it failed with this error. */
export function mayBeCharged(error: unknown): boolean {
	if (error instanceof StoppedError) return error.outcome === 'unknown';
	if (error instanceof ApiError) return outcomeFlags(error.details).mayBeCharged ?? false;
	return !(error instanceof InvalidInputError);
}

/** The last sentence of an error before which nothing was sent. */
export const NOTHING_SENT = 'Nothing was sent.';

/**
 * Says whether a failed request is charged: the last sentence of its error.
 *
 * @returns `undefined` for requests that cost nothing, and after which nothing is sent that does
 */
export function chargeText({ outcome, kind = 'charge', taskId, extra }: ApiErrorDetails): string | undefined {
	if (outcome === 'charged') {
		if (taskId !== undefined)
			return `Task ${taskId} is paid for: fetch its result with the operation 'Wait'.`;
		const { costRub } = extra ?? {};
		return typeof costRub === 'number' ? `The call cost ₽${costRub}.` : 'The call was charged.';
	}
	if (kind === 'create' && outcome === 'unknown')
		return 'It was not repeated, because it may have arrived. Nothing was charged.';
	if (kind !== 'create' && !costsMoney(kind)) return undefined;
	if (outcome === 'notSent') return NOTHING_SENT;
	if (outcome === 'rejected') return 'Nothing was charged.';
	if (taskId !== undefined) return 'It may have been charged: check the balance.';
	return kind === 'keyed'
		? "The task may have been created and charged anyway. The node’s own retries and 'Retry On Fail' request the same task; a new execution creates another one, unless 'Idempotency Scope' is 'Workflow' or 'Idempotency Key' is set."
		: 'The call was not repeated, because it may have been charged: check the balance, then run this item again if you need its response.';
}
