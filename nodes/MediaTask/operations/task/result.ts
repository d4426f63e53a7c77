import type { INodeProperties } from 'n8n-workflow';

import { downloadResults, taskJson, type ResultContext } from '../../../shared/n8n/taskResults';
import type { ItemContext, OperationOutput } from '../../../shared/run/operation';
import { waitForTask } from '../../../shared/gateway/endpoints/polling';
import { readBinaryField } from '../../../shared/fields/mediaResults';
import type { JsonObject } from '../../../shared/gateway/util/json';
import { taskError, readMediaTask } from '../../../shared/gateway/endpoints/tasks';

const DEFAULT_MAX_WAIT_MINUTES = 30;

/**
 * The longest wait.
 *
 * @param end what becomes of the item then
 */
export function maxWaitOption(end: string): INodeProperties {
	return {
		displayName: 'Max Wait (Minutes)',
		name: 'maxWait',
		type: 'number',
		typeOptions: { minValue: 0.01, numberPrecision: 2 },
		default: DEFAULT_MAX_WAIT_MINUTES,
		description: `How long to wait for the result. Defaults to 30. ${end} The task itself goes on: 'Wait' takes it up again.`,
	};
}

/** What the user wants of a task's result. Plain data: it may be stored while the execution sleeps. */
export type ResultSettings = {
	/** The model that the task was created with; `undefined` where the task itself must tell. */
	model?: string | undefined;
	download: boolean;
	simplify: boolean;
	/** Where the first file goes. */
	binaryField: string;
};

/**
 * Reads what is wanted of a task's result.
 *
 * @param model what the task was created with, where that is known
 */
export function readResultSettings(item: ItemContext, model?: string): ResultSettings {
	const { parameters, run } = item;
	return {
		model,
		// An AI Agent can use links, not files.
		download: parameters.flag('downloadResults', 'Download Results') && !run.isTool,
		simplify: parameters.flag('simplify', 'Simplify'),
		binaryField: readBinaryField(parameters.options),
	};
}

/**
 * Reads the longest wait, in milliseconds.
 *
 * @throws {InvalidInputError} for a longest wait of nothing
 */
export function readMaxWait({ parameters }: ItemContext): number {
	const minutes = parameters.options.number('maxWait', 'Max Wait (Minutes)', { min: 0.001 });
	return (minutes ?? DEFAULT_MAX_WAIT_MINUTES) * 60_000;
}

/**
 * Polls a task until it has ended (§3.1).
 *
 * @param model what it was created with, where that is known
 * @returns the body of the last poll, an envelope
 * @throws {ApiError} with the task's id, when the wait is over
 */
export async function pollTask(
	item: ItemContext,
	taskId: string,
	{ model, ...wait }: { model?: string | undefined; maxWaitMs: number; pollImmediately: boolean },
): Promise<JsonObject> {
	const mediaType = async (told: string | undefined) => {
		const id = model ?? told;
		return id === undefined ? undefined : await item.run.mediaType(item.client, id);
	};
	return await waitForTask(item.client, taskId, { ...wait, mediaType });
}

/**
 * Gives the result of a task that has ended.
 *
 * @param body the task as received, an envelope
 * @param priceRub what it costs, where that is known
 * @throws {ApiError} for a task that failed, always with its id
 */
export async function taskOutput(
	context: ResultContext,
	taskId: string,
	body: JsonObject,
	settings: ResultSettings,
	priceRub?: number,
): Promise<OperationOutput> {
	const task = readMediaTask(body, taskId);
	if (task.state === 'fail') throw taskError(task, context.client.settings.secrets);
	const binary = settings.download ? await downloadResults(context, task, settings.binaryField) : undefined;
	return {
		json: settings.simplify ? taskJson({ ...task, model: task.model ?? settings.model }, priceRub) : body,
		...(binary ? { binary } : {}),
	};
}
