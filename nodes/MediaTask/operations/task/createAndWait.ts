import type { INodeProperties } from 'n8n-workflow';

import { Deferred, type ItemContext, type Operation } from '../../../shared/execution/operation';
import { wakeUpUrl } from '../../../shared/execution/suspension';
import { simplifyField } from '../../../shared/fields/common';
import { downloadField, maxWaitOption, pollTask, readMaxWait, readWish, taskOutput } from './finish';
import { orderPrice, place, readOrder } from './order';
import { orderFields, orderOptions } from './orderFields';
import { binaryPropertyOption } from './results';
import { isOlderThan, sleeperFor } from './sleeper';

const waitStrategyField: INodeProperties = {
	displayName: 'Wait Strategy',
	name: 'waitStrategy',
	type: 'options',
	noDataExpression: true,
	options: [
		{
			name: 'Poll',
			value: 'poll',
			description: 'Keep the execution running, and ask the gateway every few seconds',
		},
		{
			name: 'Suspend',
			value: 'suspend',
			description:
				'Put the execution to sleep until the gateway calls: nothing is held in memory. The gateway must be able to reach this n8n.',
		},
	],
	default: 'poll',
	description: 'How to wait for the result',
};

/** Creates media tasks, all items' first, and waits for their results by polling or asleep (§4.6, §3.1, §6.4). */
export const createAndWait: Operation = {
	displayName: 'Create and Wait',
	action: 'Create a media task and wait for its result',
	description: 'Start a generation and get its files when it is done',
	properties: [...orderFields, waitStrategyField, downloadField, simplifyField],
	options: [...orderOptions, maxWaitOption, binaryPropertyOption],
	async execute(item: ItemContext): Promise<Deferred> {
		const wakeUp = readWakeUpUrl(item);
		const maxWaitMs = readMaxWait(item);
		const order = await readOrder(item, wakeUp);
		const { priced, mayExist, mayBeOfOthers } = order;
		const wish = readWish(item, priced.model);
		const begin = item.client.now();
		const { taskId } = await place(item, order);
		const price = async () => await orderPrice(item, priced);
		const calls = wakeUp !== undefined && !(mayBeOfOthers && (await isOlderThan(item, taskId, begin)));
		const finish = async () => {
			const plan = { model: priced.model, maxWaitMs, lookAtOnce: mayExist || calls };
			return [await taskOutput(item, taskId, await pollTask(item, taskId, plan), wish, await price())];
		};
		const sleeper = calls
			? sleeperFor(item, { taskId, wish, price, wakeUp, until: begin + maxWaitMs })
			: undefined;
		return new Deferred(finish, sleeper);
	},
};

/** The address that wakes this execution; `undefined` where it is to stay awake. */
function readWakeUpUrl({ parameters, run, n8n }: ItemContext): string | undefined {
	const strategy = parameters.choice('waitStrategy', ['poll', 'suspend']);
	// An AI Agent waits for its tool.
	return strategy === 'suspend' && !run.isTool ? wakeUpUrl(n8n) : undefined;
}
