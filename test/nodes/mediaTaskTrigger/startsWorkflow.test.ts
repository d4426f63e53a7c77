import { startsWorkflow } from '../../../nodes/MediaTaskTrigger/events';
import { StartedTasks } from '../../../nodes/MediaTaskTrigger/startedTasks';

test.each([
	['success', 'success', true],
	['success', 'fail', false],
	['fail', 'fail', true],
	['fail', 'both', true],
	['processing', 'both', false],
	['waiting', 'both', false],
	['cancelled', 'both', false],
] as const)('a task in state %s starts a workflow that waits for %s: %s', (state, events, starts) =>
	expect(startsWorkflow(state, events)).toBe(starts),
);

describe('a task starts the workflow once', () => {
	const context = (store: Record<string, unknown>, node = 'n', mode = 'webhook') =>
		({
			getWorkflowStaticData: () => store,
			getWorkflow: () => ({ id: 'w' }),
			getNode: () => ({ id: node }),
			getMode: () => mode,
		}) as unknown as ConstructorParameters<typeof StartedTasks>[0];
	const [t1, t2] = [{ taskId: 't1' }, { taskId: 't2' }];

	it('with separate copies of the static data', () => {
		expect(new StartedTasks(context({}, 'a')).take(t1)).toBe(true);
		expect(new StartedTasks(context({}, 'a')).take(t1)).toBe(false);
	});

	it('also in another process, which shares only the static data', () => {
		const store = {};
		new StartedTasks(context(store, 'b')).take(t1);
		const copy = JSON.parse(JSON.stringify(store)) as Record<string, unknown>;
		const other = new StartedTasks(context(copy, 'b in another process'));
		expect([other.take(t1), other.take(t2)]).toStrictEqual([false, true]);
	});

	it('and stores all tasks of this process, so that the last write keeps them', () => {
		const second = {};
		new StartedTasks(context({}, 'c')).take(t1);
		new StartedTasks(context(second, 'c')).take(t2);
		const other = new StartedTasks(context(second, 'c in another process'));
		expect([other.take(t1), other.take(t2)]).toStrictEqual([false, false]);
	});

	it('but again for another trigger, and in the editor', () => {
		new StartedTasks(context({}, 'd')).take(t1);
		expect(new StartedTasks(context({}, 'e')).take(t1)).toBe(true);
		expect(new StartedTasks(context({}, 'd', 'manual')).take(t1)).toBe(true);
	});

	it('and not if it was created more than 7 days ago, except in the editor', () => {
		const now = Date.UTC(2026, 4, 20, 12, 30);
		const old = { taskId: 'old', createdAt: '2026-05-13T11:59:59.000Z' };
		const started = (mode?: string) => new StartedTasks(context({}, 'f', mode), () => now);
		expect([started().isTooOld(old), started().take(old)]).toStrictEqual([true, false]);
		expect([started('manual').isTooOld(old), started('manual').take(old)]).toStrictEqual([false, true]);
	});
});
