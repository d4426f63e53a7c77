import { pollOnce } from '../../../shared/gateway/endpoints/polling';
import { createMediaTask } from '../../../shared/gateway/endpoints/tasks';
import { uploadForUse } from '../../../shared/gateway/endpoints/upload';
import { asError } from '../../../shared/gateway/errors/errors';
import { keyAfter } from '../../../shared/gateway/media/idempotency';
import { taskPrice } from '../../../shared/gateway/media/price';
import { asNumber, asText, type JsonObject } from '../../../shared/gateway/util/json';
import type { CallCost } from '../../../shared/run/cost/executionCost';
import { beginCall } from '../../../shared/run/cost/minBalance';
import { mayBeCharged } from '../../../shared/run/nodeError';
import type { ItemContext, OperationOutput } from '../../../shared/run/operation';
import { readInput } from '../input';
import { fileValues, placeholder } from '../inputFiles';
import { mayBeOfOthers, readTaskRequest, type TaskItem, type TaskRequest } from './taskRequest';

/** A task that exists and is paid for. */
export interface CreatedTask {
	taskId: string;
	/** The response to its creation. */
	body: JsonObject;
	/** Whether it may have ended already. */
	mayExist: boolean;
	/** Its price in rubles; `undefined` when the catalogue does not have it, or when the run ends. */
	priceRub: () => Promise<number | undefined>;
}

/**
 * Creates the task of an item, and adds its price to the cost of the execution. A further try of *Retry On Fail* takes
 * up the task.
 *
 * @param read reads the request of the item, and checks it
 * @throws {InvalidInputError} if the execution could then cost more than the limit
 */
export async function createTask(item: TaskItem, read: () => Promise<TaskRequest>): Promise<CreatedTask> {
	const { run, journal, index } = item;
	const { task, key: sentKey } = journal.entry(index) ?? {};
	const created = task
		? { task, request: undefined, call: run.cost.begin({ key: costKey(item, sentKey ?? task.taskId) }) }
		: await create(item, await read());
	const { taskId, response: body } = created.task;
	run.cost.trace({ model: item.params.model });
	const isOfOthers = mayBeOfOthers(item);
	const price = async () => await priceOf(item, created.request?.input);
	const count = async () => {
		const rub = await price();
		// The gateway does not say whether a task with a key of an earlier execution is new, and charged.
		if (rub === undefined || isOfOthers) created.call.ended(true, rub);
		else created.call.charged(rub);
	};
	run.background.push(count());
	return {
		taskId,
		body,
		mayExist: isOfOthers || sentKey !== undefined || task !== undefined,
		priceRub: async () => asNumber(await price()),
	};
}

/** The output of a dry run: the request, with placeholders for files, and its price. */
export async function taskNotSent(item: TaskItem): Promise<OperationOutput[]> {
	const { model } = item.params;
	const { files, bodyWith, input } = await readTaskRequest(item);
	const price = taskPrice(await item.run.mediaModel(item.client, model), input);
	const body = bodyWith(await fileValues(files, placeholder));
	return item.run.dryRun.output(model, body, { ...price, isMost: false });
}

interface Creation {
	task: { taskId: string; response: JsonObject };
	request: TaskRequest;
	call: CallCost;
}

/** Reserves the price, then uploads the files, which is not repeated with the creation. */
async function create(item: TaskItem, request: TaskRequest): Promise<Creation> {
	const { journal, run, client, index } = item;
	const { files, bodyWith, mostRub, limitRub } = request;
	const sentKey = journal.entry(index)?.key;
	const key = sentKey ?? request.key;
	const planned = { key: costKey(item, key), mostRub, limitRub };
	// A repetition may be of a task that is paid for.
	const call =
		sentKey === undefined ? await beginCall({ client, cost: run.cost }, planned) : run.cost.begin(planned);
	let isSent = false;
	try {
		const body = bodyWith(await fileValues(files, async (file) => await uploadForUse(client, file)));
		isSent = true;
		return { task: await send(item, request, body, key), request, call };
	} catch (error) {
		call.ended(isSent && mayBeCharged(error));
		throw asError(error);
	}
}

/** So many tasks of earlier executions that failed are passed over. */
const MAX_FAILED = 20;

/** Creates the task, and in place of one that failed in an earlier execution, another one. */
async function send(item: TaskItem, request: TaskRequest, body: JsonObject, firstKey: string) {
	const { journal, client, run, index } = item;
	const mayHaveFailed = request.mayHaveFailed && journal.entry(index) === undefined;
	let key = firstKey;
	const create = async () => {
		journal.note(index, { key });
		return await createMediaTask(client, body, key);
	};
	for (let failed = 0; ; failed += 1) {
		const { taskId, body: response } = await run.inSession(client, asText(body.sessionId), create);
		journal.note(index, { task: { taskId, response } });
		const isOld = mayHaveFailed && failed < MAX_FAILED && (await failedBefore(item, taskId));
		if (!isOld) return { taskId, response };
		key = keyAfter(key, taskId);
	}
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

/** Accounts have their own keys. */
function costKey({ client }: ItemContext, key: string): string {
	return `${client.account} ${key}`;
}

/** Decimal text. */
async function priceOf(item: TaskItem, input?: JsonObject): Promise<string | undefined> {
	try {
		const found = await item.run.mediaModels.known(item.client, item.params.model);
		return found && taskPrice(found, input ?? (await readInput(item))).rub;
	} catch {
		// Such as the end of the run: it must not fail a task that is paid for.
		return undefined;
	}
}
