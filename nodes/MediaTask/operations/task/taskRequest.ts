import type { ItemContext } from '../../../shared/run/operation';
import { readModelId } from '../../../shared/fields/models';
import { asError, InvalidInputError, StoppedError } from '../../../shared/gateway/errors/errors';
import { checkKey, idempotencyKey, IDEMPOTENCY_SCOPES } from '../../../shared/gateway/media/idempotency';
import { withFiles, type InputFileUrl } from '../../../shared/gateway/media/inputFiles';
import { checkInput } from '../../../shared/gateway/media/inputValues';
import type { JsonObject } from '../../../shared/gateway/util/json';
import { createMediaTask, taskBody } from '../../../shared/gateway/endpoints/tasks';
import { priceInRubles, taskPrice } from '../../../shared/gateway/media/price';
import { formOf, readInput } from '../input';
import { contentPlaceholders, readTaskFiles, placeholderUrls, uploadTaskFiles, type TaskFile } from '../inputFiles';
import { readCallbackUrl, checkWakeUpAddress } from './callbackUrl';
import { checkPriceLimit, readPriceLimit } from './priceLimit';
import type { WakeUp } from '../../suspend/suspendedTask';

/** What an item orders, checked. Nothing was sent for it yet but the question for the catalogue. */
export interface TaskRequest {
	/** What its price depends on: the model, and the input with something that stands for the files. */
	priced: { model: string; input: JsonObject };
	files: TaskFile[];
	/** The body of the creation with these files in the input. */
	bodyWith: (files: readonly InputFileUrl[]) => JsonObject;
	key: string;
	/** Whether the key may have been used before, so that the task may exist and have ended. */
	mayExist: boolean;
	/** How this execution is woken, where it may sleep for the task. */
	wakeUp: WakeUp | undefined;
}

/**
 * Reads what an item orders.
 *
 * @param sleep how this execution is woken, where it is to sleep until the task has ended. Not used for a task that
 *   another execution may have ordered: it calls that one.
 * @throws {InvalidInputError} for what cannot be sent, and for what would cost more than it may
 * @throws {ApiError} when there is a price limit and the catalogue cannot be read
 */
export async function readTaskRequest(item: ItemContext, sleep?: WakeUp): Promise<TaskRequest> {
	const { options } = item.parameters;
	const model = readModelId(item.parameters);
	const baseUrl = item.client.settings.baseUrl;
	const callbackUrl = readCallbackUrl(options.optionalText('callbackUrl', 'Callback URL'), baseUrl);
	if (sleep) checkWakeUp(sleep.url, callbackUrl, baseUrl);
	const sessionId = options.optionalText('sessionId', 'Session ID');
	const ownKey = options.optionalText('idempotencyKey', 'Idempotency Key');
	if (ownKey !== undefined) checkKey(ownKey);
	const scope =
		options.optionalChoice('idempotencyScope', 'Idempotency Scope', IDEMPOTENCY_SCOPES) ?? 'execution';
	const limit = readPriceLimit(options.optionalText('maxPriceRub', 'Max Price (Rubles)'));

	const { values, form } = await readInput(item, model);
	const files = await readTaskFiles(item);
	// JSON goes out as it is, but whether a file is added to a list is the schema's to say.
	const fileForm =
		form ?? (files.length > 0 ? formOf(await item.run.findMediaModel(item.client, model)) : undefined);
	const inputWith = (placed: readonly InputFileUrl[]) => withFiles(values, placed, fileForm);
	const bodyWith = (placed: readonly InputFileUrl[], address = callbackUrl) =>
		taskBody({ model, input: inputWith(placed), sessionId, callbackUrl: address });
	const input = inputWith(placeholderUrls(files));
	if (form) checkInput(input, form);
	if (limit !== undefined) {
		checkPriceLimit(taskPrice(await item.run.requireMediaModel(item.client, model), input), limit);
	}
	const mayBeOfOthers = ownKey !== undefined || scope === 'workflow';
	const wakeUp = mayBeOfOthers ? undefined : sleep;
	return {
		priced: { model, input },
		files,
		bodyWith: (placed) => bodyWith(placed, wakeUp?.calls ? wakeUp.url : callbackUrl),
		// The address that wakes this execution is another in each: what is asked for is the same.
		key:
			ownKey ??
			idempotencyKey(scope, item.run.creationContext(item.index), bodyWith(await contentPlaceholders(files))),
		mayExist: item.isRetry || mayBeOfOthers,
		wakeUp,
	};
}

function checkWakeUp(wakeUpUrl: string, callbackUrl: string | undefined, gatewayUrl: string): void {
	checkWakeUpAddress(wakeUpUrl, gatewayUrl);
	if (callbackUrl === undefined) return;
	throw new InvalidInputError(
		"A task has one callback URL, and the 'Wait Strategy' 'Suspend' needs it to wake the execution",
		"Empty the option 'Callback URL', or set 'Wait Strategy' to 'Poll'. Nothing was created.",
		'callbackUrl',
	);
}

/** Uploads the files, creates the task and gives the body as received. */
export async function createTask(
	item: ItemContext,
	{ files, bodyWith, key }: TaskRequest,
): Promise<{ taskId: string; body: JsonObject }> {
	// The upload stands outside the creation's retries: it is done once, whatever becomes of the creation.
	const body = bodyWith(await uploadTaskFiles(item, files));
	const created = await createMediaTask(item.client, body, key);
	item.taskCreated(created.taskId);
	return created;
}

/** What a created task costs, as far as the catalogue tells; unknown when the run ends before it is asked. */
export async function taskPriceRub(
	item: ItemContext,
	{ model: id, input }: TaskRequest['priced'],
): Promise<number | undefined> {
	const model = await item.run
		.mediaModel(item.client, id)
		.catch((error: unknown) => (error instanceof StoppedError ? undefined : Promise.reject(asError(error))));
	return model && priceInRubles(taskPrice(model, input));
}
