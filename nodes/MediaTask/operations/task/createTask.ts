import { MAY_BE_NEW_MS } from '../../../shared/gateway/endpoints/polling';
import { createMediaTask } from '../../../shared/gateway/endpoints/tasks';
import { uploadForUse } from '../../../shared/gateway/endpoints/upload';
import { ApiError, asError, InvalidInputError, StoppedError } from '../../../shared/gateway/errors/errors';
import { taskPrice, type TaskPrice } from '../../../shared/gateway/media/price';
import { asNumber, compact, type JsonObject } from '../../../shared/gateway/util/json';
import { compareDecimals, rubles } from '../../../shared/gateway/util/money';
import { beginCall } from '../../../shared/run/charge/charge';
import { digest } from '../../../shared/run/charge/keys';
import { costLimit, unknownPrice, type Limit } from '../../../shared/run/charge/limits';
import type { ItemContext, OperationOutput } from '../../../shared/run/operation';
import type { ResumeCallback } from '../../suspend/suspension';
import { unreachable } from './callbackUrl';
import { anyUrl, placeholder, readInput, withFieldLabel, withUrls } from './taskInput';
import { mayBeOfOthers, taskOptions, type PlannedTask } from './taskRequest';

const priceLimit: Limit = { param: 'maxPriceRub', label: taskOptions.maxPriceRub.label };

export interface CreatedTask {
	taskId: string;
	response: JsonObject;
	/** Whether it may have ended already. */
	mayExist: boolean;
	/** How long the gateway may not know it yet, in milliseconds. */
	newMs: number;
	/** In rubles; `undefined` when the catalogue does not have it, or when the run ends. */
	priceRub: () => Promise<number | undefined>;
}

/**
 * The task of an item: that of an earlier attempt, or a new one, whose price is added to the cost of the execution.
 *
 * @throws {InvalidInputError} for what cannot be sent, and for a price or an execution that may cost more than its limit
 * @throws {ApiError} also when the catalogue is needed and cannot be read: for a form, files, a prompt and a price limit
 */
export async function createTask(
	item: ItemContext,
	task: PlannedTask,
	callback?: ResumeCallback,
): Promise<CreatedTask> {
	const { run, client, index } = item;
	const { records, ledger } = run;
	const { ownKey, maxCostRub, maxPriceRub } = task;
	const { model } = task.entered;
	const { taskId: known, response, key: sentKey, isBefore, isFound } = records.get(index) ?? {};
	const newMs = ownKey === undefined ? Infinity : MAY_BE_NEW_MS;
	if (known !== undefined) {
		const isOld = isBefore || isFound || isOfOtherAccount(item);
		const input = async () => await withUrls(await readInput(item, task), anyUrl);
		const priceRub = async () => asNumber(await priceOf(item, model, input));
		const existing = { taskId: known, response: response ?? { data: { taskId: known } } };
		return { ...existing, mayExist: true, newMs: isOld ? 0 : newMs, priceRub };
	}

	if (task.callbackUrl !== undefined) warnOfCallback(item, task.callbackUrl);
	// The task's input.
	const input = await readInput(item, task);

	// The task's price, if there is a limit. Only a key of the user depends on the content of files.
	const limit = maxPriceRub === undefined ? costLimit(client, maxCostRub) : priceLimit;
	const needsInput = limit !== undefined || ownKey !== undefined;
	const pricedInput = needsInput ? await withUrls(input, ownKey === undefined ? anyUrl : placeholder) : {};
	const price = limit && taskPrice(await run.mediaModel(client, model), pricedInput);
	// One that was sent may be paid for: no limit refuses it.
	const priceRub = price && (sentKey === undefined ? limitedPrice(price, limit, maxPriceRub) : price.rub);

	// The task's key.
	const taskKey = records.taskKey(index, ownKey, client);
	if (taskKey.sealed !== undefined) {
		const content = digest(creationBody(task, pricedInput));
		ledger.useKey(taskKey.ledger, { usedAt: records.keys.place(index), content });
	}

	const call = { client, model, maxRub: priceRub, item: { index, records }, taskKey, maxCostRub };
	const endCall = await beginCall(ledger, call);
	let wireInput: JsonObject;
	let created: Awaited<ReturnType<typeof createMediaTask>>;
	try {
		wireInput = await withUrls(input, async (file) => await uploadForUse(client, file)).catch(nothingCreated);
		const body = creationBody(task, wireInput, callback?.isRequested ? callback.url : task.callbackUrl);
		created = await createMediaTask(client, body, taskKey.sent).catch(async (error: unknown) => {
			throw await withFieldLabel(item, task.entered, error, wireInput);
		});
		records.created(index, taskKey, created.taskId, created.body);
	} catch (error) {
		endCall({}, error);
		throw asError(error);
	}

	// The task's cost, for which nobody waits here.
	const count = async () => {
		const rub = priceRub ?? (await priceOf(item, model, async () => await Promise.resolve(wireInput)));
		endCall({ rub });
		return rub;
	};
	const rub = count();
	run.background.push(rub);
	return {
		taskId: created.taskId,
		response: created.body,
		mayExist: mayBeOfOthers(item, task) || sentKey !== undefined,
		newMs,
		priceRub: async () => asNumber(await rub),
	};
}

/** The output of a dry run: the request, with placeholders for files, and its price. A task that is paid for is continued. */
export async function dryRunOf(item: ItemContext, task: PlannedTask): Promise<OperationOutput[] | undefined> {
	const { client, run, index } = item;
	if (!task.isDryRun || run.records.get(index)?.taskId !== undefined) return undefined;
	const { model } = task.entered;
	if (task.callbackUrl !== undefined) warnOfCallback(item, task.callbackUrl);
	const input = await withUrls(await readInput(item, task), placeholder);
	const price = taskPrice(await run.mediaModel(client, model), input);
	const limit = task.maxPriceRub === undefined ? costLimit(client, task.maxCostRub) : priceLimit;
	if (limit) limitedPrice(price, limit, task.maxPriceRub);
	return run.dryRun.output(index, model, creationBody(task, input, task.callbackUrl), {
		...price,
		isMost: false,
	});
}

/** The body of a creation (§4.6). */
function creationBody(
	{ entered, sessionId }: PlannedTask,
	input: JsonObject,
	callBackUrl?: string,
): JsonObject {
	return compact({ model: entered.model, input, sessionId, callBackUrl });
}

/** A gateway with a public name may be in the network of a private host. */
function warnOfCallback({ run, client }: ItemContext, callbackUrl: string): void {
	const problem = unreachable(callbackUrl, client.settings.baseUrl);
	if (problem !== undefined)
		run.hints.add(`'Callback URL': ${problem}. The callback only comes if the gateway is in that network.`);
}

/** Whether the task of an item was created with another API key or base URL. */
export function isOfOtherAccount({ run, client, index }: ItemContext): boolean {
	const { account = client.account } = run.records.get(index) ?? {};
	return account !== client.account;
}

/** The price of a task that is paid for, where the catalogue has it: an error must not fail the task. */
async function priceOf(
	{ run, client }: ItemContext,
	id: string,
	input: () => Promise<JsonObject>,
): Promise<string | undefined> {
	try {
		const model = await run.mediaModels.known(client, id);
		return model && taskPrice(model, await input()).rub;
	} catch {
		// Such as the end of the run.
		return undefined;
	}
}

/** Without its upload, or when the end of the run has stopped that, a task is not created. */
function nothingCreated(error: unknown): never {
	if (error instanceof ApiError)
		throw error.with({ kind: 'keyed', outcome: 'rejected', chargeUnsaid: false });
	throw error instanceof StoppedError ? new StoppedError(error.reason) : asError(error);
}

/** @throws {InvalidInputError} when the price, which a limit needs, is not known, or above *Max Price* */
function limitedPrice({ rub, reason }: TaskPrice, limit: Limit, maxPriceRub?: string): string {
	if (rub === undefined) {
		const advice = 'Correct the input; without the limit the task would be created at any price.';
		throw unknownPrice('The price of the task', `${reason} ${advice}`, limit);
	}
	if (maxPriceRub === undefined || (compareDecimals(rub, maxPriceRub) ?? 1) <= 0) return rub;
	throw new InvalidInputError(
		`The task would cost ${rubles(rub)}, more than '${limit.label}' of ${rubles(maxPriceRub)}`,
		'Choose a cheaper model or input, or raise the option.',
		limit.param,
	);
}
