import { binaryPropertyName, downloadResults, fileName, simplify } from '../../../shared/fields/results';
import { waitForTask, type WaitOptions } from '../../../shared/gateway/endpoints/polling';
import { isGone, readMediaTask, taskError } from '../../../shared/gateway/endpoints/tasks';
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
	}),
	binaryPropertyName,
	fileName,
};

type ResultParams = Values<typeof resultParameters> & {
	readonly options: Values<typeof resultOptions> & { readonly idempotencyKey?: string | undefined };
};

type Wait = WaitOptions & { model?: string; priceRub?: () => Promise<number | undefined> };

const CHANGE_KEY = "Change 'Idempotency Key', too: the gateway returns this task for it.";

const RESTORE = "The operation 'Restore' brings a deleted task back.";

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
	const { client } = item;
	const known = model === undefined ? undefined : await item.run.mediaModels.known(client, model);
	const maxWaitMs = Math.min(wait.maxWaitMs, item.run.call?.waitMs ?? Infinity);
	const options = { ...wait, maxWaitMs, mediaType: known?.mediaType };
	const body = await waitForTask(client, taskId, options).catch((error: unknown) => {
		throw isGone(error)
			? withAdvice(error, hasOwnKey ? `${RESTORE} ${CHANGE_KEY}` : RESTORE)
			: asError(error);
	});
	const rub = await priceRub?.();
	const task = readMediaTask(body, taskId);
	task.model ??= model;
	if (task.state === 'fail') {
		const created = model === undefined ? undefined : { priceRub: rub };
		const error = taskError(task, client.settings.secrets, created);
		throw hasOwnKey ? withAdvice(error, CHANGE_KEY) : error;
	}
	const json = isSimple ? taskJson(task, rub) : body;
	const binary = field === undefined ? undefined : await downloadFiles(item, task, field);
	return [{ json, ...(binary && { binary }) }];
}
