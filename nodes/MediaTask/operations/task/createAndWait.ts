import { ApiError, asError } from '../../../shared/gateway/errors/errors';
import { asText } from '../../../shared/gateway/util/json';
import { choice, notForTools } from '../../../shared/params/kinds';
import { defineOperation, Deferred, type ItemContext } from '../../../shared/run/operation';
import {
	resumeCallback,
	SuspendableTask,
	timedOutOutput,
	type ResumeCallback,
} from '../../suspend/suspendableTask';
import { SHORTEST_SUSPENSION_MS, suspendOrFinish } from '../../suspend/suspension';
import { resumedState, resumeUrlOf, suspendProblem } from '../../suspend/waitingExecution';
import { createTask, taskNotSent } from './createTask';
import { maxWait, pollTask, resultOptions, resultParameters, resultSettings, taskOutput } from './result';
import { isShared, readTaskRequest, taskOptions, taskParameters } from './taskRequest';

const waitStrategy = choice({
	displayName: 'Wait Strategy',
	noDataExpression: true,
	options: [
		{
			name: 'Poll',
			value: 'poll',
			description:
				'The execution keeps running and asks for the result every few seconds. Suits images and speech.',
		},
		{
			name: 'Suspend',
			value: 'suspend',
			description:
				'The execution is stored until the gateway calls back. Suits videos and many tasks. The gateway must be able to reach this n8n. With Retry On Fail, the node polls.',
		},
	],
	default: 'poll',
	description: 'How to wait for the result. If in doubt, choose Poll.',
	...notForTools,
});

/**
 * Creates the media tasks of all items, then polls for their results or suspends the execution (§4.6, §3.1,
 * §6.4).
 */
export const createAndWait = defineOperation({
	displayName: 'Create and Wait',
	action: 'Create a media task and wait',
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
		const { client, params, run } = item;
		if (params.options.dryRun) return await taskNotSent(item);
		const maxWaitMs = params.options.maxWait * 60_000;
		const settings = resultSettings(item, params.model);
		const resumed = resumedState(item.n8n);
		const until = resumed?.until ?? client.now() + maxWaitMs;
		const isSuspended = params.waitStrategy === 'suspend' && maxWaitMs >= SHORTEST_SUSPENSION_MS;
		const resumeUrl = isSuspended ? resumeUrlOf(item.n8n) : undefined;
		for (const secret of resumeUrl?.searchParams.values() ?? []) run.secrets.add(secret);
		// The callback of a task that another execution may have created belongs to that one.
		const isOfOthers = isShared(params.options) || run.isRetry;
		const callback = isSuspended && !isOfOthers && !resumed ? callbackOf(item, resumeUrl) : undefined;
		const { taskId, mayExist, priceRub } = await createTask(
			item,
			async () => await readTaskRequest(item, callback),
		);
		const wait = { model: params.model, pollImmediately: mayExist || callback !== undefined };
		const finish = async (waitMs: number) => {
			const body = await pollTask(item, taskId, { ...wait, maxWaitMs: waitMs });
			return [await taskOutput(item, taskId, body, settings, await priceRub())];
		};
		const pending = { taskId, model: params.model };
		if (resumed) {
			const rest = async () => await finish(Math.max(until - client.now(), 0));
			return new Deferred(async () => {
				return await rest().catch(async (error: unknown) => {
					const state = timedOutState(error);
					return [timedOutOutput(pending, await priceRub(), { state })];
				});
			});
		}
		const complete = async () => await finish(maxWaitMs);
		if (!callback) return new Deferred(complete);
		return new SuspendableTask(item, { ...pending, price: priceRub, callback, until }, complete);
	},
	finishLater: suspendOrFinish,
});

/**
 * The last state of a task that has not ended in time.
 *
 * @throws any other error
 */
function timedOutState(error: unknown): string {
	if (!(error instanceof ApiError) || error.details.code !== 'wait_timeout') throw asError(error);
	return asText(error.details.extra?.state) ?? 'unknown';
}

/** How the gateway resumes this execution; `undefined` when the node polls instead. */
function callbackOf(item: ItemContext, resumeUrl: URL | undefined): ResumeCallback | undefined {
	// An AI Agent waits for its tool.
	if (item.run.isTool) return undefined;
	const problem = suspendProblem(item.n8n, resumeUrl);
	if (resumeUrl && problem === undefined) return resumeCallback(item, resumeUrl);
	item.run.hints.add(`The node polls instead of suspending the execution: ${problem}`);
	return undefined;
}
