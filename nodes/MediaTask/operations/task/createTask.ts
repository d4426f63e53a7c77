import { createMediaTask } from '../../../shared/gateway/endpoints/tasks';
import { uploadForUse } from '../../../shared/gateway/endpoints/upload';
import { ApiError, asError, StoppedError } from '../../../shared/gateway/errors/errors';
import { taskPrice } from '../../../shared/gateway/media/price';
import { asNumber, type JsonObject } from '../../../shared/gateway/util/json';
import { charge } from '../../../shared/run/charge/charge';
import { claimKey, digest } from '../../../shared/run/charge/keys';
import type { OperationOutput } from '../../../shared/run/operation';
import type { ResumeCallback } from '../../suspend/suspension';
import { withFieldLabel, readInput } from '../input';
import { placeholder } from '../inputFiles';
import { mayBeOfOthers, readTaskRequest, type PlannedTask, type TaskItem } from './taskRequest';

/** A task that exists. */
export interface CreatedTask {
	taskId: string;
	/** The response to its creation. */
	response: JsonObject;
	/** Whether it may have ended already. */
	mayExist: boolean;
	/** Whether the gateway may not know it yet. */
	isNew: boolean;
	/** In rubles; `undefined` when the catalogue does not have it, or when the run ends. */
	priceRub: () => Promise<number | undefined>;
}

/**
 * The task of an item: that of an earlier try, or a new one, whose price is added to the cost of the execution.
 *
 * @param callback how the gateway resumes this execution, when it may be suspended
 * @throws {InvalidInputError} also if the execution could then cost more than the limit
 */
export async function createTask(
	item: TaskItem,
	planned: PlannedTask,
	callback?: ResumeCallback,
): Promise<CreatedTask> {
	const { run, client, index, params } = item;
	const { taskId, response, key: sentKey, isBefore = false } = run.records.get(index) ?? {};
	const isNew = !isBefore && params.options.idempotencyKey === undefined;
	if (taskId !== undefined && response) {
		const priceRub = async () => asNumber(await priceOf(item, async () => await readInput(item)));
		return { taskId, response, mayExist: true, isNew, priceRub };
	}
	const { bodyWith, inputWith, content, mostRub } = await readTaskRequest(item, planned, callback);
	const { idempotencyKey: ownKey, maxCostRub } = params.options;
	const { records, spending } = run;
	const key = records.key(index, ownKey);
	const place = records.placeOf(index);
	const claimed = () => claimKey(spending.keys, [client.account, key], { place, content: digest(content) });
	let input: JsonObject = {};
	const send = async () => {
		input = await inputWith(async (file) => await uploadForUse(client, file)).catch(nothingCreated);
		const created = await createMediaTask(client, bodyWith(input), key).catch(async (error: unknown) => {
			throw await withFieldLabel(item, error, input);
		});
		records.put(index, { state: 'charged', taskId: created.taskId, response: created.body });
		return created;
	};
	const plan = {
		client,
		item: { index, records },
		key,
		ownKey: ownKey === undefined ? undefined : claimed(),
		mostRub,
		maxCostRub,
	};
	const priced = async () => mostRub ?? (await priceOf(item, async () => await Promise.resolve(input)));
	const { result, rub } = await charge(spending, plan, send, async (ended) =>
		'result' in ended ? await priced() : undefined,
	);
	run.background.push(rub);
	return {
		taskId: result.taskId,
		response: result.body,
		mayExist: mayBeOfOthers(item) || sentKey !== undefined,
		isNew,
		priceRub: async () => asNumber(await rub),
	};
}

/** Whether the task of an item was created with another API key or base URL. */
export function isOfOtherAccount({ run, client, index }: TaskItem): boolean {
	const { account = client.account } = run.records.get(index) ?? {};
	return account !== client.account;
}

/**
 * Creates the task of an item again, which the gateway does not have any more, if a person has retried the execution.
 *
 * @param gone the error of its poll
 * @throws that error where it may not be created again
 */
export async function createAgain(
	item: TaskItem,
	planned: PlannedTask,
	gone: ApiError,
): Promise<CreatedTask> {
	const { run, index } = item;
	if (isOfOtherAccount(item)) {
		throw gone.with({
			message: 'The task of this item was created with another API key',
			description:
				'The gateway does not know it with this one. Choose the credential of the try before again.',
		});
	}
	if (!run.isRetry || item.params.options.idempotencyKey !== undefined) throw gone;
	run.records.useUp(index);
	run.hints.add(
		`The gateway does not have the task of item ${index} any more: it was created, and charged, again.`,
	);
	return await createTask(item, planned);
}

/** The price of a task that is paid for, where the catalogue has it: an error must not fail the task. */
async function priceOf(
	{ run, client, params }: TaskItem,
	input: () => Promise<JsonObject>,
): Promise<string | undefined> {
	try {
		const model = await run.mediaModels.known(client, params.model);
		return model && taskPrice(model, await input()).rub;
	} catch {
		// Such as the end of the run.
		return undefined;
	}
}

/** Without its upload, or when the end of the run has stopped that, a task is not created. */
function nothingCreated(error: unknown): never {
	if (error instanceof ApiError) throw error.with({ kind: 'keyed', outcome: 'rejected' });
	throw error instanceof StoppedError ? new StoppedError(error.reason) : asError(error);
}

/** The output of a dry run: the request, with placeholders for files, and its price. */
export async function taskNotSent(item: TaskItem, planned: PlannedTask): Promise<OperationOutput[]> {
	const { model } = item.params;
	const { bodyWith, inputWith } = await readTaskRequest(item, planned);
	const input = await inputWith(placeholder);
	const price = taskPrice(await item.run.mediaModel(item.client, model), input);
	return item.run.dryRun.output(model, bodyWith(input), { ...price, isMost: false });
}
