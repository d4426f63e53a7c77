import { choice } from '../../../shared/params/kinds';
import { defineOperation, Deferred, type ItemContext } from '../../../shared/run/operation';
import { SHORTEST_SUSPENSION_MS } from '../../suspend/settle';
import { resumeCallback, SuspendableTask, type ResumeCallback } from '../../suspend/suspendableTask';
import { TaskSuspension } from '../../suspend/suspension';
import { suspendProblem } from '../../suspend/waitingExecution';
import { createTask } from './createTask';
import { maxWait, pollTask, resultOptions, resultParameters, resultSettings, taskOutput } from './result';
import { isShared, readTaskRequest, taskOptions, taskParameters } from './taskRequest';

const waitStrategy = choice({
	displayName: 'Wait Strategy',
	noDataExpression: true,
	options: [
		{
			name: 'Poll',
			value: 'poll',
			description: 'Keep the execution running and check the task every few seconds',
		},
		{
			name: 'Suspend',
			value: 'suspend',
			description:
				'Suspend the execution until the gateway sends a callback. Meanwhile, nothing is kept in memory. The gateway must be able to reach this n8n.',
		},
	],
	default: 'poll',
	description: 'How to wait for the result',
});

/**
 * Creates the media tasks of all items, then polls for their results or suspends the execution (§4.6, §3.1,
 * §6.4).
 */
export const createAndWait = defineOperation({
	displayName: 'Create and Wait',
	action: 'Start a media task and wait',
	description: 'Create a new task, wait until it ends, and retrieve its files',
	toolDescription:
		'Generates an image, video, piece of music or speech from a description, and waits until it is done. Returns the URLs of the files and the price in rubles.',
	parameters: { ...taskParameters, waitStrategy, ...resultParameters },
	options: {
		...taskOptions,
		maxWait: maxWait("After that, the item fails or, if suspended, is output with 'timedOut'."),
		...resultOptions,
	},
	async execute(item) {
		const maxWaitMs = item.params.options.maxWait * 60_000;
		const until = item.client.now() + maxWaitMs;
		const settings = resultSettings(item, item.params.model);
		const isSuspended = item.params.waitStrategy === 'suspend' && maxWaitMs >= SHORTEST_SUSPENSION_MS;
		// The callback of a task that another execution may have created belongs to that one.
		const isOfOthers = isShared(item.params.options) || item.run.isRetry;
		const callback = isSuspended && !isOfOthers ? callbackOf(item) : undefined;
		const created = await createTask(item, async () => await readTaskRequest(item, callback));
		const { taskId, mayExist, priceRub: price } = created;
		const finish = async () => {
			const wait = { model: settings.model, maxWaitMs, pollImmediately: mayExist || callback !== undefined };
			return [await taskOutput(item, taskId, await pollTask(item, taskId, wait), settings, await price())];
		};
		if (!callback) return new Deferred(finish);
		return new SuspendableTask(item, { taskId, settings, price, callback, until }, finish);
	},
	suspension: (n8n) => new TaskSuspension(n8n),
});

/** How the gateway resumes this execution; `undefined` when the node polls instead. */
function callbackOf(item: ItemContext): ResumeCallback | undefined {
	// An AI Agent waits for its tool.
	if (item.run.isTool) return undefined;
	const problem = suspendProblem(item.n8n);
	if (problem === undefined) return resumeCallback(item);
	item.run.hint(`The node polls instead of suspending the execution: ${problem}`);
	return undefined;
}
