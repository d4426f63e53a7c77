/** The control methods over the parts of the gateway. */
import { ApiError } from '../errors';
import { findMediaModel } from '../catalogue/mediaModels';
import type { GatewayContext } from '../context';
import type { GatewayControl } from '../gateway';
import { mainAccount } from '../accounts';
import { callbackBody } from '../media/runner';
import { controlView, isEnded, type MediaTask } from '../media/task';
import { formatRubles, parseRubles } from '../money';
import { extensionOf, normalMimeType } from '../storage/fileTypes';
import type { BigFile, BigFileOptions } from './types';

export function createControl(context: GatewayContext): GatewayControl {
	const { accounts, callbacks, faults, files, ledger, log, settings, tasks } = context;
	return {
		settings: () => structuredClone(settings.current),
		configure: (patch) => settings.configure(patch),
		addFault: (rule) => faults.add(rule),
		faults: () => faults.list(),
		clearFaults: () => faults.clear(),
		requests: (filter) => structuredClone(log.list(filter)),
		ledger: (account) => ledger.list(account),
		concurrency: () => log.concurrency(),
		balance: (account) => formatRubles(accounts.get(account).wallet),
		setBalance: (amount, account) => {
			accounts.get(account).wallet = parseRubles(amount);
		},
		keys: () => accounts.keys(),
		createKey: ({ account, status } = {}) => accounts.createKey(account, status),
		setKeyStatus: (key, status) => accounts.setKeyStatus(key, status),
		restrict: (restrictions, account) => {
			accounts.get(account).restrictions = structuredClone(restrictions);
		},
		tasks: () => tasks.all().map((task) => controlView(task, files)),
		finishTask: async (taskId, outcome = 'success') => {
			const task = anyTask(context, taskId);
			await tasks.runner.finish(taskId, outcome);
			return controlView(task, files);
		},
		callbacks: () => callbacks.list(),
		forgeCallback: async (callback) => await callbacks.send(null, callback, true),
		repeatCallback: async (taskId) => {
			const task = anyTask(context, taskId);
			if (task.callBackUrl === null || !isEnded(task)) throw new Error('The task has no callback to repeat');
			return await callbacks.send(taskId, { url: task.callBackUrl, body: callbackBody(task, files) }, false);
		},
		createBigFile: (options) => createBigFile(context, options),
		expireFile: (id) => files.expire(id),
		reset: async () => {
			await tasks.clear();
			await files.clear();
			const { sessions, responses, promptCache } = context;
			for (const part of [ledger, faults, log, callbacks, sessions, responses, promptCache]) part.clear();
			accounts.reset();
			settings.reset();
		},
	};
}

function anyTask(context: GatewayContext, taskId: string): MediaTask {
	const task = context.tasks.all().find(({ id }) => id === taskId);
	if (!task) throw new ApiError('not_found', 'No such task');
	return task;
}

function createBigFile(context: GatewayContext, options: BigFileOptions): BigFile {
	const { size, taskModel, account = mainAccount } = options;
	if (!Number.isSafeInteger(size) || size < 0) throw new Error('size must be a number of bytes');
	const mimeType = normalMimeType(options.mimeType ?? 'video/mp4');
	const file = context.files.addPattern(size, {
		account,
		filename: options.filename ?? `big${extensionOf(mimeType)}`,
		mimeType,
		source: 'AI_GENERATION',
		storagePolicy: 'TEMP_GENERATION',
	});
	const task = taskModel === undefined ? null : finishedTask(context, account, taskModel, file.id);
	return { id: file.id, url: context.files.url(file), size, taskId: task?.id ?? null };
}

function finishedTask(context: GatewayContext, account: string, modelId: string, fileId: string): MediaTask {
	const model = findMediaModel(modelId);
	const file = context.files.find(fileId);
	if (!model || !file) throw new Error(`There is no media model ${modelId}`);
	return context.tasks.createFinished(account, model, [file]);
}
