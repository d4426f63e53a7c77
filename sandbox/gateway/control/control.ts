import { ApiError } from '../errors';
import type { GatewayContext } from '../context';
import { mainAccount } from '../accounts';
import { callbackBody } from '../media/runner';
import { controlView, isEnded, type Failure, type MediaTask } from '../media/task';
import { formatRubles, parseRubles } from '../money';
import { extensionOf, normalMimeType } from '../storage/fileTypes';
import type { Hold } from './holds';
import type {
	BigFile,
	BigFileOptions,
	CallbackRecord,
	FaultRule,
	ForgedCallback,
	KeyView,
	RequestMatch,
	SettingsPatch,
	TaskView,
} from './types';

/** What a test may do to the gateway and see of it. */
export type GatewayControl = ReturnType<typeof createControl>;

export function createControl(context: GatewayContext) {
	const { accounts, callbacks, faults, files, holds, ledger, log, settings, tasks } = context;
	return {
		/** Changes the settings that are given; `taskDuration` and `callbacks` are merged, the rest is replaced. */
		configure: (patch: SettingsPatch) => settings.configure(patch),

		addFault: (rule: FaultRule) => faults.add(rule),
		faults: () => faults.list(),
		clearFaults: () => faults.clear(),

		/**
		 * Holds the responses to these requests until they are released: the requests are carried out and charged, except
		 * streams, which are charged when they end. Of a stream, some deltas may be sent before.
		 */
		hold: (match: RequestMatch, { afterDeltas = 0 } = {}): Hold => holds.add(match, afterDeltas),

		/** Requests that arrived at the API and the file host, oldest first (at most the last 20 000). */
		requests: (filter?: { host?: 'api' | 'files'; path?: string; method?: string }) =>
			structuredClone(log.list(filter)),
		ledger: (account?: string) => ledger.list(account),
		/** In flight now and the maximum so far, in total and per group. */
		concurrency: () => log.concurrency(),

		balance: (account?: string): string => formatRubles(accounts.get(account).wallet),
		setBalance: (amount: string, account?: string): void => {
			accounts.get(account).wallet = parseRubles(amount);
		},

		/** A further key; an account that does not exist yet is created with its own wallet. */
		createKey: ({ account }: { account?: string } = {}): KeyView => accounts.createKey(account),
		setKeyStatus: (key: string, status: KeyView['status']) => accounts.setKeyStatus(key, status),

		/** All tasks, deleted ones too. */
		tasks: (): TaskView[] => tasks.all().map((task) => controlView(task, files)),
		/** Ends a running task now. */
		finishTask: async (taskId: string, outcome: Failure | 'success' = 'success'): Promise<TaskView> => {
			const task = anyTask(context, taskId);
			await tasks.runner.finish(taskId, outcome);
			return controlView(task, files);
		},
		callbacks: () => callbacks.list(),
		/** Sends a callback that is not of a task, or with false data. */
		forgeCallback: async (callback: ForgedCallback): Promise<CallbackRecord> =>
			await callbacks.send(null, callback, true),
		/** Sends a finished task's callback again. */
		repeatCallback: async (taskId: string): Promise<CallbackRecord> => {
			const task = anyTask(context, taskId);
			if (task.callBackUrl === null || !isEnded(task)) throw new Error('The task has no callback to repeat');
			return await callbacks.send(taskId, { url: task.callBackUrl, body: callbackBody(task, files) }, false);
		},

		/** A file of any size whose bytes are not stored. */
		createBigFile: (options: BigFileOptions) => createBigFile(context, options),

		/** Back to the state at the start: tasks, files, ledger, wallet, keys (but the first), faults, settings, log. */
		reset: async (): Promise<void> => {
			holds.clear();
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
	const mimeType = normalMimeType(options.mimeType ?? 'video/mp4');
	const file = context.files.addPattern(options.size, {
		account: mainAccount,
		filename: options.filename ?? `big${extensionOf(mimeType)}`,
		mimeType,
		source: 'AI_GENERATION',
		storagePolicy: 'TEMP_GENERATION',
	});
	return { id: file.id, url: context.files.url(file), size: file.size };
}
