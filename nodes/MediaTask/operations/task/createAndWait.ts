import type { INodeProperties } from 'n8n-workflow';

import { Deferred, type ItemContext, type Operation } from '../../../shared/run/operation';
import { SHORTEST_SLEEP_MS } from '../../suspend/finishOrSuspend';
import { simplifyField } from '../../../shared/fields/common';
import { binaryPropertyOption, downloadField } from '../../../shared/fields/mediaResults';
import { maxWaitOption, pollTask, readMaxWait, readResultSettings, taskOutput } from './result';
import { createTask, taskPriceRub, readTaskRequest } from './taskRequest';
import { taskRequestFields, taskRequestOptions } from './taskRequestFields';
import { sleeperFor, wakeUpOf, wakeUpWith, type WakeUp } from '../../suspend/suspendedTask';

const waitStrategyField: INodeProperties = {
	displayName: 'Wait Strategy',
	name: 'waitStrategy',
	type: 'options',
	noDataExpression: true,
	options: [
		{
			name: 'Poll',
			value: 'poll',
			description: 'Keep the execution running and ask the gateway every few seconds',
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
	action: 'Create media task and wait for result',
	description: 'Create a new task and retrieve the files that it has made when it has ended',
	properties: [...taskRequestFields, waitStrategyField, downloadField, simplifyField],
	options: [
		...taskRequestOptions,
		maxWaitOption("After that, the item fails, or passes on with 'timedOut' when suspended."),
		binaryPropertyOption,
	],
	async execute(item: ItemContext): Promise<Deferred> {
		const maxWaitMs = readMaxWait(item);
		const order = await readTaskRequest(item, readWakeUp(item, maxWaitMs));
		const { priced, mayExist, wakeUp } = order;
		const settings = readResultSettings(item, priced.model);
		const until = item.client.now() + maxWaitMs;
		const { taskId } = await createTask(item, order);
		const price = async () => await taskPriceRub(item, priced);
		const finish = async () => {
			const plan = { model: priced.model, maxWaitMs, pollImmediately: mayExist || wakeUp !== undefined };
			return [await taskOutput(item, taskId, await pollTask(item, taskId, plan), settings, await price())];
		};
		return new Deferred(
			finish,
			wakeUp === undefined ? undefined : sleeperFor(item, { taskId, settings, price, wakeUp, until }),
		);
	},
	resume: wakeUpWith,
};

/** How this execution is woken; `undefined` where it is to stay awake. */
function readWakeUp(item: ItemContext, maxWaitMs: number): WakeUp | undefined {
	const strategy = item.parameters.choice('waitStrategy', 'Wait Strategy', ['poll', 'suspend']);
	// An AI Agent waits for its tool.
	const sleeps = strategy === 'suspend' && maxWaitMs >= SHORTEST_SLEEP_MS && !item.run.isTool;
	return sleeps ? wakeUpOf(item) : undefined;
}
