import type { INodeProperties } from 'n8n-workflow';

import { fetchResults, taskJson } from '../../../shared/execution/mediaResults';
import type { ItemContext, OperationOutput } from '../../../shared/execution/operation';
import { awaitTask } from '../../../shared/execution/waiting';
import { failureOfTask, readMediaTask } from '../../../shared/gateway/media';
import { binaryField } from './results';

const DEFAULT_MAX_WAIT_MINUTES = 30;

export const downloadField: INodeProperties = {
	displayName: 'Download Results',
	name: 'downloadResults',
	type: 'boolean',
	default: true,
	description: 'Whether to fetch the generated files into binary fields, besides giving their URLs',
};

export const maxWaitOption: INodeProperties = {
	displayName: 'Max Wait (Minutes)',
	name: 'maxWait',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 2 },
	default: DEFAULT_MAX_WAIT_MINUTES,
	description:
		'How long to wait for the result. When it is over, the item is an error that carries the task ID; the task itself goes on.',
};

/** What becomes of a task once it exists. */
export interface Wish {
	/** The model that it was created with; `undefined` where the task itself must tell. */
	model?: string;
	lookAtOnce: boolean;
	maxWaitMs: number;
	download: boolean;
	simplify: boolean;
}

/**
 * Reads what is to become of a task.
 *
 * @throws {InvalidInput} for a longest wait of nothing
 */
export function readWish({
	parameters,
	run,
}: ItemContext): Pick<Wish, 'maxWaitMs' | 'download' | 'simplify'> {
	const minutes = parameters.options.number('maxWait', 'Max Wait (Minutes)', { min: 0.001 });
	return {
		maxWaitMs: (minutes ?? DEFAULT_MAX_WAIT_MINUTES) * 60_000,
		// An AI Agent can use links, not files.
		download: parameters.flag('downloadResults') && !run.isTool,
		simplify: parameters.flag('simplify'),
	};
}

/**
 * Waits for a task and gives its result.
 *
 * @param priceRub what it costs, where that is known
 * @throws {ApiFailure} for a task that failed, always with its id
 */
export async function finish(
	item: ItemContext,
	taskId: string,
	wish: Wish,
	priceRub?: number,
): Promise<OperationOutput> {
	const { maxWaitMs, lookAtOnce, model } = wish;
	const mediaTypeOf = async (id: string) => await item.run.mediaType(item.client, id);
	const mediaType = model === undefined ? undefined : await mediaTypeOf(model);
	const plan = { mediaType, mediaTypeOf, maxWaitMs, lookAtOnce };
	const body = await awaitTask(item.client, taskId, plan);
	const task = readMediaTask(body, taskId);
	if (task.state === 'fail') throw failureOfTask(task, item.client.settings.secrets);
	const binary = wish.download ? await fetchResults(item, task, binaryField(item)) : undefined;
	return {
		json: wish.simplify ? taskJson({ ...task, model: task.model ?? model }, priceRub) : body,
		...(binary ? { binary } : {}),
	};
}
