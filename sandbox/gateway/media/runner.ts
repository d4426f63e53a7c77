/** Runs tasks from `waiting` through `processing` to their end (§3.1), by the clock or by control. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { drawDuration, type SettingsStore } from '../control/settings';
import { marker } from '../text/markers';
import type { FileStore } from '../storage/store';
import type { CallbackSender } from './callbacks';
import { renderResults, type Rendered } from './render/render';
import { promptOf } from './render/words';
import { statusView, type Failure, type MediaTask } from './task';

/** Part of the duration that a task waits, and after which a song has its first track. */
const waitingPart = 0.2;
const firstTrackPart = 0.6;

interface Run {
	/** Aborted to end the task at once. */
	hurry: AbortController;
	forced: Failure | 'success' | null;
	ended: Promise<void>;
}

export class TaskRunner {
	private readonly runs = new Map<string, Run>();
	private stopped = false;

	constructor(
		private readonly settings: SettingsStore,
		private readonly files: FileStore,
		private readonly callbacks: CallbackSender,
	) {}

	start(task: MediaTask): void {
		const run: Run = { hurry: new AbortController(), forced: null, ended: Promise.resolve() };
		this.runs.set(task.id, run);
		const failure = this.plannedFailure(task);
		run.ended = this.run(task, run, failure).finally(() => this.runs.delete(task.id));
	}

	/** Ends a running task now; an ended one stays unchanged. */
	async finish(taskId: string, outcome: Failure | 'success'): Promise<void> {
		const run = this.runs.get(taskId);
		if (!run) return;
		run.forced = outcome;
		run.hurry.abort();
		await run.ended;
	}

	/** Cancels all runs, and waits until they have stopped. */
	async stop(): Promise<void> {
		this.stopped = true;
		const runs = [...this.runs.values()];
		for (const run of runs) run.hurry.abort();
		await Promise.all(runs.map((run) => run.ended));
		this.stopped = false;
	}

	/** Control's next failure, or the `[[fail:CODE]]` of the prompt. */
	private plannedFailure(task: MediaTask): Failure | null {
		const { taskFailure } = this.settings.current;
		if (taskFailure) {
			if (taskFailure.times === 1) this.settings.configure({ taskFailure: null });
			else if (taskFailure.times > 1) taskFailure.times -= 1;
			return { failCode: taskFailure.code, failMsg: taskFailure.message };
		}
		const code = marker(promptOf(task.input), 'fail');
		return code === null
			? null
			: { failCode: code || 'GENERATION_FAILED', failMsg: 'The prompt asked for a failure' };
	}

	private async run(task: MediaTask, run: Run, failure: Failure | null): Promise<void> {
		const duration = drawDuration(this.settings.current.taskDuration[task.model.mediaType]);
		const until = (part: number): Promise<void> => waitUntil(task.createTime + duration * part, run);
		await until(waitingPart);
		if (this.stopped) return;
		task.state = 'processing';
		const rendered = failure ? failure : await this.render(task);
		if (Array.isArray(rendered) && task.model.mediaType === 'music') {
			await until(firstTrackPart);
			const [first] = rendered.splice(0, 1);
			if (first && !this.stopped) await this.keep(task, first);
		}
		await until(1);
		if (this.stopped) return;
		await this.end(task, typeof run.forced === 'object' && run.forced ? run.forced : rendered);
	}

	private async render(task: MediaTask): Promise<Rendered[] | Failure> {
		try {
			return await renderResults(task.model.mediaType, task.input, this.settings.current.render, this.files);
		} catch (error) {
			const failMsg = error instanceof Error ? error.message : String(error);
			return { failCode: 'RENDER_FAILED', failMsg };
		}
	}

	private async end(task: MediaTask, outcome: Rendered[] | Failure): Promise<void> {
		if (Array.isArray(outcome)) {
			for (const item of outcome) await this.keep(task, item);
			task.state = 'success';
		} else {
			task.failure = outcome;
			task.state = 'fail';
			if (this.settings.current.failedTasksAreFree) task.refund?.();
		}
		task.endTime = Date.now();
		if (!task.deleted) void this.announce(task);
	}

	/** Sends the task's callback, if it has a callBackUrl. */
	private async announce(task: MediaTask): Promise<void> {
		if (task.callBackUrl === null) return;
		await this.callbacks.announce(task.id, task.callBackUrl, callbackBody(task, this.files));
	}

	private async keep(task: MediaTask, { bytes, filename, mimeType }: Rendered): Promise<void> {
		const file = await this.files.addBytes(bytes, {
			account: task.account,
			filename,
			mimeType,
			source: 'AI_GENERATION',
			storagePolicy: 'TEMP_GENERATION',
		});
		if (task.deleted) this.files.markDeleted(file, task.id);
		if (task.model.mediaType === 'music') {
			const { title } = task.input;
			const name = typeof title === 'string' ? title : promptOf(task.input).slice(0, 40);
			task.tracks.push({ id: randomUUID(), fileId: file.id, title: name });
		}
		task.files = [...task.files, file];
	}
}

/** A plausible body: the envelope of GET on the task (§6.4 shows none). */
export function callbackBody(task: MediaTask, files: FileStore): Record<string, unknown> {
	const msg = task.state === 'fail' ? 'fail' : 'success';
	return { code: 200, msg, data: statusView(task, files) };
}

async function waitUntil(time: number, run: Run): Promise<void> {
	const rest = time - Date.now();
	if (rest <= 0 || run.hurry.signal.aborted) return;
	await sleep(rest, undefined, { signal: run.hurry.signal }).catch(() => undefined);
}
