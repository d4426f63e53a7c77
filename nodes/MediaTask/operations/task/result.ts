import { binaryPropertyName, downloadResults } from '../../../shared/fields/mediaResults';
import { simplify } from '../../../shared/fields/simplify';
import { waitForTask } from '../../../shared/gateway/endpoints/polling';
import { readMediaTask, taskError } from '../../../shared/gateway/endpoints/tasks';
import type { JsonObject } from '../../../shared/gateway/util/json';
import { downloadFiles, taskJson, type ResultContext } from '../../../shared/n8n/taskResults';
import { number } from '../../../shared/params/kinds';
import type { Values } from '../../../shared/params/parameter';
import type { ItemContext, OperationOutput } from '../../../shared/run/operation';

/** The parameters and options for a task's result. */
export const resultParameters = { downloadResults, simplify };
export const resultOptions = { binaryPropertyName };

/**
 * The option for the longest wait.
 *
 * @param end what happens to the item then
 */
export function maxWait(end: string) {
	return number({
		displayName: 'Max Wait (Minutes)',
		min: 0.001,
		decimals: 3,
		default: 30,
		description: `How long to wait for the result. Defaults to 30. ${end} The task continues: 'Wait' gets its result.`,
	});
}

/** How a task's result is returned. */
export interface ResultSettings {
	/** The model of the task; `undefined` when the task itself reports it. */
	model?: string | undefined;
	download: boolean;
	simplify: boolean;
	/** Name of the binary field for the first file. */
	binaryField: string;
}

type ResultParams = Values<typeof resultParameters> & { readonly options: Values<typeof resultOptions> };

/**
 * Reads how a task's result is returned.
 *
 * @param model the model of the task, when known
 */
export function resultSettings({ params, run }: ItemContext<ResultParams>, model?: string): ResultSettings {
	return {
		model,
		// An AI Agent can use links, not files.
		download: params.downloadResults && !run.isTool,
		simplify: params.simplify,
		binaryField: params.options.binaryPropertyName,
	};
}

/**
 * Polls a task until it has ended (§3.1).
 *
 * @param model the model of the task, when known
 * @returns the body of the last poll, an envelope
 * @throws {ApiError} with the task's ID, when the wait is over
 */
export async function pollTask(
	item: ItemContext,
	taskId: string,
	{ model, ...wait }: { model?: string | undefined; maxWaitMs: number; pollImmediately: boolean },
): Promise<JsonObject> {
	const mediaType = async (reported: string | undefined) => {
		const id = model ?? reported;
		const models = id === undefined ? [] : await item.run.mediaModels.known(item.client);
		return models.find((known) => known.id === id)?.mediaType;
	};
	return await waitForTask(item.client, taskId, { ...wait, mediaType });
}

/**
 * The output for a task that has ended.
 *
 * @param body the task as received, an envelope
 * @param priceRub its price in rubles, when known
 * @throws {ApiError} with the task's ID, for a task that failed
 */
export async function taskOutput(
	context: ResultContext,
	taskId: string,
	body: JsonObject,
	settings: ResultSettings,
	priceRub?: number,
): Promise<OperationOutput> {
	const task = readMediaTask(body, taskId);
	task.model ??= settings.model;
	if (task.state === 'fail') throw taskError(task, context.client.settings.secrets, priceRub);
	const binary = settings.download ? await downloadFiles(context, task, settings.binaryField) : undefined;
	return {
		json: settings.simplify ? taskJson(task, priceRub) : body,
		...(binary ? { binary } : {}),
	};
}
