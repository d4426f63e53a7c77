import type {
	IBinaryKeyData,
	IDataObject,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { backgroundClient, CALLBACK_SETTINGS } from '../shared/n8n/client';
import { nodeParameters } from '../shared/params/source';
import { downloadFiles, taskJson } from '../shared/n8n/taskResults';
import { toErrorJson } from '../shared/run/nodeError';
import { pollWithRetries } from '../shared/gateway/endpoints/polling';
import { taskIdsIn } from '../shared/gateway/media/callbackIds';
import { ApiError, asError } from '../shared/gateway/errors/errors';
import { asObject } from '../shared/gateway/util/json';
import { fetchMediaTask, hasEnded, readMediaTask, type MediaTask } from '../shared/gateway/endpoints/tasks';
import { setArchived } from '../shared/gateway/endpoints/taskActions';
import type { GatewayClient } from '../shared/gateway/client/client';
import { startsWorkflow, type Events } from './events';
import { parameters } from './fields';
import { StartedTasks } from './startedTasks';

/**
 * Responds to a callback at once, and starts the workflow when the callback's task belongs to the account, has
 * ended, and has not started the workflow before. The content of the callback is not trusted: the task is polled
 * with the credential.
 */
export async function handleCallback(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const ids = taskIdsIn(context.getQueryData(), context.getBodyData());
	const response = context.getResponseObject();
	if (ids.length === 0) {
		response.status(400).json({ message: 'The call names no media task' });
		return { noWebhookResponse: true };
	}
	response.status(200).json({ message: 'Received' });
	const item = await new Callback(context).startFor(ids);
	return { noWebhookResponse: true, ...(item ? { workflowData: [[item]] } : {}) };
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

class Callback {
	private readonly startedTasks: StartedTasks;

	constructor(private readonly context: IWebhookFunctions) {
		this.startedTasks = new StartedTasks(context);
	}

	/** The item that starts the workflow; `undefined` when it does not start. Never throws. */
	async startFor(ids: readonly string[]): Promise<INodeExecutionData | undefined> {
		try {
			const settings = readStartSettings(this.context);
			const client = await backgroundClient(this.context, CALLBACK_SETTINGS);
			for (const id of ids) {
				const task = await pollWithRetries(
					client,
					async () => await this.ownTask(client, id),
					(found) => found === undefined || hasEnded(found.state),
				);
				if (task) return await this.startWith(client, task, settings);
			}
		} catch (error) {
			const { message } = toErrorJson(error);
			this.context.logger.warn(
				`A callback for the media task ${ids.join(' or ')} was not checked: ${message}`,
			);
		}
		return undefined;
	}

	/** The task with this ID; `undefined` when the account has none. */
	private async ownTask(client: GatewayClient, id: string): Promise<MediaTask | undefined> {
		try {
			return readMediaTask(await fetchMediaTask(client, id), id);
		} catch (error) {
			const status = error instanceof ApiError ? error.details.status : undefined;
			if (status === 404 || status === 422) return undefined;
			throw asError(error);
		}
	}

	private async startWith(
		client: GatewayClient,
		task: MediaTask,
		settings: StartSettings,
	): Promise<INodeExecutionData | undefined> {
		if (!startsWorkflow(task.state, settings.events)) return undefined;
		if (!this.startedTasks.take(task.taskId)) return undefined;
		if (settings.archive && !(await this.archived(client, task.taskId))) return undefined;
		const files = await this.files(client, task, settings);
		return {
			json: { ...taskJson(task), ...files.problem, ...(settings.callback ? this.callback() : {}) },
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

	private callback(): IDataObject {
		const { context } = this;
		const query = asObject(context.getQueryData()) ?? {};
		return { callback: { body: context.getBodyData(), query, headers: { ...context.getHeaderData() } } };
	}
}
