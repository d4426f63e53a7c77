import { taskIdsIn } from '../../../nodes/shared/gateway/media/callbackIds';

/** A value nested in this many objects. */
const below = (depth: number, value: unknown): unknown =>
	depth === 0 ? value : { inner: below(depth - 1, value) };

describe('the task IDs in a callback', () => {
	it.each<[string, unknown, unknown, string[]]>([
		['in the query', { taskId: 'q' }, {}, ['q']],
		['in the body', {}, { taskId: 'b' }, ['b']],
		['in both, the query first', { taskId: 'q' }, { taskId: 'b' }, ['q', 'b']],
		['in text of JSON', {}, '{"data":{"taskId":"b"}}', ['b']],
		['in a nested body', {}, { data: { task: { task_id: 'b' } } }, ['b']],
		['in a list', {}, [{ taskId: 'a' }, null, 'x', { taskId: 'b' }], ['a', 'b']],
		['in lists within lists', {}, [[{ taskId: 'a' }], { tasks: [{ taskId: 'b' }] }], ['a', 'b']],
		['as numbers', {}, { taskId: 7 }, ['7']],
		['with blanks around', {}, { taskId: ' a\n' }, ['a']],
		['once each', { taskId: 'a' }, { taskId: 'a', id: 'a' }, ['a']],
		['once each, blanks or not', { taskId: 'a ' }, { taskId: ' a' }, ['a']],
		['clear names first', { id: 'e', taskid: 'c' }, { task_id: 'b', data: { taskId: 'a' } }, ['a', 'b', 'c']],
		['an ID after clear names', { id: 'c' }, { task_id: 'a', taskid: 'b' }, ['a', 'b', 'c']],
		['upper ones first', {}, { data: { taskId: 'b' }, taskId: 'a' }, ['a', 'b']],
		['at most 3', { taskId: 'a' }, [{ taskId: 'b' }, { taskId: 'c' }, { taskId: 'd' }], ['a', 'b', 'c']],
		['with 200 characters', {}, { taskId: 'a'.repeat(200) }, ['a'.repeat(200)]],
		['but not with 201', {}, { taskId: 'a'.repeat(201), id: 'b' }, ['b']],
		['of 200 characters within blanks', {}, { taskId: ` ${'a'.repeat(200)} ` }, ['a'.repeat(200)]],
	])('are found %s', (_, query, body, ids) => expect(taskIdsIn(query, body)).toStrictEqual(ids));

	it.each<[string, unknown, unknown]>([
		['nothing', undefined, undefined],
		['null', null, null],
		['text that is not JSON', {}, 'taskId=a'],
		['an ID as JSON text', {}, '"a"'],
		['an empty ID', { taskId: '' }, { taskId: '  ' }],
		['an ID that is null', { taskId: null }, { data: { taskId: null } }],
		['an ID of another kind', { taskId: true }, { taskId: ['a'] }],
		['other names', { TASKID: 'a' }, { task: 'a', fileId: 'a' }],
		['an ID in text within the body', {}, { data: '{"taskId":"a"}' }],
	])('are not found in %s', (_, query, body) => expect(taskIdsIn(query, body)).toStrictEqual([]));
});

describe('the search in a callback', () => {
	it.each([
		[4, ['deep']],
		[5, []],
		[1_000, []],
	])('is limited in depth: an ID below %s objects, %j', (depth, ids) => {
		expect(taskIdsIn({}, below(depth, { taskId: 'deep' }))).toStrictEqual(ids);
	});

	it.each([
		[199, ['last']],
		[200, []],
	])('is limited in length: an ID after %s objects, %j', (count, ids) => {
		const others = Array.from({ length: count }, () => ({}));
		expect(taskIdsIn(undefined, [...others, { taskId: 'last' }])).toStrictEqual(ids);
	});

	it('counts the objects of all levels', () => {
		const upper = Array.from({ length: 150 }, () => ({ lower: {} }));
		expect(taskIdsIn({}, [...upper, { lower: { taskId: 'a' } }])).toStrictEqual([]);
	});

	it.each<[string, unknown]>([
		['a list', Array.from({ length: 200_000 }, () => ({}))],
		['an object', Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`k${index}`, {}]))],
		['lists', Array.from({ length: 200_000 }, () => [{}])],
	])('stops early in %s with 200,000 elements', (_, body) => {
		expect(taskIdsIn({ taskId: 'a' }, body)).toStrictEqual(['a']);
	});
});
