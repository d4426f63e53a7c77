import { ApiError, asError } from '../../../shared/gateway/errors/errors';
import { asText } from '../../../shared/gateway/util/json';
import { choice, notForTools } from '../../../shared/params/kinds';
import type { Values } from '../../../shared/params/parameter';
import { defineOperation, Deferred, type ItemContext } from '../../../shared/run/operation';
import {
	resumeCallback,
	SuspendableTask,
	timedOutOutput,
	type ResumeCallback,
} from '../../suspend/suspendableTask';
import { SHORTEST_SUSPENSION_MS, suspendOrFinish } from '../../suspend/suspension';
import { resumedState, resumeUrlOf, suspendProblem } from '../../suspend/waitingExecution';
import { unreachable } from './callbackUrl';
import { createTask, taskNotSent } from './createTask';
import { maxWait, resultOptions, resultParameters, resultReader } from './result';
import { mayBeOfOthers, readTaskRequest, taskOptions, taskParameters, type TaskItem } from './taskRequest';

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

const parameters = { ...taskParameters, waitStrategy, ...resultParameters };

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
	parameters,
	options: {
		...taskOptions,
		maxWait: maxWait("After that, the item fails or, if suspended, is output with 'timedOut'."),
		...resultOptions,
	},
	async execute(item) {
		const { client, params } = item;
		const { model, options } = params;
		if (options.dryRun) return await taskNotSent(item);
		const maxWaitMs = options.maxWait * 60_000;
		const result = resultReader(item);
		const resumed = resumedState(item.n8n);
		const until = resumed?.until ?? client.now() + maxWaitMs;
		const callback = maxWaitMs >= SHORTEST_SUSPENSION_MS ? callbackOf(item) : undefined;
		const read = async () => await readTaskRequest(item, callback);
		const { taskId, mayExist, priceRub } = await createTask(item, read);
		const wait = { model, priceRub, pollImmediately: mayExist || callback !== undefined };
		if (resumed) {
			return new Deferred(async () => {
				const restMs = Math.max(until - client.now(), 0);
				return await result(taskId, { ...wait, maxWaitMs: restMs }).catch(async (error: unknown) => {
					const state = timedOutState(error);
					return [timedOutOutput({ taskId, model }, await priceRub(), { state })];
				});
			});
		}
		const complete = async () => await result(taskId, { ...wait, maxWaitMs });
		if (!callback) return new Deferred(complete);
		return new SuspendableTask(item, { taskId, model, price: priceRub, callback, until }, complete);
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
function callbackOf(item: TaskItem & ItemContext<Values<typeof parameters>>): ResumeCallback | undefined {
	const { n8n, params, run } = item;
	if (params.waitStrategy !== 'suspend') return undefined;
	const url = resumeUrlOf(n8n);
	for (const secret of url?.searchParams.values() ?? []) run.secrets.add(secret);
	// The callback of a task that another execution may have created belongs to that one. An AI Agent waits for its tool.
	if (resumedState(n8n) || mayBeOfOthers(item) || run.isTool) return undefined;
	const problem = suspendProblem(n8n, url) ?? callbackProblem(item, url);
	if (url && problem === undefined) return resumeCallback(item, url);
	run.hints.add(`The node polls instead of suspending the execution: ${problem}`);
	return undefined;
}

function callbackProblem({ client, params }: TaskItem, url: URL | undefined): string | undefined {
	if (params.options.callbackUrl?.trim()) return "the task has another 'Callback URL'";
	const reason = unreachable(url?.href ?? '', client.settings.baseUrl);
	return (
		reason &&
		`the gateway cannot reach this n8n: ${reason}. The public URL of n8n is set by N8N_WEBHOOK_URL or, in older versions, WEBHOOK_URL`
	);
}
