import type { IBinaryKeyData } from 'n8n-workflow';

import { fileName, fileNames } from '../../../shared/fields/fileName';
import { binaryPropertyName, downloadResults, simplify } from '../../../shared/fields/results';
import type { GatewayClient } from '../../../shared/gateway/client/client';
import { CALLBACK_PAUSES_MS } from '../../../shared/gateway/endpoints/polling';
import { fetchMediaTask, isMissing, readMediaTask } from '../../../shared/gateway/endpoints/tasks';
import { asError } from '../../../shared/gateway/errors/errors';
import { compact, type JsonObject } from '../../../shared/gateway/util/json';
import { downloadFiles, taskJson } from '../../../shared/n8n/taskResults';
import type { Values } from '../../../shared/params/parameter';
import { toErrorJson, type ErrorJson } from '../../../shared/run/nodeError';
import { defineOperation, type ItemContext, type OperationOutput } from '../../../shared/run/operation';

const parameters = { downloadResults, simplify };
const options = { binaryPropertyName, fileName };

type ExecutionTaskParams = Values<typeof parameters> & { readonly options: Values<typeof options> };

/**
 * The tasks that the nodes and tools of this execution have made with the account of the credential, also those of the executions
 * that it is a retry of. Once for all input items. Tasks that have failed or not ended are no errors.
 */
export const getFromExecution = defineOperation({
	displayName: 'Get Tasks of This Execution',
	action: 'Get media tasks of this execution',
	description:
		'Retrieve all tasks that this execution has made, such as those of an AI Agent, with their files',
	toolDescription:
		'Lists the images, videos, music and speech that were generated before in this run. Returns the state and the file URLs of each.',
	isRead: true,
	parameters,
	options,
	...fileNames,
	async execute(item) {
		const { client, index, run } = item;
		if (index > 0) return [];
		const ids = run.ledger.tasksOf(client.account);
		const found = await Promise.all(ids.map(async (taskId) => await taskOutput(item, taskId)));
		if (found.length === 0) run.hints.add('This execution has made no media tasks with this account.');
		return found;
	},
});

async function taskOutput(item: ItemContext<ExecutionTaskParams>, taskId: string): Promise<OperationOutput> {
	const { client, params, run } = item;
	const body = await fetchedTask(client, taskId);
	if (!body) return { json: { taskId, state: 'deleted', resultUrls: [] } };
	const task = readMediaTask(body, taskId);
	if (task.state === 'fail') run.ledger.taskFailed(taskId);
	if (run.isTool) return { json: taskJson(task) };
	let binary: IBinaryKeyData | undefined;
	let downloadError: ErrorJson | undefined;
	if (params.downloadResults && task.state === 'success') {
		try {
			binary = await downloadFiles(item, task, params.options.binaryPropertyName);
		} catch (error) {
			downloadError = toErrorJson(error);
		}
	}
	const json = params.simplify ? taskJson(task) : body;
	return { json: compact({ ...json, downloadError }), ...(binary && { binary }) };
}

/** Polls a task, which may be new, a few times; `undefined` for one that was deleted. */
async function fetchedTask(client: GatewayClient, taskId: string): Promise<JsonObject | undefined> {
	for (const pauseMs of CALLBACK_PAUSES_MS) {
		await client.pause(pauseMs);
		try {
			return await fetchMediaTask(client, taskId);
		} catch (error) {
			if (!isMissing(error)) throw asError(error);
		}
	}
	return undefined;
}
