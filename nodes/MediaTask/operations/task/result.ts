import { fileName } from '../../../shared/fields/fileName';
import { binaryPropertyName, downloadResults, simplify } from '../../../shared/fields/results';
import { waitForTask, type WaitOptions } from '../../../shared/gateway/endpoints/polling';
import { isMissing, readMediaTask, taskError } from '../../../shared/gateway/endpoints/tasks';
import { currentAccount } from '../../../shared/n8n/client';
import { downloadFiles, taskJson } from '../../../shared/n8n/taskResults';
import { ApiError, asError } from '../../../shared/gateway/errors/errors';
import { number } from '../../../shared/params/kinds';
import type { Values } from '../../../shared/params/parameter';
import type { ItemContext, ItemInput, OperationOutput } from '../../../shared/run/operation';

export const resultParameters = { downloadResults, simplify };
export const resultOptions = {
	maxWait: number({
		displayName: 'Max Wait (Minutes)',
		min: 0.001,
		decimals: 3,
		default: 30,
		description:
			"How long to wait for the result. Defaults to 30. After that, the item fails or, if suspended, is output with 'timedOut'. The task continues: 'Wait' gets its result.",
		traits: { changesRequest: false },
	}),
	binaryPropertyName,
	fileName,
};

type ResultParams = Values<typeof resultParameters> & {
	readonly options: Values<typeof resultOptions> & { readonly idempotencyKey?: string | undefined };
};

type Wait = WaitOptions & { model?: string; priceRub?: () => Promise<number | undefined> };

const CHANGE_KEY = "Change 'Idempotency Key', too: the gateway returns this task for it.";

/** What creates another task in place of one that is gone. */
const NEW_TASK = 'Or use a new execution, or another input: that creates and charges another one.';
const NEW_TASK_OF_KEY =
	"Or enter another 'Idempotency Key', which creates and charges another one: for this key, the gateway returns this task.";

const withAdvice = (error: ApiError, advice: string) =>
	error.with({ description: `${error.details.description} ${advice}` });

export interface PlannedResult {
	maxWaitMs: number;
	isSimple: boolean;
	/** The binary field of its files; `undefined` for none. */
	field: string | undefined;
	hasOwnKey: boolean;
}

export function planResult({ params, run }: ItemInput<ResultParams>): PlannedResult {
	const { maxWait, binaryPropertyName: field, idempotencyKey } = params.options;
	return {
		maxWaitMs: maxWait * 60_000,
		isSimple: params.simplify || run.isTool,
		// An AI Agent can use links, not files.
		field: params.downloadResults && !run.isTool ? field : undefined,
		hasOwnKey: idempotencyKey !== undefined,
	};
}

/** Polls a task until it has ended (§3.1), and returns the output. Errors have the task's ID. */
export async function resultOf(
	item: ItemContext,
	{ isSimple, field, hasOwnKey }: PlannedResult,
	taskId: string,
	{ model, priceRub, ...wait }: Wait,
): Promise<OperationOutput[]> {
	const { client, index, run } = item;
	const known = model === undefined ? undefined : await run.mediaModels.known(client, model);
	const maxWaitMs = Math.min(wait.maxWaitMs, run.caller.call?.waitMs ?? Infinity);
	const onFound = () => run.records.found(index);
	const options = { ...wait, maxWaitMs, mediaType: known?.mediaType, onFound };
	const body = await waitForTask(client, taskId, options).catch(async (error: unknown) => {
		if (!isMissing(error)) throw asError(error);
		run.taskEnded(taskId, 'gone');
		throw await goneError(item, error, hasOwnKey);
	});
	// Its cost is counted then: that of a failed task becomes unknown.
	const rub = await priceRub?.();
	const task = readMediaTask(body, taskId);
	task.model ??= model;
	if (task.state === 'fail') {
		run.taskEnded(taskId, 'failed');
		const created = model === undefined ? undefined : { priceRub: rub };
		const error = taskError(task, client.settings.secrets, created);
		throw hasOwnKey ? withAdvice(error, CHANGE_KEY) : error;
	}
	const json = isSimple ? taskJson(task, rub) : body;
	const binary = field === undefined ? undefined : await downloadFiles(item, task, field);
	return [{ json, ...(binary && { binary }) }];
}

/** The error of a task that is gone. It is not made again: the user may have deleted it, and can bring it back. */
async function goneError(
	{ n8n, run, index }: ItemContext,
	gone: ApiError,
	hasOwnKey: boolean,
): Promise<ApiError> {
	const { account } = run.records.get(index) ?? {};
	// *Wait* has created no task.
	if (account === undefined) return gone;
	// Also when the credential has got another key during a long wait.
	if ((await currentAccount(n8n, index)) === account)
		return gone.with({
			message: 'The task of this item was deleted at the gateway',
			description: `First bring it back, which costs nothing: Gateway Media Task, resource 'Task', operation 'Restore'. ${hasOwnKey ? NEW_TASK_OF_KEY : NEW_TASK}`,
		});
	return gone.with({
		message: 'The task of this item was created with another API key',
		description:
			"The gateway does not know it with this one. Choose the credential, or enter the key, that created it. If both keys are of one account, the task was deleted: the operation 'Restore' brings it back.",
	});
}
