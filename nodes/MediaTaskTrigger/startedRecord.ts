import { createHash } from 'node:crypto';

import { asNumber, asObject } from '../shared/gateway/util/json';

// n8n stores the record with the workflow and with each of its executions, so it is compact: a few characters for
// each task, by the hour in which the task was created.

/** Tasks that have started a workflow. A type, not an interface: n8n stores plain data. */
export type StartedRecord = {
	/** Tasks created before this hour count as started. Hours since 1970. */
	from: number;
	/** The digests of the tasks, one after the other, by the hour in which each was created. */
	hours: Record<string, string>;
};

/** §2.7: generated files are kept for 7 days. An older task is not news. */
const WINDOW_HOURS = 7 * 24;

/** How many tasks are remembered; with more, the window becomes shorter. 160 kB. */
export const MAX_TASKS = 20_000;

/** In characters of 6 bits. A new task has the digest of a remembered one with a probability below 10⁻¹⁰. */
const DIGEST_LENGTH = 8;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Numbers below are seconds, or no times. 2001, in Unix milliseconds. */
const EARLIEST_MS = 1_000_000_000_000;

/** A task, as the record identifies it. */
export interface RecordedTask {
	taskId: string;
	/** When it was created, ISO 8601. */
	createdAt?: string | undefined;
}

/** Reads a stored record; what is not readable is left out. */
export function readRecord(value: unknown): StartedRecord {
	const stored = asObject(value);
	const hours = Object.entries(asObject(stored?.hours) ?? {}).filter(
		(entry): entry is [string, string] => /^\d+$/.test(entry[0]) && typeof entry[1] === 'string',
	);
	return { from: asNumber(stored?.from) ?? 0, hours: Object.fromEntries(hours) };
}

/** Whether a task is in the record, or too old for it. */
export function hasStarted(record: StartedRecord, task: RecordedTask, now: number): boolean {
	if (isTooOld(record, task, now)) return true;
	const digest = digestOf(task.taskId);
	return Object.values(record.hours).some((text) => includes(text, digest));
}

/** Whether a task was created before what the record covers, so that nobody knows whether it has started. */
export function isTooOld(record: StartedRecord, task: RecordedTask, now: number): boolean {
	return (hourCreated(task, now) ?? Infinity) < Math.max(record.from, hourOf(now) - WINDOW_HOURS);
}

/** The record with one more task. A task whose time is unknown counts as created now. */
export function withTask(record: StartedRecord, task: RecordedTask, now: number): StartedRecord {
	const hour = hourCreated(task, now) ?? hourOf(now);
	const added = { from: record.from, hours: { [hour]: digestOf(task.taskId) } };
	return pruned(merged(record, added), now);
}

/** All tasks of two records. */
export function merged(one: StartedRecord, other: StartedRecord): StartedRecord {
	const hours = { ...one.hours };
	for (const [hour, text] of Object.entries(other.hours)) {
		const known = hours[hour] ?? '';
		if (known !== text) hours[hour] = [...new Set([...digestsIn(known), ...digestsIn(text)])].join('');
	}
	return { from: Math.max(one.from, other.from), hours };
}

/** The record without the tasks that are too old, and without the oldest ones if there are too many. */
function pruned({ from: before, hours }: StartedRecord, now: number): StartedRecord {
	let from = Math.max(before, hourOf(now) - WINDOW_HOURS);
	const kept = Object.entries(hours)
		.filter(([hour]) => Number(hour) >= from)
		.sort(([one], [other]) => Number(one) - Number(other));
	let total = kept.reduce((sum, [, text]) => sum + text.length, 0);
	while (total > MAX_TASKS * DIGEST_LENGTH && kept.length > 1) {
		const [[hour, text] = ['', '']] = kept.splice(0, 1);
		total -= text.length;
		from = Number(hour) + 1;
	}
	return { from, hours: Object.fromEntries(kept) };
}

function hourOf(milliseconds: number): number {
	return Math.floor(milliseconds / HOUR_MS);
}

/** The hour in which a task was created; `undefined` if its time is missing or impossible. */
function hourCreated({ createdAt = '' }: RecordedTask, now: number): number | undefined {
	const time = Date.parse(createdAt);
	return time >= EARLIEST_MS && time <= now + DAY_MS ? hourOf(time) : undefined;
}

function digestOf(taskId: string): string {
	return createHash('sha256').update(taskId).digest('base64').slice(0, DIGEST_LENGTH);
}

function digestsIn(text: string): string[] {
	return text.match(new RegExp(`.{${DIGEST_LENGTH}}`, 'g')) ?? [];
}

function includes(text: string, digest: string): boolean {
	let at = text.indexOf(digest);
	while (at !== -1 && at % DIGEST_LENGTH !== 0) at = text.indexOf(digest, at + 1);
	return at !== -1;
}
