import type { INodeExecutionData, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { backgroundClient, CALLBACK_SETTINGS } from '../shared/execution/backgroundClient';
import { forEachIndex } from '../shared/execution/limiter';
import { errorReport, lostTasksNote, toNodeError } from '../shared/execution/nodeError';
import { continuesOnFail, failOnWaking, readSleep, type Awakening } from '../shared/execution/suspension';
import { taskIdsIn } from '../shared/gateway/callbackIds';
import { ApiFailure } from '../shared/gateway/failure';
import { fetchMediaTask, hasEnded, readMediaTask } from '../shared/gateway/media';
import type { GatewayClient } from '../shared/gateway/request';
import { taskOutput } from './operations/task/finish';
import type { TaskMemo } from './operations/task/sleeper';
import { Vigil } from './vigil';

/** A task may read as running for a moment although its end is announced: pauses between the looks, in milliseconds. */
const EARLY_CALL_PAUSES_MS = [2_000, 5_000];

/**
 * Answers a call to an execution that sleeps until its tasks have ended (§6.4), at once, and wakes it when all have.
 * The call is only a hint that it is time to look: each task is asked for with the credential.
 */
export async function answerWakeUpCall(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	context.getResponseObject().status(200).json({ message: 'Received' });
	const workflowData = await wokenBy(context, taskIdsIn(context.getQueryData(), context.getBodyData()));
	return { noWebhookResponse: true, ...(workflowData ? { workflowData } : {}) };
}

/** The node's output when the execution is to go on; `undefined` when it sleeps on. Never throws. */
async function wokenBy(
	context: IWebhookFunctions,
	named: readonly string[],
): Promise<INodeExecutionData[][] | undefined> {
	try {
		const awakening = readSleep(context);
		if (!awakening) return undefined;
		const vigil = Vigil.of(awakening.sleep.id);
		return await vigil.answer(named, async (hints) => {
			const mayGoOn = await haveEnded(context, awakening, vigil.ended, hints);
			return mayGoOn ? [await new Results(context, awakening).all()] : undefined;
		});
	} catch (error) {
		const { message } = errorReport(error);
		context.logger.warn(
			`A callback to the sleeping execution ${context.getExecutionId()} was not checked: ${message}`,
		);
		return undefined;
	}
}

/**
 * Whether all tasks have ended. Looks at those that the calls name first, and ends at the first that has not ended:
 * another call is to come.
 *
 * @param ended the tasks that are known to have ended; those that are found are added
 */
async function haveEnded(
	context: IWebhookFunctions,
	{ sleep }: Awakening,
	ended: Set<string>,
	named: readonly string[],
): Promise<boolean> {
	const client = await backgroundClient(context, CALLBACK_SETTINGS);
	const ids = sleep.items.map(({ memo }) => (memo as unknown as TaskMemo).taskId);
	const announced = ids.filter((id) => named.includes(id));
	for (const id of announced) {
		for (const pause of [...EARLY_CALL_PAUSES_MS, 0]) {
			if (ended.has(id) || (await hasTaskEnded(client, id))) ended.add(id);
			else if (pause > 0) await client.pause(pause);
		}
	}
	for (const id of ids) {
		if (!ended.has(id) && !(await hasTaskEnded(client, id))) return false;
		ended.add(id);
	}
	return true;
}

/** Whether a task has ended. One that the account does not have any more will not come back either. */
async function hasTaskEnded(client: GatewayClient, taskId: string): Promise<boolean> {
	const body = await fetchMediaTask(client, taskId).catch((error: unknown) => {
		const status = error instanceof ApiFailure ? error.details.status : undefined;
		return status === 404 || status === 422 ? undefined : Promise.reject(error as Error);
	});
	return !body || hasEnded(readMediaTask(body, taskId).state);
}

/** What the node puts out when all its tasks have ended. */
class Results {
	private readonly node;
	private readonly continues: boolean;
	private firstFailure: { index: number; error: unknown } | undefined;

	constructor(
		private readonly context: IWebhookFunctions,
		private readonly awakening: Awakening,
	) {
		this.node = context.getNode();
		this.continues = continuesOnFail(context);
	}

	/** One item for each input item, in order: n8n links them by their place. */
	async all(): Promise<INodeExecutionData[]> {
		const { sleep, items } = this.awakening;
		const outputs = this.node.executeOnce ? items.slice(0, 1) : [...items];
		await forEachIndex(
			sleep.items.length,
			sleep.concurrency,
			() => this.continues || !this.firstFailure,
			async (place) => {
				const { index, memo } = sleep.items[place] ?? { index: place, memo: {} };
				outputs[index] = await this.one(index, memo as unknown as TaskMemo);
			},
		);
		if (this.firstFailure && !this.continues) this.fail(this.firstFailure);
		return outputs;
	}

	private async one(
		index: number,
		{ taskId, priceRub, timeoutMs, ...wish }: TaskMemo,
	): Promise<INodeExecutionData> {
		try {
			const client = await backgroundClient(this.context, { ...CALLBACK_SETTINGS, timeoutMs });
			const body = await fetchMediaTask(client, taskId);
			const place = { client, n8n: this.context };
			return { ...(await taskOutput(place, taskId, body, wish, priceRub)) };
		} catch (error) {
			const failure = error instanceof ApiFailure ? error.with({ taskId }) : error;
			if (!this.firstFailure || index < this.firstFailure.index)
				this.firstFailure = { index, error: failure };
			return { json: { error: errorReport(failure) } };
		}
	}

	private fail({ index, error }: { index: number; error: unknown }): void {
		const tasks = this.awakening.sleep.items.map(({ memo }) => (memo as unknown as TaskMemo).taskId);
		const nodeError = toNodeError(this.node, error, index, lostTasksNote(tasks, error));
		if (failOnWaking(this.context, nodeError)) return;
		this.context.logger.error(`"${this.node.name}" passes its error on as an item: ${nodeError.message}`);
	}
}
