import type { INodeProperties } from 'n8n-workflow';

import {
	Deferred,
	type ItemContext,
	type Operation,
	type OperationOutput,
} from '../../../shared/execution/operation';
import { awaitTask } from '../../../shared/execution/waiting';
import { simplifyField } from '../../../shared/fields/common';
import { failureOfTask, readMediaTask } from '../../../shared/gateway/media';
import { orderFields, orderOptions, place, readOrder } from './order';
import { binaryPropertyOption, fetchResults, taskJson } from './results';

const DEFAULT_MAX_WAIT_MINUTES = 30;

const downloadField: INodeProperties = {
	displayName: 'Download Results',
	name: 'downloadResults',
	type: 'boolean',
	default: true,
	description: 'Whether to fetch the generated files into binary fields, besides giving their URLs',
};

const maxWaitOption: INodeProperties = {
	displayName: 'Max Wait (Minutes)',
	name: 'maxWait',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 2 },
	default: DEFAULT_MAX_WAIT_MINUTES,
	description:
		'How long to wait for the result. When it is over, the item is an error that carries the task ID; the task itself goes on.',
};

/** Creates media tasks, all items' first, and waits for their results by polling (§4.6, §3.1). */
export const createAndWait: Operation = {
	displayName: 'Create and Wait',
	action: 'Create a media task and wait for its result',
	description: 'Start a generation and get its files when it is done',
	properties: [...orderFields, downloadField, simplifyField],
	options: [...orderOptions, maxWaitOption, binaryPropertyOption],
	async execute(item: ItemContext): Promise<Deferred> {
		const { parameters } = item;
		const order = readOrder(item);
		const wish: Wish = {
			model: order.order.model,
			lookAtOnce: order.mayExist,
			maxWaitMs: readMaxWait(item),
			download: parameters.flag('downloadResults') && !item.run.isTool,
			simplify: parameters.flag('simplify'),
		};
		const { taskId } = await place(item, order);
		return new Deferred(async () => [await finish(item, taskId, wish)]);
	},
};

/** What becomes of a task once it exists. */
interface Wish {
	model: string;
	lookAtOnce: boolean;
	maxWaitMs: number;
	download: boolean;
	simplify: boolean;
}

async function finish(item: ItemContext, taskId: string, wish: Wish): Promise<OperationOutput> {
	const { maxWaitMs, lookAtOnce } = wish;
	const mediaType = await item.run.mediaType(item.client, wish.model);
	const body = await awaitTask(item.client, taskId, { mediaType, maxWaitMs, lookAtOnce });
	const task = readMediaTask(body, taskId);
	if (task.state === 'fail') throw failureOfTask(task, item.client.settings.secrets);
	const binary = wish.download ? await fetchResults(item, task) : undefined;
	return {
		json: wish.simplify ? taskJson({ ...task, model: task.model ?? wish.model }) : body,
		...(binary ? { binary } : {}),
	};
}

function readMaxWait({ parameters }: ItemContext): number {
	const minutes = parameters.options.number('maxWait', 'Max Wait (Minutes)', { min: 0.001 });
	return (minutes ?? DEFAULT_MAX_WAIT_MINUTES) * 60_000;
}
