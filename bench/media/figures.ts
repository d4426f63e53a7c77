import { basename } from 'node:path';

import type { RequestRecord, TaskView } from '../../sandbox/gateway/gateway';
import type { Medium } from './contenders';

/** §3.1: seconds between two polls of a task. */
export const guidance: Record<Medium, readonly [shortest: number, longest: number]> = {
	image: [3, 5],
	video: [5, 10],
};

export interface Spread {
	min: number;
	mean: number;
	max: number;
}

/** A task with what the gateway saw of the one who waited for it. Times in Unix milliseconds. */
export interface WatchedTask {
	createTime: number;
	endTime: number;
	/** How often it was looked at. */
	polls: number;
	/** When the first look that showed its end was answered. */
	seenTime: number;
}

/**
 * Joins tasks with the requests for them.
 *
 * @throws when a task has not ended, or nobody has seen its end
 */
export function watchedTasks(tasks: TaskView[], requests: RequestRecord[]): WatchedTask[] {
	const looks = new Map(tasks.map(({ taskId }): [string, RequestRecord[]] => [taskId, []]));
	for (const request of requests) {
		if (request.group === 'mediaStatus') looks.get(basename(request.path))?.push(request);
	}
	return tasks.map(({ taskId, createTime, endTime }) => {
		const polls = looks.get(taskId) ?? [];
		const seenTime = polls
			.map(({ endedAt }) => endedAt)
			.find((time) => time !== null && endTime !== null && time >= endTime);
		if (endTime === null || typeof seenTime !== 'number')
			throw new Error(`Nobody has seen the end of task ${taskId}`);
		return { createTime, endTime, polls: polls.length, seenTime };
	});
}

/** What was noted while all tasks existed and at least one had not ended. Times in Unix milliseconds. */
export function whileWaiting<Note extends { time: number }>(watched: WatchedTask[], notes: Note[]): Note[] {
	const created = Math.max(...watched.map(({ createTime }) => createTime));
	const ended = Math.max(...watched.map(({ endTime }) => endTime));
	return notes.filter(({ time }) => time > created && time < ended);
}

/** Least, average and greatest of at least one value. */
export function spread(values: number[]): Spread {
	const sum = values.reduce((total, value) => total + value, 0);
	return { min: Math.min(...values), mean: sum / values.length, max: Math.max(...values) };
}

/** The middle value; NaN of nothing. */
export function median(values: number[]): number {
	return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

/** How many polls the guidance gives for these tasks: at its slowest, middle and fastest pace. */
export function guidedPolls(watched: WatchedTask[], medium: Medium): Spread {
	const [shortest, longest] = guidance[medium];
	const at = (pace: number) =>
		spread(watched.map(({ createTime, endTime }) => Math.ceil((endTime - createTime) / 1000 / pace)));
	return { min: at(longest).min, mean: at((shortest + longest) / 2).mean, max: at(shortest).max };
}
