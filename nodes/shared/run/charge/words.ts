import { ApiError, InvalidInputError, StoppedError, type ApiErrorDetails } from '../../gateway/errors/errors';
import { costsMoney } from '../../gateway/errors/policy';
import { rubles, sumOfCosts } from '../../gateway/util/money';
import { counted, listed } from '../../gateway/util/text';
import type { WorkflowSettings } from '../../n8n/context';
import type { ItemRecord } from './record';

/**
 * What workflows decide on, as the error item has it.
 * - `retryable`: sending the item again may succeed. It cannot pay twice, unless the description says to check the balance (a 500)
 * - `mayBeCharged`: the call is, or may be, charged: look before sending the item again
 * - `paid`: the task of `taskId` exists and is charged: fetch it with *Wait*
 */
export function outcomeFlags({ outcome, kind, taskId, retryable }: ApiErrorDetails) {
	const isCharged = outcome === 'charged';
	const isUnknown = (isCharged && taskId === undefined) || (outcome === 'unknown' && costsMoney(kind));
	return {
		retryable: retryable && !isCharged && !isUnknown,
		...(isUnknown ? { mayBeCharged: true } : {}),
		...(isCharged && taskId !== undefined ? { paid: true } : {}),
	};
}

export const MAKE_CHEAPER =
	"make the call cheaper: with another model, a text with 'Max Tokens' and fewer files, a media task with a smaller size or a lower quality.";

export function mayBeCharged(error: unknown): boolean {
	if (error instanceof StoppedError) return error.outcome === 'unknown';
	if (error instanceof ApiError) return outcomeFlags(error.details).mayBeCharged ?? false;
	return !(error instanceof InvalidInputError);
}

/**
 * Says whether a failed request is charged: the last sentence of its error.
 *
 * @param hasRetry whether the execution fails: n8n has no *Retry* for one that succeeds
 * @returns `undefined` for requests that cost nothing, and after which nothing is sent that does
 */
export function chargeText(
	{ outcome, kind, taskId, extra, retryable, chargeUnsaid }: ApiErrorDetails,
	isAlone = true,
	hasRetry = true,
): string | undefined {
	const free = 'This call was not charged.';
	if (outcome === 'charged') {
		// A file of its result is gone: each way to fetch it fails.
		if (taskId !== undefined && kind === 'file' && !retryable) return `Task ${taskId} is paid for.`;
		if (taskId !== undefined)
			return `Task ${taskId} is paid for: fetch its result with the operation 'Wait'${hasRetry ? ", or with 'Retry' in the list of executions" : ''}.`;
		const { costRub } = extra ?? {};
		return typeof costRub === 'number'
			? `The call cost ${rubles(String(costRub))}.`
			: 'The call was charged.';
	}
	if (kind === 'create' && outcome === 'unknown')
		return `It was not repeated, because it may have arrived. ${free}`;
	if (kind !== 'create' && !costsMoney(kind)) return undefined;
	if (outcome === 'notSent') return isAlone ? 'Nothing was sent.' : 'This call was not sent.';
	if (outcome === 'rejected')
		return chargeUnsaid ? 'The gateway did not say whether it charged this call: check the balance.' : free;
	if (taskId !== undefined) {
		const { priceRub } = extra ?? {};
		const price = typeof priceRub === 'number' ? ` ${rubles(String(priceRub))}` : '';
		return `It may have been charged${price}: check the balance.`;
	}
	if (kind === 'keyed')
		return `The task may have been created and charged anyway. ${hasRetry ? "'Retry On Fail' and a retry of the execution request the same task; a" : 'A'} new execution creates another one, unless 'Idempotency Key' is set.`;
	return `The call was not repeated, because it may have been charged: check the balance, then ${hasRetry ? 'retry the execution' : 'send this item again'} if you need its response.`;
}

type NextTry = 'retry' | 'retryOfSubExecution' | 'none';

/**
 * How a person can retry an execution that fails.
 *
 * @param mode of the execution, as n8n names it
 */
export function nextTry(
	mode: string,
	{ saveDataErrorExecution, saveManualExecutions }: WorkflowSettings,
): NextTry {
	// n8n does not keep the execution.
	if (mode === 'manual' ? saveManualExecutions === false : saveDataErrorExecution === 'none') return 'none';
	return mode === 'integrated' ? 'retryOfSubExecution' : 'retry';
}

const PAYS =
	"it pays only for what has not succeeded, or for all items if you edit the request, such as the prompt. If this item fails each time, set 'On Error' to 'Continue' first, and retry with the currently saved workflow.";

const NEXT_TRY: Readonly<Record<NextTry, string>> = {
	retry: `To get their results, use 'Retry' of this execution in the list of executions: ${PAYS}`,
	retryOfSubExecution: `To get their results, use 'Retry' in the list of executions for that of this sub-workflow, not for its parent: ${PAYS}`,
	none: '',
};

/**
 * What the other items of a node that ends early cost, and how to get their results; empty if nothing may be charged.
 *
 * @param mostListed how many tasks, and items of unknown outcome, are named; 20 by default
 */
export function othersText(
	others: ReadonlyArray<[index: string, record: ItemRecord]>,
	next: NextTry,
	mostListed?: number,
): string {
	// Without an account, a request cost nothing.
	const paid = others.filter(([, { account }]) => account !== undefined);
	if (paid.length === 0) return '';
	// §2.6 does not say what a failed task costs.
	const isUnknown = ([, { state, taskId, error }]: (typeof paid)[number]) =>
		error?.extra?.state === 'fail' || (taskId === undefined && (state === 'unknown' || state === 'sent'));
	const unknown = paid
		.filter(isUnknown)
		.map(([index, { taskId }]) => (taskId === undefined ? index : `${index} (task ${taskId})`));
	const charged = paid.filter((entry) => !isUnknown(entry)).map(([, record]) => record);
	const costs = charged.flatMap(({ costRub }) => costRub ?? []);
	const texts: string[] = [];
	const item = next === 'none' ? 'item' : 'other item';
	if (costs.length > 0)
		texts.push(`${counted(costs.length, item)} cost ${rubles(sumOfCosts(...costs) ?? '')}.`);
	const withoutCost = charged.filter(({ costRub, isBefore }) => costRub === undefined && !isBefore).length;
	if (withoutCost > 0) texts.push(`${counted(withoutCost, item)} cost an amount that is not known.`);
	const before = charged.filter(({ isBefore }) => isBefore).length;
	if (before > 0) texts.push(`The execution before paid for ${counted(before, item)}.`);
	const hasFailed = ({ error, taskId }: ItemRecord) => error !== undefined && taskId === undefined;
	const failed = charged.filter(hasFailed).length;
	if (failed > 0)
		texts.push(`${failed} of them failed, too${next === 'none' ? '' : ': a retry pays for them again'}.`);
	const results = charged.filter((record) => !hasFailed(record));
	if (results.length > 0) texts.push(NEXT_TRY[next]);
	const lost = results.filter(({ outputs, taskId }) => !outputs && taskId === undefined).length;
	if (lost > 0 && next !== 'none')
		texts.push(`The results of ${counted(lost, 'item')} are not kept, so they are paid for again.`);
	if (unknown.length > 0) {
		const pronoun = unknown.length === 1 ? 'it' : 'they';
		texts.push(
			`The outcome of item${unknown.length === 1 ? '' : 's'} ${listed(unknown, mostListed)} is unknown: ${pronoun} may have been charged.`,
		);
	}
	const tasks = charged.flatMap(({ taskId }) => taskId ?? []);
	if (tasks.length > 0)
		texts.push(`The operation 'Wait' also gets the results of tasks: ${listed(tasks, mostListed)}.`);
	return texts.filter(Boolean).join(' ');
}
