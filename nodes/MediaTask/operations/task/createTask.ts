import { pollOnce } from '../../../shared/gateway/endpoints/polling';
import { createMediaTask } from '../../../shared/gateway/endpoints/tasks';
import { uploadForUse } from '../../../shared/gateway/endpoints/upload';
import { asError } from '../../../shared/gateway/errors/errors';
import { mayBeCharged } from '../../../shared/gateway/errors/outcome';
import { keyAfter } from '../../../shared/gateway/media/idempotency';
import { taskPrice } from '../../../shared/gateway/media/price';
import { asNumber, asText, type JsonObject } from '../../../shared/gateway/util/json';
import type { OperationOutput } from '../../../shared/run/operation';
import type { ResumeCallback } from '../../suspend/suspendableTask';
import { readInput } from '../input';
import { placeholder } from '../inputFiles';
import { mayBeOfOthers, readTaskRequest, type TaskItem, type TaskRequest } from './taskRequest';

/**
 * Creates the task of an item, see {@link readTaskRequest}, and adds its price to the cost of the execution. A further try
 * of *Retry On Fail* takes up the task.
 *
 * @throws {InvalidInputError} also if the execution could then cost more than the limit
 */
export async function createTask(item: TaskItem, callback?: ResumeCallback) {
	const { run, client, journal, index } = item;
	const { task, key: sentKey } = journal.entry(index) ?? {};
	const { taskId, response, input, call } = task
		? {
				...task,
				input: undefined,
				call: run.cost.begin({ key: `${client.account} ${sentKey ?? task.taskId}` }),
			}
		: await create(item, await readTaskRequest(item, callback));
	run.cost.trace({ model: item.params.model });
	const isOfOthers = mayBeOfOthers(item);
	const price = async () => {
		try {
			const found = await run.mediaModels.known(client, item.params.model);
			return found && taskPrice(found, input ?? (await readInput(item))).rub;
		} catch {
			// Such as the end of the run: it must not fail a task that is paid for.
			return undefined;
		}
	};
	const count = async () => {
		const rub = await price();
		// The gateway does not say whether a task with a key of an earlier execution is new, and charged.
		if (rub === undefined || isOfOthers) call.ended(true, rub);
		else call.charged(rub);
	};
	const counted = count();
	run.background.push(counted);
	return {
		taskId,
		response,
		/** Whether it may have ended already. */
		mayExist: isOfOthers || sentKey !== undefined,
		/** In rubles; `undefined` when the catalogue does not have it, or when the run ends. */
		priceRub: async () => asNumber(await price()),
		/** Counts its cost as unknown: the specification does not show whether a task that failed is charged. */
		failed: async () => {
			await counted;
			call.doubtful((await price()) ?? '0');
		},
	};
}

/** The output of a dry run: the request, with placeholders for files, and its price. */
export async function taskNotSent(item: TaskItem): Promise<OperationOutput[]> {
	const { model } = item.params;
	const { bodyWith, inputWith } = await readTaskRequest(item);
	const input = await inputWith(placeholder);
	const price = taskPrice(await item.run.mediaModel(item.client, model), input);
	return item.run.dryRun.output(model, bodyWith(input), { ...price, isMost: false });
}

/** Reserves the price, then uploads the files, which is not repeated with the creation. */
async function create(item: TaskItem, { bodyWith, inputWith, key: newKey, mostRub }: TaskRequest) {
	const { journal, run, client, params } = item;
	const sentKey = journal.entry(item.index)?.key;
	const key = sentKey ?? newKey;
	// Accounts have their own keys.
	const planned = { key: `${client.account} ${key}`, mostRub, limitRub: params.options.maxCostRub };
	// A repetition may be of a task that is paid for.
	const call =
		sentKey === undefined ? await run.cost.beginAfterCheck(client, planned) : run.cost.begin(planned);
	let isSent = false;
	try {
		const input = await inputWith(async (file) => await uploadForUse(client, file));
		isSent = true;
		return { ...(await send(item, bodyWith(input), key)), input, call };
	} catch (error) {
		call.ended(isSent && mayBeCharged(error));
		throw asError(error);
	}
}

/** Creates the task, and in place of one that failed in an earlier execution, another one. */
async function send(
	item: TaskItem,
	body: JsonObject,
	key: string,
	failedId?: string,
): Promise<{ taskId: string; response: JsonObject }> {
	const { journal, client, run, index, params } = item;
	const { taskId, body: response } = await run.inSession(client, asText(body.sessionId), async () => {
		journal.note(index, { key });
		return await createMediaTask(client, body, key);
	});
	journal.note(index, { task: { taskId, response } });
	const isOwnKey = params.options.idempotencyKey !== undefined;
	const mayBeOld = mayBeOfOthers(item) && !isOwnKey && taskId !== failedId;
	if (!mayBeOld || !(await failedBefore(item, taskId))) return { taskId, response };
	return await send(item, body, keyAfter(key, taskId), taskId);
}

/** The gateway's clock shows whole seconds. */
const CLOCK_MS = 2_000;

/** Whether a task failed before this execution, in which it would stay the answer. */
async function failedBefore({ client, run }: TaskItem, taskId: string): Promise<boolean> {
	const before = (client.gatewayTime(run.execution.startedAt) ?? -Infinity) - CLOCK_MS;
	// An error must not fail a task that is paid for.
	const { task } = await pollOnce(client, taskId).catch(() => ({ task: undefined }));
	return task?.state === 'fail' && Date.parse(task.createdAt ?? '') < before;
}
