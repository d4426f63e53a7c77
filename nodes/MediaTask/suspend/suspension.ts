import { randomUUID } from 'node:crypto';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type {
	Deferred,
	DeferredWork,
	ItemContext,
	OperationOutput,
	RunState,
	Suspension,
} from '../../shared/run/operation';
import type { SavedItem, SavedState } from './savedState';
import { settle, type SuspendedItem } from './settle';
import { resumedTask } from './suspendableTask';
import {
	lastSuspendedUntil,
	removeToken,
	resumeSecrets,
	stateOfResumedRun,
	storedJson,
	suspendExecution,
} from './waitingExecution';

/** Suspends an execution until its media tasks have ended (§6.4). */
export class TaskSuspension implements Suspension {
	readonly resumed: RunState | undefined;
	readonly secrets: readonly string[];
	private readonly saved: SavedState | undefined;
	private suspended: ReadonlyMap<number, SuspendedItem> = new Map();

	constructor(private readonly n8n: IExecuteFunctions) {
		this.saved = stateOfResumedRun(n8n);
		this.secrets = resumeSecrets(n8n);
		this.resumed = this.saved && runStateOf(this.saved);
	}

	resume(item: ItemContext): OperationOutput[] | Deferred {
		const saved = this.saved?.items.find(({ index }) => index === item.index);
		if (saved) return resumedTask(item, saved, this.saved?.until ?? 0);
		// Finished items were stored in place of the input.
		const stored: INodeExecutionData = this.n8n.getInputData()[item.index] ?? { json: {} };
		return [{ json: storedJson(stored), ...(stored.binary ? { binary: stored.binary } : {}) }];
	}

	async settle(work: DeferredWork): Promise<ReadonlyMap<number, OperationOutput>> {
		this.suspended = await settle(work, lastSuspendedUntil(this.n8n));
		return new Map([...this.suspended].map(([index, { saved }]) => [index, { json: saved.timedOutOutput }]));
	}

	forget(): void {
		removeToken(this.n8n);
	}

	async suspend(outputs: readonly INodeExecutionData[], run: RunState): Promise<void> {
		const tasks = [...this.suspended.values()].map(({ task }) => task);
		await suspendExecution(this.n8n, outputs, {
			id: randomUUID(),
			until: Math.max(...tasks.map(({ until }) => until)),
			concurrency: run.concurrency,
			items: [...this.suspended].map(
				([index, { task, saved }]): SavedItem => ({
					...saved,
					index,
					hasCallback: task.hasCallback,
					requests: run.settings.get(index) ?? { maxRetries: 0 },
				}),
			),
			tasks: Object.fromEntries(run.tasks),
		});
		void tasks
			.filter(({ hasCallback }) => hasCallback)
			.at(-1)
			?.watch();
	}
}

function runStateOf({ concurrency, items, tasks }: SavedState): RunState {
	return {
		concurrency,
		settings: new Map(items.map(({ index, requests }) => [index, requests])),
		tasks: new Map(Object.entries(tasks).map(([index, taskId]) => [Number(index), taskId])),
	};
}
