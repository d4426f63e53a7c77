import fc from 'fast-check';

import { MAX_REMEMBERED, mergedIds, startsWorkflow } from '../../../nodes/MediaTaskTrigger/events';
import { StartedTasks } from '../../../nodes/MediaTaskTrigger/startedTasks';
import { taskIdsIn } from '../../../nodes/shared/gateway/media/callbackIds';

describe('the task ID of a callback is found in', () => {
	test.each<[string, unknown, unknown, string[]]>([
		['the envelope of the task', {}, { code: 200, data: { taskId: 'a', state: 'success' } }, ['a']],
		['the body itself', {}, { taskId: 'a' }, ['a']],
		['the query', { taskId: 'a' }, {}, ['a']],
		['another spelling', {}, { task: { task_id: 'a' } }, ['a']],
		['a number', {}, { taskId: 17 }, ['17']],
		['text that is JSON', {}, '{"data": {"taskId": "a"}}', ['a']],
		['a list', {}, [{ taskId: 'a' }], ['a']],
		['a clear name before an id', {}, { id: 'event', data: { taskId: 'a', id: 'x' } }, ['a', 'event', 'x']],
		['no field of another name', { foo: 'bar' }, { status: 'done', nested: [1, null, 'x'] }, []],
		['no text', undefined, 'hello', []],
		['no blank field', {}, { taskId: '  ' }, []],
		['no field that is too long', {}, { taskId: 'x'.repeat(5_000) }, []],
	])('%s', (_, query, body, ids) => expect(taskIdsIn(query, body)).toStrictEqual(ids));

	it('any callback: at most three IDs, each once, none too long', () => {
		fc.assert(
			fc.property(fc.anything(), fc.jsonValue(), (query, body) => {
				const ids = taskIdsIn(query, body);
				expect(ids.length).toBeLessThanOrEqual(3);
				expect(new Set(ids).size).toBe(ids.length);
				for (const id of ids) expect(id.length).toBeLessThanOrEqual(200);
			}),
			{ numRuns: 500 },
		);
	});
});

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

	it('with separate copies of the static data', () => {
		expect(new StartedTasks(context({}, 'a')).take('t1')).toBe(true);
		expect(new StartedTasks(context({}, 'a')).take('t1')).toBe(false);
	});

	it('also in another process, which shares the static data alone', () => {
		const store = {};
		new StartedTasks(context(store, 'b')).take('t1');
		expect(store).toStrictEqual({ started: ['t1'] });
		expect(new StartedTasks(context(structuredClone(store), 'b in another process')).take('t1')).toBe(false);
	});

	it('and stores all tasks of this process, so that the last write keeps them', () => {
		const [first, second] = [{}, {}];
		new StartedTasks(context(first, 'c')).take('t1');
		new StartedTasks(context(second, 'c')).take('t2');
		expect(second).toStrictEqual({ started: ['t1', 't2'] });
	});

	it('but again for another trigger, and in the editor', () => {
		new StartedTasks(context({}, 'd')).take('t1');
		expect(new StartedTasks(context({}, 'e')).take('t1')).toBe(true);
		expect(new StartedTasks(context({}, 'd', 'manual')).take('t1')).toBe(true);
	});

	it('until a thousand newer tasks have started it', () => {
		const many = Array.from({ length: MAX_REMEMBERED }, (_, index) => `t${index}`);
		expect(mergedIds(['old'], many)).toStrictEqual(many);
	});
});
