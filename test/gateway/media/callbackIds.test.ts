import fc from 'fast-check';

import { taskIdsIn } from '../../../nodes/shared/gateway/media/callbackIds';

/** A value nested in this many objects. */
const below = (depth: number, value: unknown): unknown =>
	depth === 0 ? value : { inner: below(depth - 1, value) };

describe('the task IDs in a callback', () => {
	it.each<[string, unknown, unknown, string[]]>([
		['in the query', { taskId: 'q' }, {}, ['q']],
		['in the body', {}, { taskId: 'b' }, ['b']],
		['in both, those of the query', { taskId: 'q' }, { taskId: 'b' }, ['q']],
		['in text of JSON', {}, '{"data":{"taskId":"b"}}', ['b']],
		['in a nested body', {}, { data: { task: { task_id: 'b' } } }, ['b']],
		['in a list', {}, [{ id: 'a' }, null, 'x', { id: 'b' }], ['a', 'b']],
		['in lists within lists', {}, [[{ id: 'a' }], { tasks: [{ id: 'b' }] }], ['a', 'b']],
		['as numbers', {}, { taskId: 7 }, ['7']],
		['with blanks around', {}, { taskId: ' a\n' }, ['a']],
		['once each', { id: 'a' }, { id: 'a', data: { id: 'b' } }, ['a', 'b']],
		['once each, blanks or not', { id: 'a ' }, { id: ' a' }, ['a']],
		['by the clearest name alone', { id: 'e', taskid: 'c' }, { task_id: 'b', data: { taskId: 'a' } }, ['a']],
		['by a clear name alone', { id: 'c' }, { task_id: 'a', taskid: 'b' }, ['a']],
		['on the uppermost level alone', {}, { data: { taskId: 'b' }, taskId: 'a' }, ['a']],
		['upper ones first', {}, { data: { id: 'b' }, id: 'a' }, ['a', 'b']],
		['at most 3', { id: 'a' }, [{ id: 'b' }, { id: 'c' }, { id: 'd' }], ['a', 'b', 'c']],
		['with 200 characters', {}, { taskId: 'a'.repeat(200) }, ['a'.repeat(200)]],
		['but not with 201', {}, { taskId: 'a'.repeat(201), id: 'b' }, ['b']],
	])('are found %s', (_, query, body, ids) => expect(taskIdsIn(query, body, 100)).toStrictEqual(ids));

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
	])('are not found in %s', (_, query, body) => expect(taskIdsIn(query, body, 100)).toStrictEqual([]));
});

describe('the search in a callback', () => {
	it.each([4, 400])('finds an ID below %s objects', (depth) => {
		expect(taskIdsIn({}, below(depth, { taskId: 'deep' }), 10_000)).toStrictEqual(['deep']);
	});

	it.each([
		[498, ['last']],
		[499, []],
	])('is limited in length: an ID after %s objects, %j', (count, ids) => {
		const others = Array.from({ length: count }, () => ({}));
		expect(taskIdsIn(undefined, [...others, { taskId: 'last' }], 10_000)).toStrictEqual(ids);
	});

	it.each([
		[64 * 1024, ['a']],
		[64 * 1024 + 1, []],
		[undefined, []],
	])('looks below names of all kinds only in a small body: %s bytes, %j', (size, ids) => {
		expect(taskIdsIn({}, { anything: { taskId: 'a' } }, size)).toStrictEqual(ids);
	});

	it.each<[unknown, string[]]>([
		[{ taskId: 'a' }, ['a']],
		[{ data: { taskId: 'a' } }, ['a']],
		[{ data: { task: { taskId: 'a' } } }, []],
	])('reads the body and its `data` whatever the size: %j, %j', (body, ids) => {
		expect(taskIdsIn({}, body)).toStrictEqual(ids);
	});
});

/** 4 MiB: a quarter of what n8n accepts by default, because it takes seconds to make. */
const MAX_BODY = 4 * 1024 * 1024;
const filled = (element: (index: number) => string) => {
	const length = Math.floor(MAX_BODY / (element(1_000_000).length + 1));
	return Array.from({ length }, (_, index) => element(index)).join(',');
};
const wide = Object.fromEntries(Array.from({ length: 150_000 }, (_, index) => [`k${index}`, {}]));

describe('a hostile body', () => {
	it.each<[string, () => unknown]>([
		['a list of objects', (): unknown => JSON.parse(`[${filled(() => '{}')}]`)],
		['an object of objects', (): unknown => JSON.parse(`{${filled((index) => `"k${index}":{}`)}}`)],
		['an object with numbers as names', (): unknown => JSON.parse(`{${filled((index) => `"${index}":{}`)}}`)],
		['lists within lists', (): unknown => JSON.parse('['.repeat(MAX_BODY / 2) + ']'.repeat(MAX_BODY / 2))],
		['many lists of objects', () => Array.from({ length: 200_000 }, () => [{}])],
		['objects with many objects', () => Array.from({ length: 1_000 }, () => wide)],
		['a list without elements', () => new Array<unknown>(2 ** 32 - 1)],
		['blanks', () => ({ taskId: ' '.repeat(MAX_BODY) })],
		['text', () => 'x'.repeat(MAX_BODY)],
		['text of JSON', () => `[${filled(() => '{}')}]`],
	])('%s is searched within milliseconds, without an error', (_, make) => {
		const body = make();
		const begin = performance.now();
		expect(taskIdsIn({ taskId: 'a' }, body, MAX_BODY)).toStrictEqual(['a']);
		expect(taskIdsIn({}, body, MAX_BODY)).toStrictEqual([]);
		expect(performance.now() - begin).toBeLessThan(100);
	});

	it('of any kind and depth has at most 3 IDs, each once, none too long', () => {
		const any = fc.letrec((tie) => ({
			value: fc.oneof(
				{ depthSize: 'xlarge', withCrossShrink: true },
				fc.jsonValue(),
				fc.array(tie('value'), { maxLength: 5 }),
				fc.dictionary(
					fc.oneof(fc.constantFrom('taskId', 'task_id', 'id', 'data', '__proto__'), fc.string()),
					tie('value'),
					{ maxKeys: 5 },
				),
				fc.string({ minLength: 150, maxLength: 1_500 }),
			),
		})).value;
		fc.assert(
			fc.property(any, any, fc.option(fc.nat(100_000), { nil: undefined }), (query, body, size) => {
				const ids = taskIdsIn(query, body, size);
				expect(ids.length).toBeLessThanOrEqual(3);
				expect(new Set(ids).size).toBe(ids.length);
				for (const id of ids) expect(id.length).toBeLessThanOrEqual(200);
			}),
			{ numRuns: 300 },
		);
	});
});
