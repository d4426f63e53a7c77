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

/** A task with the requests for it. Times in Unix milliseconds. */
export interface WatchedTask {
	createTime: number;
	endTime: number;
	/** The number of its polls. */
	polls: number;
	/** The time of the response to the first poll that showed its end. */
	seenTime: number;
}

/**
 * Joins tasks with the requests for them.
 *
 * @throws when a task has not ended, or no poll has shown its end
 */
export function watchedTasks(tasks: TaskView[], requests: RequestRecord[]): WatchedTask[] {
	const requestsOf = new Map(tasks.map(({ taskId }): [string, RequestRecord[]] => [taskId, []]));
	for (const request of requests) {
		if (request.group === 'mediaStatus') requestsOf.get(basename(request.path))?.push(request);
	}
	return tasks.map(({ taskId, createTime, endTime }) => {
		const polls = requestsOf.get(taskId) ?? [];
		const seenTime = polls
			.map(({ endedAt }) => endedAt)
			.find((time) => time !== null && endTime !== null && time >= endTime);
		if (endTime === null || typeof seenTime !== 'number')
			throw new Error(`Nobody has seen the end of task ${taskId}`);
		return { createTime, endTime, polls: polls.length, seenTime };
	});
}

/** The samples while all tasks existed and at least one had not ended. Times in Unix milliseconds. */
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

/** The median; NaN without values. */
export function median(values: number[]): number {
	return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

/** The number of polls for these tasks at the longest, middle and shortest recommended interval. */
export function guidedPolls(watched: WatchedTask[], medium: Medium): Spread {
	const [shortest, longest] = guidance[medium];
	const at = (pace: number) =>
		spread(watched.map(({ createTime, endTime }) => Math.ceil((endTime - createTime) / 1000 / pace)));
	return { min: at(longest).min, mean: at((shortest + longest) / 2).mean, max: at(shortest).max };
}
