import { binaryPropertyName, downloadResults } from '../../../shared/fields/mediaResults';
import { simplify } from '../../../shared/fields/simplify';
import { waitForTask } from '../../../shared/gateway/endpoints/polling';
import { readMediaTask, taskError } from '../../../shared/gateway/endpoints/tasks';
import { downloadFiles, taskJson } from '../../../shared/n8n/taskResults';
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

type ResultParams = Values<typeof resultParameters> & { readonly options: Values<typeof resultOptions> };

interface Wait {
	maxWaitMs: number;
	/** Whether the task may have ended already. */
	pollImmediately: boolean;
	/** The model of the task, when known. */
	model?: string;
	/** Its price in rubles, when known. */
	priceRub?: () => Promise<number | undefined>;
}

/**
 * Reads the parameters for a task's result.
 *
 * @returns a function that polls a task until it has ended (§3.1), and returns the output. It throws an
 *   {@link ApiError} with the task's ID when the wait is over, and for a task that failed
 */
export function resultReader(item: ItemContext<ResultParams>) {
	const { client, params, run } = item;
	const { simplify: isSimple, downloadResults: isDownloaded } = params;
	const field = params.options.binaryPropertyName;
	return async (taskId: string, { model, priceRub, ...wait }: Wait): Promise<OperationOutput[]> => {
		const mediaType = async (reported: string | undefined) => {
			const id = model ?? reported;
			return id === undefined ? undefined : (await run.mediaModels.known(client, id))?.mediaType;
		};
		const body = await waitForTask(client, taskId, { ...wait, mediaType });
		const rub = await priceRub?.();
		const task = readMediaTask(body, taskId);
		task.model ??= model;
		if (task.state === 'fail') throw taskError(task, client.settings.secrets, rub);
		const json = isSimple ? taskJson(task, rub) : body;
		// An AI Agent can use links, not files.
		return [
			isDownloaded && !run.isTool ? { json, binary: await downloadFiles(item, task, field) } : { json },
		];
	};
}
