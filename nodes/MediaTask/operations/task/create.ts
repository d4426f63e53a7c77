import { fileNames } from '../../../shared/fields/fileName';
import { simplify } from '../../../shared/fields/results';
import { compact, asText } from '../../../shared/gateway/util/json';
import { defineOperation, type ItemContext, type OperationOutput } from '../../../shared/run/operation';
import { createTask, isOfOtherAccount, dryRunOf } from './createTask';
import { planTask, taskOptions, taskParameters, mayBeOfOthers, type PlannedTask } from './taskRequest';
import { ApiError, asError } from '../../../shared/gateway/errors/errors';
import type { MediaType } from '../../../shared/gateway/media/price';
import { choice } from '../../../shared/params/kinds';
import {
	resumeCallback,
	SuspendableTask,
	timedOutOutput,
	SHORTEST_SUSPENSION_MS,
	suspendOrFinish,
	type ResumeCallback,
} from '../../suspend/suspension';
import { resumedState, suspendSupport } from '../../suspend/waitingExecution';
import { unreachable } from './callbackUrl';
import { planResult, resultOf, resultOptions, resultParameters } from './result';

/** Creates a media task and does not wait for it (§4.6). Prices are waited for when all tasks are created. */
export const create = defineOperation({
	displayName: 'Create',
	action: 'Create media task',
	description: 'Create a new task and continue with its ID, without waiting for the result',
	toolDescription:
		'Starts to generate an image, video, piece of music or speech from a description, without waiting for it. Returns the ID of the task, with which its result can be fetched later.',
	isOfTask: true,
	parameters: { ...taskParameters, simplify },
	options: taskOptions,
	plan: (item) => ({ task: planTask(item), isSimple: item.params.simplify }),
	requestOf: ({ task }) => task.request,
	ownKeyOf: ({ task }) => task.owned,
	async execute(item, { task, isSimple }) {
		const { model } = task.entered;
		const dryRun = await dryRunOf(item, task);
		if (dryRun) return dryRun;
		const { taskId, response, priceRub } = await createTask(item, task);
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
	traits: { changesRequest: false },
}).notForTools();

const parameters = { ...taskParameters, waitStrategy, ...resultParameters };

/**
 * Creates the tasks of all items, then polls for their results or suspends the execution (§4.6, §3.1, §6.4).
 *
 * @param mediaType that of the models it is for; `undefined` for any
 */
export function createAndWaitFor(mediaType?: MediaType) {
	return defineOperation({
		displayName: 'Create and Wait',
		action: 'Create media task and wait',
		description: 'Create a new task, wait until it ends, and retrieve its files',
		toolDescription:
			'Generates an image, video, piece of music or speech from a description, and waits until it is done. Returns the URLs of the files and the price in rubles.',
		isOfTask: true,
		parameters,
		options: { ...taskOptions, ...resultOptions },
		...fileNames,
		plan: (item) => ({
			task: planTask(item, mediaType),
			result: planResult(item),
			// An AI Agent waits for its tool.
			sleeps: item.params.waitStrategy === 'suspend' && !item.run.isTool,
		}),
		requestOf: ({ task }) => task.request,
		ownKeyOf: ({ task }) => task.owned,
		async execute(item, { task, result, sleeps }) {
			const dryRun = await dryRunOf(item, task);
			if (dryRun) return dryRun;
			const { client } = item;
			const { model } = task.entered;
			const { maxWaitMs } = result;
			const resumed = resumedState(item.n8n);
			const until = resumed?.until ?? client.now() + maxWaitMs;
			const callback = sleeps ? callbackOf(item, task, maxWaitMs) : undefined;
			const { taskId, mayExist, newMs, priceRub } = await createTask(item, task, callback);
			const pollImmediately = mayExist || callback !== undefined;
			const finish = async (): Promise<OperationOutput[]> => {
				const restMs = resumed ? Math.max(until - client.now(), 0) : maxWaitMs;
				const wait = { model, priceRub, newMs, pollImmediately, maxWaitMs: restMs };
				try {
					return await resultOf(item, result, taskId, wait);
				} catch (error) {
					const { code, extra = {} } = error instanceof ApiError ? error.details : {};
					if (code !== 'wait_timeout' || !sleeps) throw asError(error);
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
}

export const createAndWait = createAndWaitFor();

/** How the gateway resumes this execution; `undefined` when the node polls instead. */
function callbackOf(item: ItemContext, task: PlannedTask, maxWaitMs: number): ResumeCallback | undefined {
	const { n8n, client, run } = item;
	const { url, problem: ofN8n } = suspendSupport(n8n);
	for (const secret of url?.searchParams.values() ?? []) run.secrets.add(secret);
	if (resumedState(n8n)) return undefined;
	const reason = unreachable(url?.href ?? '', client.settings.baseUrl);
	const problems = [
		ofN8n,
		mayBeOfOthers(item, task) &&
			"with 'Idempotency Key', and in a retry, the task may call another execution back",
		task.callbackUrl && "the task has another 'Callback URL'",
		reason &&
			`the gateway cannot reach this n8n: ${reason}. The public URL of n8n is set by N8N_WEBHOOK_URL or, in older versions, WEBHOOK_URL`,
		maxWaitMs < SHORTEST_SUSPENSION_MS &&
			"n8n resumes executions once a minute, and 'Max Wait (Minutes)' is not longer",
	];
	const problem = problems.find(Boolean);
	if (url && !problem) return resumeCallback(item, url);
	run.hints.add(`The execution keeps running instead of sleeping: ${problem}`);
	return undefined;
}
