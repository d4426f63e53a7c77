import { createMediaTask } from '../../../shared/gateway/endpoints/tasks';
import { asError } from '../../../shared/gateway/errors/errors';
import { rublePrice, taskPrice } from '../../../shared/gateway/media/price';
import { asNumber, asObject, asText, type JsonObject } from '../../../shared/gateway/util/json';
import type { CallCost } from '../../../shared/run/cost/executionCost';
import type { Creation } from '../../../shared/run/journal';
import type { ItemContext } from '../../../shared/run/operation';
import { uploadTaskFiles } from '../inputFiles';
import type { TaskRequest } from './taskRequest';

/** A task that exists and is paid for. */
export interface CreatedTask {
	taskId: string;
	/** The response to its creation. */
	body: JsonObject;
	/** What the operation does with it, as it was read when the task was requested. */
	plan: JsonObject;
	/** Whether it may have ended already. */
	mayExist: boolean;
}

/** Reads the request of an item, and the plan as plain data. */
type ReadRequest = () => Promise<{ request: TaskRequest; plan: JsonObject }>;

/**
 * Creates the task of an item, and adds its price to the cost of the execution. A further try of *Retry On Fail* takes
 * up the task, or sends the same request again: nothing of the item is read again, because its expressions may now
 * return something else.
 *
 * @throws {InvalidInputError} if the execution could then cost more than the limit
 */
export async function createTask(item: ItemContext, read: ReadRequest): Promise<CreatedTask> {
	const { journal, run } = item;
	const { sent, task } = journal;
	const { creation, call } = sent
		? { creation: sent, call: run.cost.begin({ key: sent.key }) }
		: await readCreation(item, read);
	const { plan } = creation;
	const { taskId, response: body } = task ?? (await send(item, creation, call));
	run.whenStarted(async () => await addPrice(item, plan, call));
	return { taskId, body, plan, mayExist: sent !== undefined || plan.mayExist === true };
}

async function send({ journal, client, run }: ItemContext, creation: Creation, call: CallCost) {
	const { body, key } = creation;
	const create = async () => {
		journal.requested(creation);
		return await createMediaTask(client, body, key);
	};
	try {
		const { taskId, body: response } = await run.inSession(client, asText(body.sessionId), create);
		journal.created(taskId, response);
		return { taskId, response };
	} catch (error) {
		call.failed(error);
		throw asError(error);
	}
}

/** Reserves the price, then uploads the files, which is not repeated with the creation. */
async function readCreation(
	item: ItemContext,
	read: ReadRequest,
): Promise<{ creation: Creation; call: CallCost }> {
	const { request, plan } = await read();
	const { files, bodyWith, key, mayExist, mostRub, limitRub } = request;
	const call = item.run.cost.begin({ key, mostRub, limitRub });
	try {
		const body = bodyWith(await uploadTaskFiles(item, files));
		return { creation: { key, body, plan: { ...plan, mayExist } }, call };
	} catch (error) {
		call.notSent();
		throw asError(error);
	}
}

/** The gateway does not say whether a task with a key of an earlier execution is new, and charged. */
async function addPrice(item: ItemContext, plan: JsonObject, call: CallCost): Promise<void> {
	const price = await priceOf(item, plan);
	if (price === undefined || plan.mayExist === true) call.unknown(price);
	else call.charged(price);
}

/** The price of a created task in rubles; `undefined` when the catalogue does not have it, or when the run ends. */
export async function taskPriceRub(item: ItemContext, plan: JsonObject): Promise<number | undefined> {
	return asNumber(await priceOf(item, plan));
}

/** Decimal text. */
async function priceOf({ run, priceClient }: ItemContext, plan: JsonObject): Promise<string | undefined> {
	const { model: id, input } = readPriced(plan);
	try {
		const found = await run.mediaModel(priceClient, id);
		return found && rublePrice(taskPrice(found, input));
	} catch {
		// Such as the end of the run: it must not fail a task that is paid for.
		return undefined;
	}
}

function readPriced({ priced }: JsonObject): TaskRequest['priced'] {
	const { model: id, input } = asObject(priced) ?? {};
	return { model: asText(id) ?? '', input: asObject(input) ?? {} };
}
