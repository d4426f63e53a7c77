import fc from 'fast-check';

import {
	hasStarted,
	isTooOld,
	MAX_TASKS,
	merged,
	readRecord,
	withTask,
	type RecordedTask,
	type StartedRecord,
} from '../../../nodes/MediaTaskTrigger/startedRecord';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 4, 20, 12, 30);
const empty: StartedRecord = { from: 0, hours: {} };

/** A task that was created this many milliseconds ago. */
const task = (taskId: string, age: number): RecordedTask => ({
	taskId,
	createdAt: new Date(NOW - age).toISOString(),
});

/** The record after these tasks have started the workflow. */
const recordOf = (...tasks: RecordedTask[]) =>
	tasks.reduce((record, one) => withTask(record, one, NOW), empty);

describe('the record of started tasks', () => {
	it('has a task for as long as the task is not too old', () => {
		const one = task('a', 0);
		const record = withTask(empty, one, NOW);
		const days = (count: number) => NOW + count * 24 * HOUR;
		expect(hasStarted(record, one, NOW)).toBe(true);
		expect([isTooOld(record, one, days(7)), hasStarted(record, one, days(7))]).toStrictEqual([false, true]);
		const eighth = days(7) + HOUR;
		expect([isTooOld(record, one, eighth), hasStarted(record, one, eighth)]).toStrictEqual([true, true]);
	});

	it('has a task among thousands of later ones', () => {
		const others = Array.from({ length: 3_000 }, (_, index) => task(`task-${index}`, index * 1_000));
		const record = recordOf(task('first', 20 * HOUR), ...others);
		expect(hasStarted(record, task('first', 20 * HOUR), NOW)).toBe(true);
		expect(hasStarted(record, task('never', 20 * HOUR), NOW)).toBe(false);
		expect(others.every((one) => hasStarted(record, one, NOW))).toBe(true);
	});

	it('takes eight characters for a task', () => {
		expect(recordOf(task('a', 0), task('b', 0), task('a', 0))).toStrictEqual({
			from: NOW / HOUR - 0.5 - 168,
			hours: { [NOW / HOUR - 0.5]: expect.stringMatching(/^[\w+/]{16}$/) as string },
		});
	});

	it('forgets hours that are too old', () => {
		const later = NOW + 8 * 24 * HOUR;
		const record = withTask(recordOf(task('a', 0)), { taskId: 'b' }, later);
		expect(Object.keys(record.hours)).toStrictEqual([String(Math.floor(later / HOUR))]);
	});

	it.each<[string, string | undefined]>([
		['no time', undefined],
		['a time in seconds', '1970-01-21T08:53:20.000Z'],
		['a time in days to come', '2026-05-22T12:30:00.000Z'],
		['another text as its time', 'yesterday'],
	])('keeps a task with %s for 7 days from its start', (_, createdAt) => {
		const one = { taskId: 'a', createdAt };
		const record = withTask(empty, one, NOW);
		expect([isTooOld(record, one, NOW), hasStarted(record, one, NOW + 7 * 24 * HOUR)]).toStrictEqual([
			false,
			true,
		]);
		expect(hasStarted(record, { ...one, taskId: 'b' }, NOW)).toBe(false);
	});

	it('of two, covers the hours that both cover', () => {
		expect(merged({ from: 5, hours: {} }, { from: 9, hours: {} }).from).toBe(9);
		expect(merged({ from: 9, hours: {} }, { from: 5, hours: {} }).from).toBe(9);
	});

	it('covers fewer hours when there are too many tasks, and tasks from before count as started', () => {
		const hour = (age: number) => String(Math.floor((NOW - age) / HOUR));
		const many = 'abcdefgh'.repeat(MAX_TASKS - 2);
		const full = { from: 0, hours: { [hour(3 * HOUR)]: 'ABCDEFGH', [hour(2 * HOUR)]: many } };
		const two = withTask(full, task('a', HOUR), NOW);
		expect(Object.keys(two.hours)).toHaveLength(3);
		const three = withTask(two, task('b', 0), NOW);
		expect(Object.keys(three.hours)).toStrictEqual([2 * HOUR, HOUR, 0].map(hour));
		expect(isTooOld(three, task('c', 3 * HOUR), NOW)).toBe(true);
		expect(hasStarted(three, task('c', 3 * HOUR), NOW)).toBe(true);
		expect(isTooOld(three, task('c', 2 * HOUR), NOW)).toBe(false);
		expect(isTooOld(withTask(three, task('d', 0), NOW), task('c', 3 * HOUR), NOW)).toBe(true);
	});

	it('keeps the tasks of the last hour even if there are too many', () => {
		const now = String(Math.floor(NOW / HOUR));
		const full = {
			from: 0,
			hours: {
				[now]: Array.from({ length: MAX_TASKS }, (_, index) => String(index).padStart(8, '-')).join(''),
			},
		};
		const record = withTask(full, task('a', 0), NOW);
		expect(record.hours[now]).toHaveLength((MAX_TASKS + 1) * 8);
	});

	it('with another one has the tasks of both', () => {
		fc.assert(
			fc.property(fc.array(fc.tuple(fc.string(), fc.nat(160 * HOUR), fc.boolean())), (all) => {
				const tasks = all.map(([taskId, age, isOne]) => ({ one: task(taskId, age), isOne }));
				const half = (isOne: boolean) =>
					recordOf(...tasks.filter((other) => other.isOne === isOne).map(({ one }) => one));
				const both = merged(half(true), half(false));
				expect(tasks.every(({ one }) => hasStarted(both, one, NOW))).toBe(true);
				expect(merged(both, half(false))).toStrictEqual(both);
			}),
			{ numRuns: 50 },
		);
	});

	it.each<[string, unknown]>([
		['nothing', undefined],
		['a list', ['a']],
		['text', 'a'],
		['hours that are a list', { from: 'x', hours: [1] }],
		['hours that are no text', { hours: { 1: {}, 2: 7 } }],
		['other names', { hours: { x: 'abcdefgh' } }],
	])('is empty when n8n has stored %s', (_, stored) => expect(readRecord(stored)).toStrictEqual(empty));

	it('is read as it was stored', () => {
		const record = recordOf(task('a', 0), task('b', HOUR));
		expect(readRecord(JSON.parse(JSON.stringify(record)))).toStrictEqual(record);
	});

	it('takes milliseconds with as many tasks as it can have', () => {
		const digests = Array.from({ length: MAX_TASKS / 100 }, (_, index) => String(index).padStart(8, '-'));
		const hours = Array.from({ length: 100 }, (_, age) => [Math.floor(NOW / HOUR) - age, digests.join('')]);
		const full: StartedRecord = { from: 0, hours: Object.fromEntries(hours) as StartedRecord['hours'] };
		const begin = performance.now();
		for (let count = 0; count < 10; count += 1) withTask(merged(full, readRecord(full)), task('a', 0), NOW);
		expect((performance.now() - begin) / 10).toBeLessThan(50);
	});
});
