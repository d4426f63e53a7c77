import {
	sleep,
	type IBinaryKeyData,
	type IDataObject,
	type INodeExecutionData,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';

import { callbackClient } from '../shared/n8n/client';
import { nodeParameters } from '../shared/params/source';
import { compact } from '../shared/n8n/compact';
import { downloadFiles, taskJson } from '../shared/n8n/taskResults';
import { toErrorJson } from '../shared/run/nodeError';
import { ApiError } from '../shared/gateway/errors/errors';
import type { MediaTask } from '../shared/gateway/endpoints/tasks';
import { setArchived } from '../shared/gateway/endpoints/taskActions';
import type { GatewayClient } from '../shared/gateway/client/client';
import { CallbackQueue, type Turn } from './callbackQueue';
import { endedTask } from './endedTask';
import { startsWorkflow, type Events } from './events';
import { parametersOf } from './fields';
import { readCallback, type IncomingCallback } from './incoming';
import { StartedTasks } from './startedTasks';

/** When a sender may try again that was rejected, in seconds. */
const RETRY_AFTER = '60';

/**
 * Responds to a callback at once, and starts the workflow when the callback's task belongs to the account, has
 * ended, and has not started the workflow before. The content of the callback is not trusted: the task is polled
 * with the credential. Never throws: for an error, n8n would start the workflow with it.
 */
export async function handleCallback(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	let hasResponse = false;
	const respond = (status: number, message: string, headers: Record<string, string> = {}) => {
		const response = context.getResponseObject();
		hasResponse = true;
		for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
		response.status(status).json({ message });
	};
	try {
		const callback = await readCallback(context);
		const queue = queueOf(context);
		if (callback.ids.length === 0) respond(400, 'The call names no media task');
		else if (!queue.add(callback)) respond(429, 'Too many calls', { 'Retry-After': RETRY_AFTER });
		else {
			respond(200, 'Received');
			const item = await startingItem(context, queue, callback.size);
			if (item) return { noWebhookResponse: true, workflowData: [[item]] };
		}
	} catch (error) {
		context.logger.warn(`A callback was not checked: ${toErrorJson(error).message}`);
	}
	// Without a response from here, n8n responds.
	return hasResponse ? { noWebhookResponse: true } : {};
}

/** By trigger and credential: the account decides which tasks are known. */
const queues = new Map<string, CallbackQueue>();

function queueOf(context: IWebhookFunctions): CallbackQueue {
	const { id, credentials = {} } = context.getNode();
	const credentialIds = Object.values(credentials).map((credential) => credential.id);
	const key = JSON.stringify([context.getWorkflow().id, id, context.getMode(), credentialIds]);
	const { logger } = context;
	const warn = (line: string) => logger.warn(line);
	const queue = queues.get(key) ?? new CallbackQueue({ now: () => Date.now(), sleep, warn });
	queues.set(key, queue);
	return queue;
}

/** Checks callbacks until one starts the workflow; returns the item for it. */
async function startingItem(
	context: IWebhookFunctions,
	queue: CallbackQueue,
	size: number,
): Promise<INodeExecutionData | undefined> {
	let check: CallbackCheck | undefined;
	return await queue.work(size, async (callback, turn) => {
		check ??= new CallbackCheck(context, queue);
		return await check.startFor(callback, turn);
	});
}

/** How the workflow starts. */
interface StartSettings {
	events: Events;
	archive: boolean;
	callback: boolean;
	download: boolean;
	/** Name of the binary field for the first file. */
	binaryField: string;
}

/** A callback may not be repeated, so an invalid setting counts as not set. */
function readStartSettings(context: IWebhookFunctions): StartSettings {
	const parameters = parametersOf(context.getNode().typeVersion);
	const params = parameters.read(nodeParameters(context, { isTolerant: true }));
	const { archiveTask, includeCallback, binaryPropertyName } = params.options;
	return {
		events: params.events,
		archive: archiveTask ?? false,
		callback: includeCallback ?? false,
		download: params.downloadResults,
		binaryField: binaryPropertyName,
	};
}

type Callback = Pick<IncomingCallback, 'ids' | 'content' | 'passThrough'>;

/** Checks callbacks in a call of the webhook. */
class CallbackCheck {
	private readonly startedTasks: StartedTasks;
	private settings: StartSettings | undefined;
	private client: GatewayClient | undefined;

	constructor(
		private readonly context: IWebhookFunctions,
		private readonly queue: CallbackQueue,
	) {
		this.startedTasks = new StartedTasks(context);
	}

	/** The item that starts the workflow; `undefined` when it does not start. Never throws. */
	async startFor(callback: Callback, turn: Turn): Promise<INodeExecutionData | undefined> {
		try {
			if (callback.ids.some((id) => this.startedTasks.has(id))) {
				for (const id of callback.ids) this.queue.settle(id, true);
				return undefined;
			}
			let polls = 0;
			const poll: Turn = async (work) => {
				polls += 1;
				return await turn(work);
			};
			// Its first poll has its turn: the credential is read only now.
			const settings = (this.settings ??= readStartSettings(this.context));
			const client = (this.client ??= await callbackClient(this.context));
			for (const id of callback.ids.filter((one) => this.queue.isUnsettled(one))) {
				const task = await endedTask(client, id, poll);
				if (task === 'running') return undefined;
				if (task !== 'unknown') return await this.startWith(client, task, settings, { id, polls, callback });
				this.settle(id, false);
			}
		} catch (error) {
			const { message } = toErrorJson(error);
			const ids = callback.ids.map((id) => JSON.stringify(id)).join(' or ');
			this.context.logger.warn(`A callback for the media task ${ids} was not checked: ${message}`);
		}
		return undefined;
	}

	private settle(id: string, isKnown: boolean): void {
		// In the editor, a task may be tried several times.
		if (!this.startedTasks.isTest) this.queue.settle(id, isKnown);
	}

	private async startWith(
		client: GatewayClient,
		task: MediaTask,
		settings: StartSettings,
		{ id, polls, callback }: { id: string; polls: number; callback: Callback },
	): Promise<INodeExecutionData | undefined> {
		const isTooOld = this.startedTasks.isTooOld(task);
		const isNews = this.queue.isUnsettled(task.taskId) && !isTooOld;
		const starts = startsWorkflow(task.state, settings.events) && this.startedTasks.take(task);
		if (isNews) this.queue.refund(polls);
		for (const settled of [id, task.taskId]) this.settle(settled, true);
		if (isTooOld) {
			const { taskId, createdAt = '' } = task;
			this.context.logger.info(`A callback for the media task ${taskId} of ${createdAt} came too late`);
		}
		if (!starts) return undefined;
		if (settings.archive && !(await this.archived(client, task.taskId))) return undefined;
		const files = await this.files(client, task, settings);
		return {
			json: {
				...compact({ ...taskJson(task), passThrough: callback.passThrough() }),
				...files.problem,
				...(settings.callback ? { callback: callback.content() } : {}),
			},
			...(files.binary ? { binary: files.binary } : {}),
		};
	}

	/** §3.2: archiving a task again responds with 404, so only one of several processes succeeds. */
	private async archived(client: GatewayClient, taskId: string): Promise<boolean> {
		try {
			await setArchived(client, taskId, true);
			return true;
		} catch (error) {
			const isArchived = error instanceof ApiError && error.details.status === 404;
			if (isArchived) return this.startedTasks.isTest;
			// Better two starts than none.
			const { message } = toErrorJson(error);
			this.context.logger.warn(`The media task ${taskId} could not be archived: ${message}`);
			return true;
		}
	}

	/**
	 * The result files. A callback may not be repeated, so when they cannot be downloaded the workflow starts
	 * without them.
	 */
	private async files(
		client: GatewayClient,
		task: MediaTask,
		{ download, binaryField }: StartSettings,
	): Promise<{ binary?: IBinaryKeyData; problem?: IDataObject }> {
		if (!download || task.state !== 'success') return {};
		try {
			return { binary: await downloadFiles({ client, n8n: this.context }, task, binaryField) };
		} catch (error) {
			return { problem: { downloadError: toErrorJson(error) } };
		}
	}
}
