/** The tasks of all accounts: idempotent creation, flags, deletion (§3.2, §4.6). */
import { randomUUID } from 'node:crypto';
import type { Account } from '../accounts';
import { ApiError } from '../errors';
import type { FileStore } from '../storage/store';
import type { TaskRunner } from './runner';
import { isEnded, type MediaTask } from './task';

export type NewTask = Pick<
	MediaTask,
	'model' | 'input' | 'price' | 'callBackUrl' | 'sessionId' | 'idempotencyKey'
>;

export class TaskStore {
	private readonly tasks = new Map<string, MediaTask>();
	private readonly byIdempotencyKey = new Map<string, MediaTask>();

	constructor(
		private readonly files: FileStore,
		readonly runner: TaskRunner,
	) {}

	/** The task that the account has created with this key. */
	repeated(account: Account, key: string | undefined): MediaTask | undefined {
		return key === undefined ? undefined : this.byIdempotencyKey.get(`${account.name} ${key}`);
	}

	create(account: Account, task: NewTask): MediaTask {
		const created: MediaTask = {
			...task,
			id: randomUUID(),
			account: account.name,
			createTime: Date.now(),
			state: 'waiting',
			files: [],
			tracks: [],
			failure: null,
			endTime: null,
			archived: false,
			deleted: false,
		};
		this.tasks.set(created.id, created);
		const { idempotencyKey } = task;
		if (idempotencyKey !== null) this.byIdempotencyKey.set(`${account.name} ${idempotencyKey}`, created);
		this.runner.start(created);
		return created;
	}

	all(): MediaTask[] {
		return [...this.tasks.values()];
	}

	/** An owned task, a deleted one too; throws 404. */
	owned(account: Account, id: string): MediaTask {
		const task = this.tasks.get(id);
		if (task?.account !== account.name) throw new ApiError('not_found', 'Task not found');
		return task;
	}

	/** An owned task that is not deleted; throws 404. */
	visible(account: Account, id: string): MediaTask {
		const task = this.owned(account, id);
		if (task.deleted) throw new ApiError('not_found', 'Task not found');
		return task;
	}

	/** §3.2: 404 when the flag already has the value. */
	archive(task: MediaTask, archived: boolean): void {
		if (task.archived === archived) {
			throw new ApiError('not_found', archived ? 'Task is already archived' : 'Task is not archived');
		}
		task.archived = archived;
	}

	/** §3.2: its files are deleted with it; files that are already deleted stay so. */
	delete(task: MediaTask): void {
		task.deleted = true;
		for (const file of task.files) this.files.markDeleted(file, task.id);
	}

	restore(task: MediaTask): void {
		task.deleted = false;
		this.files.restoreWith(task.id);
	}

	sessionBusy(sessionId: string): boolean {
		return this.all().some((task) => task.sessionId === sessionId && !isEnded(task));
	}

	async clear(): Promise<void> {
		await this.runner.stop();
		this.tasks.clear();
		this.byIdempotencyKey.clear();
	}
}
