import type { IExecuteFunctions, INode } from 'n8n-workflow';

import {
	ApiError,
	InvalidInputError,
	StoppedError,
	type ApiErrorDetails,
} from '../../nodes/shared/gateway/errors/errors';
import { RunJournal } from '../../nodes/shared/run/journal';

// What a run of a node records of its items, and what the tries of Retry On Fail and the user learn from it.

const KEY = 'k';
const UNKNOWN_0 = ' The outcome of item 0 is unknown: it may have been charged.';
const TASK_1 = ' Media tasks of this run, whose results you can still fetch by ID: t1.';
const details: ApiErrorDetails = {
	message: 'no',
	description: 'why',
	outcome: 'rejected',
	retryable: true,
};
const refusal = () => new ApiError(details);
const lost = () => new ApiError({ ...details, outcome: 'unknown' });
const detailsOf = (error: unknown) => (error instanceof ApiError ? error.details : undefined);

/** A node whose context lasts through the tries of an execution. */
function nodeWith(settings: Partial<INode>) {
	const store: Record<string, unknown> = {};
	const context = {
		getContext: (type: string) => (type === 'node' ? store : {}),
		getNode: () => settings,
	};
	const attempt = ({ executionId = 'e1', run = '0' } = {}) =>
		new RunJournal({ ...context, getExecutionId: () => executionId } as unknown as IExecuteFunctions, run);
	return { store, attempt };
}

const retrying = () => nodeWith({ retryOnFail: true, maxTries: 3 });

it('is written before the act: a try that ends in any way is known to the next one', () => {
	const { attempt } = retrying();
	attempt().note(0, { key: KEY });
	expect(attempt().entry(0)?.key).toBe(KEY);
});

it('is plain data: n8n can store it between the tries', () => {
	const { store, attempt } = retrying();
	const journal = attempt();
	journal.note(0, { key: KEY });
	journal.note(1, { task: { taskId: 't1', response: { data: {} } } });
	journal.failed(0, lost());
	Object.assign(store, JSON.parse(JSON.stringify(store)));
	const next = attempt();
	expect([next.paidNote(), next.entry(0)?.key]).toStrictEqual([UNKNOWN_0 + TASK_1, KEY]);
});

it.each([{ executionId: 'e2' }, { run: '1' }])('of another execution or run is not taken: %j', (other) => {
	const { attempt } = retrying();
	attempt().note(0, { key: KEY });
	expect(attempt(other).entry(0)?.key).toBeUndefined();
});

it('of one run of an agent’s tool does not end that of another', () => {
	const { store, attempt } = retrying();
	attempt({ run: 'a' }).note(0, { key: KEY });
	attempt({ run: 'b' }).clear();
	expect(attempt({ run: 'a' }).entry(0)?.key).toBe(KEY);
	attempt({ run: 'a' }).clear();
	expect(store).toStrictEqual({});
});

describe('an item that was requested', () => {
	/** What is known of an item after tries that ended with these errors, and the last error that is told. */
	function afterTries(key: string | undefined, ...errors: unknown[]) {
		const { attempt } = retrying();
		let [told, note]: [unknown, string] = [undefined, ''];
		for (const error of errors) {
			const journal = attempt();
			journal.note(0, key === undefined ? {} : { key });
			told = journal.failed(0, error);
			note = journal.paidNote();
		}
		return { told, note, next: attempt().entry(0) };
	}

	it.each<[string, unknown]>([
		['a refusal', refusal()],
		['an invalid value', new InvalidInputError('no', '')],
		['a cancel before it was sent', new StoppedError('cancelled')],
	])('and ended by %s is read again by the next try', (_, error) => {
		const { told, note, next } = afterTries(KEY, error);
		expect([told, note, next?.key]).toStrictEqual([error, '', undefined]);
	});

	it.each<[string, unknown]>([
		['a lost response', lost()],
		['an error that is not the gateway’s', new TypeError('no')],
		['a cancel in flight', new StoppedError('cancelled', 'unknown')],
	])('and ended by %s has an unknown outcome, and is sent again as it was', (_, error) => {
		const { note, next } = afterTries(KEY, error);
		expect([note, next?.key, next?.outputs]).toStrictEqual([UNKNOWN_0, KEY, undefined]);
	});

	it.each<[string, unknown]>([
		['lost', lost()],
		['stopped in flight', new StoppedError('other item failed', 'unknown')],
	])('and %s stays unknown when a later try is rejected, and its error says so', (_, first) => {
		const { told, note, next } = afterTries(KEY, first, refusal());
		expect(detailsOf(told)).toMatchObject({ outcome: 'unknown', kind: 'keyed' });
		expect([note, next?.key]).toStrictEqual([UNKNOWN_0, KEY]);
	});

	it('and cannot be repeated has its error again in the next try', () => {
		const { told, next } = afterTries(undefined, lost());
		expect(next?.error).toStrictEqual(detailsOf(told));
	});

	it('and has succeeded is no longer unknown', () => {
		const journal = retrying().attempt();
		journal.note(0, {});
		journal.note(0, { outputs: [] });
		expect(journal.paidNote()).toBe('');
	});
});

describe('a task that exists', () => {
	it('is taken up by the next try', () => {
		const { attempt } = retrying();
		const journal = attempt();
		journal.note(0, { key: KEY });
		journal.note(0, { task: { taskId: 't1', response: { code: 201 } } });
		expect(attempt().entry(0)).toStrictEqual({ key: KEY, task: { taskId: 't1', response: { code: 201 } } });
	});

	it.each([
		['of the gateway', lost()],
		['of n8n', new TypeError('no')],
	])('is charged, whatever the error %s', (_, error) => {
		const journal = retrying().attempt();
		journal.note(0, { task: { taskId: 't1', response: {} } });
		expect(detailsOf(journal.failed(0, error))).toMatchObject({ outcome: 'charged', taskId: 't1' });
	});

	it('and has failed is not called paid', () => {
		const journal = retrying().attempt();
		journal.note(0, { task: { taskId: 't1', response: {} } });
		const failed = new ApiError({ ...details, outcome: 'unknown', taskId: 't1', extra: { state: 'fail' } });
		expect(journal.failed(0, failed)).toBe(failed);
	});

	it('is named while the node may end with an error, also when its item has finished in an earlier try', () => {
		const { attempt } = retrying();
		const journal = attempt();
		journal.note(0, { task: { taskId: 't0', response: {} } });
		journal.note(3, { task: { taskId: 't1', response: {} } });
		journal.note(0, { outputs: [{ json: { a: 1 } }] });
		expect(attempt().paidNote()).toBe(TASK_1.replace('t1', 't0, t1'));
		expect(attempt().paidNote(0)).toBe(TASK_1);
	});
});

it('names all items whose outcome is unknown, except the one whose error says so', () => {
	const journal = retrying().attempt();
	for (const index of [1, 2, 3]) journal.note(index, {});
	expect(journal.paidNote(2)).toBe(' The outcome of items 1, 3 is unknown: they may have been charged.');
});

it.each([
	['the node has failed, with Retry On Fail', true, { retryOnFail: true }, true],
	['the node has failed, without', true, {}, false],
	['the node has not failed', false, { retryOnFail: true }, false],
])('is kept or removed at the end of a try: %s', (_, hasFailed, settings, isKept) => {
	const { store, attempt } = nodeWith(settings);
	const journal = attempt();
	journal.note(0, { outputs: [] });
	journal.endTry(hasFailed);
	expect(Object.keys(store)).toHaveLength(isKept ? 1 : 0);
});

it('knows in each try which content a key of the user stands for', () => {
	const { attempt } = retrying();
	const uses = [
		[0, 'a', 'x', true],
		[1, 'a', 'y', false],
		[1, 'b', 'y', true],
		[2, 'a', 'x', true],
	] as const;
	for (const journal of [attempt(), attempt()]) {
		for (const [index, key, content, isFree] of uses)
			expect(journal.claimKey(index, key, content)).toBe(isFree);
	}
});

it('lets the first item with a key change its content, and not another item', () => {
	const { attempt } = retrying();
	expect(attempt().claimKey(0, 'a', 'x')).toBe(true);
	expect(attempt().claimKey(0, 'a', 'y')).toBe(true);
	expect(attempt().claimKey(1, 'a', 'x')).toBe(false);
});

it('knows a lost call whose entry an equal call at the same time has removed', () => {
	const { attempt } = retrying();
	const [one, other] = [attempt(), attempt()];
	one.note(0, {});
	one.failed(0, refusal());
	const told = other.failed(0, lost());
	expect(attempt().entry(0)?.error).toStrictEqual(detailsOf(told));
});

it('passes on the error of an item that was not sent', () => {
	const error = refusal();
	expect(retrying().attempt().failed(0, error)).toBe(error);
});
