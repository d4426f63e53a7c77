import { MAY_BE_NEW_MS } from '../../../shared/gateway/endpoints/polling';
import { createMediaTask } from '../../../shared/gateway/endpoints/tasks';
import { uploadForUse, type UploadFile } from '../../../shared/gateway/endpoints/upload';
import { ApiError, asError, InvalidInputError, StoppedError } from '../../../shared/gateway/errors/errors';
import { inputForm, takesUrls, type InputForm } from '../../../shared/gateway/media/inputSchema';
import { withFile } from '../../../shared/gateway/media/inputValues';
import { taskPrice, type TaskPrice } from '../../../shared/gateway/media/price';
import { asNumber, compact, type JsonObject } from '../../../shared/gateway/util/json';
import { compareDecimals, rubles } from '../../../shared/gateway/util/money';
import { charge } from '../../../shared/run/charge/charge';
import { digest, isOwnKeyName, ownKeyName, sealKey } from '../../../shared/run/charge/keys';
import { costLimit, unknownPrice, type Limit } from '../../../shared/run/charge/limits';
import type { ItemContext, OperationOutput } from '../../../shared/run/operation';
import type { ResumeCallback } from '../../suspend/suspension';
import { completeInput, withFieldLabel } from '../input';
import { openTaskFiles, placeholder } from '../inputFiles';
import { unreachable } from './callbackUrl';
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
 * The task of an item: that of an earlier try, or a new one, whose price is added to the cost of the execution.
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
	const { taskId, response, key: sentKey, isBefore, isFound } = records.get(index) ?? {};
	const newMs = ownKey === undefined ? Infinity : MAY_BE_NEW_MS;
	if (taskId !== undefined) {
		const priceRub = async () =>
			asNumber(await priceOf(item, task, async () => await (await openInput(item, task))(anyUrl)));
		const isOld = isBefore || isFound || isOfOtherAccount(item);
		const known = { taskId, response: response ?? { data: { taskId } } };
		return { ...known, mayExist: true, newMs: isOld ? 0 : newMs, priceRub };
	}
	const callbackUrl = callbackUrlOf(item, task);
	const inputWith = await openInput(item, task);
	// The price, if there is a limit. Only a key of the user depends on the content of files.
	const limit = maxPriceRub === undefined ? costLimit(client, maxCostRub) : priceLimit;
	const urlOf = ownKey === undefined ? anyUrl : placeholder;
	const counted = limit || ownKey !== undefined ? await inputWith(urlOf) : {};
	const maxRub =
		limit &&
		limitedPrice(taskPrice(await run.mediaModel(client, task.entered.model), counted), limit, maxPriceRub);
	const [secret = ''] = client.settings.secrets;
	const key = records.key(index, ownKey, secret);
	const name = sentKey ?? (ownKey === undefined ? key : ownKeyName(ownKey));
	const isOwn = ownKey !== undefined && isOwnKeyName(name);
	const ledgerKey = isOwn ? `${name} ${client.account}` : name;
	const call = { model: task.entered.model, account: client.account, maxRub, key: ledgerKey };
	if (isOwn)
		ledger.useKey(ledgerKey, {
			usedAt: records.keys.place(index),
			content: digest(bodyOf(task, counted)),
		});
	const sealed = isOwn ? sealKey(key, secret) : undefined;
	let input: JsonObject = {};
	const { result, rub } = await charge(
		ledger,
		{ client, call, item: { index, records }, key: { name, sealed }, mayBePaid: isOwn, maxCostRub },
		async () => {
			input = await inputWith(async (file) => await uploadForUse(client, file)).catch(nothingCreated);
			const body = bodyOf(task, input, callback?.isRequested ? callback.url : callbackUrl);
			const created = await createMediaTask(client, body, key).catch(async (error: unknown) => {
				throw await withFieldLabel(item, task.entered, error, input);
			});
			records.created(index, created.taskId, created.body);
			ledger.created(ledgerKey, created.taskId);
			return created;
		},
		async (ended) => {
			if ('error' in ended) return {};
			return { rub: maxRub ?? (await priceOf(item, task, async () => await Promise.resolve(input))) };
		},
	);
	run.background.push(rub);
	return {
		taskId: result.taskId,
		response: result.body,
		mayExist: mayBeOfOthers(item, task) || sentKey !== undefined,
		newMs,
		priceRub: async () => asNumber(await rub),
	};
}

/** Stands for the URL of a file where its content does not matter, as for a price. */
const anyUrl = async () => await Promise.resolve('file');

/** The body of a creation (§4.6). */
function bodyOf({ entered, sessionId }: PlannedTask, input: JsonObject, callBackUrl?: string): JsonObject {
	return compact({ model: entered.model, input, sessionId, callBackUrl });
}

/** A gateway with a public name may be in the network of a private host. */
function callbackUrlOf({ run, client }: ItemContext, { callbackUrl }: PlannedTask): string | undefined {
	const problem = callbackUrl && unreachable(callbackUrl, client.settings.baseUrl);
	if (problem)
		run.hints.add(`'Callback URL': ${problem}. The callback only comes if the gateway is in that network.`);
	return callbackUrl;
}

/** Opens the files of a task. The function that it returns makes the input, with their URLs or placeholders. */
async function openInput(item: ItemContext, { entered, files: found }: PlannedTask) {
	const values = await completeInput(item, entered);
	if (found.length === 0) return async () => await Promise.resolve(values);
	const files = await openTaskFiles(item, found);
	const form = inputForm((await item.run.mediaModel(item.client, entered.model)).inputSchema);
	checkTargets(files, form, entered.model);
	return async (urlOf: (file: UploadFile) => Promise<string>) => {
		let input = values;
		for (const { field, file } of files) input = withFile(input, field, await urlOf(file), form);
		return input;
	};
}

/** Whether the task of an item was created with another API key or base URL. */
export function isOfOtherAccount({ run, client, index }: ItemContext): boolean {
	const { account = client.account } = run.records.get(index) ?? {};
	return account !== client.account;
}

/** The price of a task that is paid for, where the catalogue has it: an error must not fail the task. */
async function priceOf(
	{ run, client }: ItemContext,
	{ entered }: PlannedTask,
	input: () => Promise<JsonObject>,
): Promise<string | undefined> {
	try {
		const model = await run.mediaModels.known(client, entered.model);
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

/** The output of a dry run: the request, with placeholders for files, and its price. */
export async function taskNotSent(item: ItemContext, task: PlannedTask): Promise<OperationOutput[]> {
	const { client, run } = item;
	const { model } = task.entered;
	const callbackUrl = callbackUrlOf(item, task);
	const input = await (await openInput(item, task))(placeholder);
	const price = taskPrice(await run.mediaModel(client, model), input);
	const limit = task.maxPriceRub === undefined ? costLimit(client, task.maxCostRub) : priceLimit;
	if (limit) limitedPrice(price, limit, task.maxPriceRub);
	return run.dryRun.output(model, bodyOf(task, input, callbackUrl), { ...price, isMost: false });
}

/** Checks that the model has the fields of the files: after another was chosen, it may ignore theirs, and make another picture. */
function checkTargets(files: ReadonlyArray<{ field: string }>, { fields }: InputForm, model: string): void {
	const stale = files.find(({ field }) => fields.length > 0 && !fields.some(({ name }) => name === field));
	if (!stale) return;
	const named = fields.filter(takesUrls).map(({ name }) => name);
	throw new InvalidInputError(
		`The model "${model}" has no field "${stale.field}" for the file`,
		named.length > 0
			? `In 'Input Files', choose a 'Target Field' of this model: ${named.join(', ')}.`
			: "It has no field for a file: remove the row of 'Input Files', or choose another model.",
		'inputFiles',
	);
}

/** @throws {InvalidInputError} when the price, which a limit needs, is not known, or higher than `maxRub` */
function limitedPrice({ rub, reason }: TaskPrice, limit: Limit, maxRub?: string): string {
	if (rub === undefined) {
		const advice = 'Correct the input; without the limit the task would be created at any price.';
		throw unknownPrice('The price of the task', `${reason} ${advice}`, limit);
	}
	if (maxRub === undefined || (compareDecimals(rub, maxRub) ?? 1) <= 0) return rub;
	throw new InvalidInputError(
		`The task would cost ${rubles(rub)}, more than '${limit.label}' of ${rubles(maxRub)}`,
		'Choose a cheaper model or input, or raise the option.',
		limit.param,
	);
}
