import { simplify } from '../../../shared/fields/results';
import { compact, asText } from '../../../shared/gateway/util/json';
import { defineOperation, type ItemContext } from '../../../shared/run/operation';
import { createAgain, createTask, isOfOtherAccount, taskNotSent } from './createTask';
import { planTask, taskOptions, taskParameters, mayBeOfOthers, type TaskItem } from './taskRequest';
import { ApiError, asError } from '../../../shared/gateway/errors/errors';
import { choice, notForTools } from '../../../shared/params/kinds';
import type { Values } from '../../../shared/params/parameter';
import {
	resumeCallback,
	SuspendableTask,
	timedOutOutput,
	SHORTEST_SUSPENSION_MS,
	suspendOrFinish,
} from '../../suspend/suspension';
import { resumedState, suspendSupport } from '../../suspend/waitingExecution';
import { unreachable } from './callbackUrl';
import { isGone, resultOptions, resultParameters, resultReader } from './result';

/** Whether the item is not to be sent: a task that is paid for is taken up. */
function isDry({ run, index, params: { options } }: TaskItem): boolean {
	return options.dryRun === true && run.records.get(index)?.taskId === undefined;
}

/** Creates a media task and does not wait for it (§4.6). Prices are looked up when all tasks are created. */
export const create = defineOperation({
	displayName: 'Create',
	action: 'Create a media task',
	description: 'Create a new task and continue with its ID, without waiting for the result',
	toolDescription:
		'Starts to generate an image, video, piece of music or speech from a description, without waiting for it. Returns the ID of the task, with which its result can be fetched later.',
	parameters: { ...taskParameters, simplify },
	options: taskOptions,
	plan: planTask,
	requestOf: ({ request }) => request,
	async execute(item, planned) {
		const { model, simplify: isSimple } = item.params;
		if (isDry(item)) return await taskNotSent(item, planned);
		const { taskId, response, priceRub } = await createTask(item, planned);
		const finish = async () => [
			{ json: isSimple ? compact({ taskId, model, priceRub: await priceRub() }) : response },
		];
		return { finish };
	},
});

const waitStrategy = choice({
	displayName: 'Wait for the Result',
	noDataExpression: true,
	options: [
		{ name: 'Keep Running', value: 'poll', description: 'For images and speech' },
		{
			name: 'Sleep Until the Gateway Calls',
			value: 'suspend',
			description: 'For videos and many tasks. The gateway must be able to reach n8n.',
		},
	],
	default: 'poll',
	description:
		'Whether the execution keeps running, or n8n stores it until the gateway calls back, for which it must be able to reach this n8n',
	...notForTools,
});

const parameters = { ...taskParameters, waitStrategy, ...resultParameters };

/** Creates the tasks of all items, then polls for their results or suspends the execution (§4.6, §3.1, §6.4). */
export const createAndWait = defineOperation({
	displayName: 'Create and Wait',
	action: 'Create a media task and wait',
	description: 'Create a new task, wait until it ends, and retrieve its files',
	toolDescription:
		'Generates an image, video, piece of music or speech from a description, and waits until it is done. Returns the URLs of the files and the price in rubles.',
	parameters,
	options: { ...taskOptions, ...resultOptions },
	plan(item) {
		const { params } = item;
		void [params.waitStrategy, params.options.maxWait, params.options.binaryPropertyName];
		return planTask(item);
	},
	requestOf: ({ request }) => request,
	async execute(item, planned) {
		const { client, params, run } = item;
		const { model, options } = params;
		if (isDry(item)) return await taskNotSent(item, planned);
		const maxWaitMs = options.maxWait * 60_000;
		const result = resultReader(item);
		const resumed = resumedState(item.n8n);
		const until = resumed?.until ?? client.now() + maxWaitMs;
		const callback = callbackOf(item, maxWaitMs);
		const created = await createTask(item, planned, callback);
		const { taskId, mayExist, isNew, priceRub } = created;
		const wait = { model, priceRub, isNew, pollImmediately: mayExist || callback !== undefined };
		const finish = async () => {
			const restMs = resumed ? Math.max(until - client.now(), 0) : maxWaitMs;
			try {
				return await result(taskId, { ...wait, maxWaitMs: restMs });
			} catch (error) {
				if (isGone(error) && !isNew) {
					const again = await createAgain(item, planned, error);
					return await result(again.taskId, { ...again, model, maxWaitMs, pollImmediately: false });
				}
				const { code, extra = {} } = error instanceof ApiError ? error.details : {};
				if (code !== 'wait_timeout' || params.waitStrategy !== 'suspend' || run.isTool) throw asError(error);
				const state = asText(extra.state) ?? 'unknown';
				return [timedOutOutput({ taskId, model }, await priceRub(), { state })];
			}
		};
		// Its account may not have the task: nothing else is paid for before.
		if (isOfOtherAccount(item)) return await finish();
		if (!callback) return { finish };
		return new SuspendableTask(item, { taskId, model, price: priceRub, callback, until }, finish);
	},
	finishLater: suspendOrFinish,
});

/** How the gateway resumes this execution; `undefined` when the node polls instead. */
function callbackOf(item: TaskItem & ItemContext<Values<typeof parameters>>, maxWaitMs: number) {
	const { n8n, client, params, run } = item;
	if (params.waitStrategy !== 'suspend') return undefined;
	const { url, problem: ofN8n } = suspendSupport(n8n);
	for (const secret of url?.searchParams.values() ?? []) run.secrets.add(secret);
	// An AI Agent waits for its tool.
	if (resumedState(n8n) || run.isTool) return undefined;
	const reason = unreachable(url?.href ?? '', client.settings.baseUrl);
	const problem =
		ofN8n ??
		(mayBeOfOthers(item)
			? "with 'Idempotency Key', and in a retry, the task may call another execution back"
			: params.options.callbackUrl?.trim()
				? "the task has another 'Callback URL'"
				: reason &&
					`the gateway cannot reach this n8n: ${reason}. The public URL of n8n is set by N8N_WEBHOOK_URL or, in older versions, WEBHOOK_URL`) ??
		(maxWaitMs < SHORTEST_SUSPENSION_MS
			? "n8n resumes executions once a minute, and 'Max Wait (Minutes)' is not longer"
			: undefined);
	if (url && problem === undefined) return resumeCallback(item, url);
	run.hints.add(`The execution keeps running instead of sleeping: ${problem}`);
	return undefined;
}
