import { compact, type Json, type JsonObject } from '../../../shared/gateway/util/json';
import type { UploadFile } from '../../../shared/gateway/endpoints/upload';
import { InvalidInputError } from '../../../shared/gateway/errors/errors';
import { withFile } from '../../../shared/gateway/media/inputValues';
import { inputForm, takesUrls, type InputForm } from '../../../shared/gateway/media/inputSchema';
import { taskPrice, type TaskPrice } from '../../../shared/gateway/media/price';
import { compareDecimals, rubles } from '../../../shared/gateway/util/money';
import { decimal, EMPTY_HINT, filled, optional, text } from '../../../shared/params/kinds';
import type { Values } from '../../../shared/params/parameter';
import { dryRun } from '../../../shared/run/charge/dryRun';
import { checkKey } from '../../../shared/run/charge/keys';
import { costLimit, unknownPrice, type Limit } from '../../../shared/run/charge/limits';
import type { ItemContext, ItemInput } from '../../../shared/run/operation';
import { maxCostRub } from '../../../shared/run/settings';
import type { ResumeCallback } from '../../suspend/suspension';
import { enteredInput, inputParameters, model, promptParameter, readInput } from '../input';
import { findTaskFiles, inputFiles, openTaskFiles, placeholder, type FileForField } from '../inputFiles';
import { readCallbackUrl } from './callbackUrl';

/** Parameters of every operation that creates a task. */
export const taskParameters = {
	model,
	prompt: promptParameter('What to generate', 'A lighthouse in a winter storm'),
	...inputParameters,
	inputFiles,
};

/** Options of every operation that creates a task. */
export const taskOptions = {
	callbackUrl: optional(
		text({
			displayName: 'Callback URL',
			placeholder: 'e.g. https://n8n.example.com/webhook/…',
			description: 'A URL to which the gateway sends a callback when the task has ended',
			hint: 'Publish the workflow first, and copy the production URL of its Gateway Media Task Trigger',
		}),
	),
	dryRun,
	idempotencyKey: filled(
		text({
			displayName: 'Idempotency Key',
			placeholder: 'e.g. order-{{ $json.orderId }}',
			whenEmpty: 'Enter a key, or remove the option.',
			description:
				'Charges once per key, e.g. per order number, also in other executions: a second task with the same key is the first one. Up to 255 ASCII characters. Use a key for one input.',
		}),
	),
	maxCostRub,
	maxPriceRub: filled(
		decimal({
			displayName: 'Max Price (₽)',
			default: 100,
			description:
				'The most that a task may cost. If its price in the catalogue is higher or unknown, the item fails and nothing is created. With 0, only free tasks are created.',
		}),
	),
	sessionId: optional(
		text({
			displayName: 'Session ID',
			placeholder: 'e.g. 7c9e6679-7425-40de-944b-e07fc1f90ae7',
			description: 'The ID of the media session to which the task belongs',
		}),
	),
};

/** An item whose operation creates a task. */
export type TaskItem = ItemContext<
	Values<typeof taskParameters> & { readonly options: Values<typeof taskOptions> }
>;

/** Whether another execution may have created the task, which then does not call this one back. */
export function mayBeOfOthers({ run, params: { options } }: TaskItem): boolean {
	return run.isRetry || options.idempotencyKey !== undefined;
}

/** What is checked of a task before the first request. */
export interface PlannedTask {
	files: FileForField[];
	/** What the item asks for, without what the catalogue, files and limits add. */
	request: Json;
}

/**
 * Checks what an item says of its task.
 *
 * @throws {InvalidInputError} for what cannot be sent
 */
export function planTask(item: ItemInput<TaskItem['params']>): PlannedTask {
	const { params, n8n } = item;
	const { callbackUrl, idempotencyKey, dryRun, maxCostRub, maxPriceRub, sessionId } = params.options;
	if (idempotencyKey !== undefined) checkKey(idempotencyKey);
	const hasNoPrompt = params.inputMode === 'form' && params.prompt?.trim() === '';
	// Some models would make, and charge, something without the one that an expression was to give.
	if (hasNoPrompt && String(n8n.getNode().parameters.prompt).startsWith('='))
		throw new InvalidInputError("'Prompt' is empty", EMPTY_HINT, 'prompt');
	readCallbackUrl(callbackUrl);
	void [dryRun, maxCostRub, maxPriceRub];
	const files = findTaskFiles(item);
	const described = files.map(({ field, binary }) => {
		const { fileName, mimeType, bytes, fileSize, data } = binary;
		return compact({ field, fileName, mimeType, size: bytes ?? fileSize ?? data.length });
	});
	const { model: id, prompt } = params;
	const request = compact({ model: id, prompt, values: enteredInput(params), sessionId, files: described });
	return { files, request };
}

/**
 * Reads an item's request to create a task.
 *
 * @param callback how the gateway resumes this execution, when it may be suspended
 * @throws {InvalidInputError} for what cannot be sent, and for a price over the limit
 * @throws {ApiError} when the catalogue is needed and cannot be read: for a form, files, a prompt and a price limit
 */
export async function readTaskRequest(
	item: TaskItem,
	{ files: found }: Pick<PlannedTask, 'files'>,
	callback?: ResumeCallback,
) {
	const { params, run, client } = item;
	const { model: id, options } = params;
	const { sessionId, idempotencyKey: ownKey, maxPriceRub, maxCostRub } = options;
	const callbackUrl = readCallbackUrl(options.callbackUrl, client.settings.baseUrl);
	const values = await readInput(item);
	const files = await openTaskFiles(item, found);
	const catalogued = async () => await run.mediaModel(client, id);
	const form = inputForm(files.length > 0 ? (await catalogued()).inputSchema : {});
	checkTargets(files, form, id);
	/** @param urlOf returns the URL of a file, or a placeholder */
	const inputWith = async (urlOf: (file: UploadFile) => Promise<string>) => {
		let input = values;
		for (const { field, file } of files) input = withFile(input, field, await urlOf(file), form);
		return input;
	};
	const bodyOf = (input: JsonObject, url: string | undefined) =>
		// §4.6.
		compact({ model: id, input, sessionId: sessionId || undefined, callBackUrl: url });
	const limit = maxPriceRub === undefined ? costLimit(client, maxCostRub) : 'maxPriceRub';
	// Only a key of the user depends on the content of files.
	const urlOf = ownKey === undefined ? async () => await Promise.resolve('file') : placeholder;
	const planned = limit || ownKey !== undefined ? await inputWith(urlOf) : {};
	const mostRub = limit && limitedPrice(taskPrice(await catalogued(), planned), limit, maxPriceRub);
	return {
		inputWith,
		bodyWith: (input: JsonObject) => bodyOf(input, callback?.isRequested ? callback.url : callbackUrl),
		/** What a key of the user stands for. */
		content: bodyOf(planned, undefined),
		/** The price as decimal text in rubles; only if there is a limit. */
		mostRub,
	};
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

/**
 * The price of a task, which a limit needs.
 *
 * @throws {InvalidInputError} when it is not known, or higher than `maxRub`
 */
function limitedPrice({ rub, reason }: TaskPrice, limit: Limit, maxRub?: string): string {
	if (rub === undefined) {
		const advice = 'Correct the input; without the limit the task would be created at any price.';
		throw unknownPrice('The price of the task', `${reason} ${advice}`, limit);
	}
	if (maxRub === undefined || (compareDecimals(rub, maxRub) ?? 1) <= 0) return rub;
	throw new InvalidInputError(
		`The task would cost ${rubles(rub)}, more than 'Max Price (₽)' of ${rubles(maxRub)}`,
		'Choose a cheaper model or input, or raise the option.',
		limit,
	);
}
