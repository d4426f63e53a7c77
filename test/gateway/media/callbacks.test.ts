import fc from 'fast-check';

import {
	taskIdsIn,
	encodePassThrough,
	readPassThrough,
	withPassThrough,
} from '../../../nodes/shared/gateway/media/callbacks';
import type { Json } from '../../../nodes/shared/gateway/util/json';
import { growth, LINEAR } from '../../helpers/growth';

describe('the task IDs in a callback', () => {
	it.each<[string, unknown, unknown, string[]]>([
		['in both, those of the query first', { taskId: 'q' }, { taskId: 'b' }, ['q', 'b']],
		['once each', { id: 'a ' }, { id: 'a', data: { id: 'b' } }, ['a', 'b']],
		['in a list', {}, [{ id: 'a' }, null, 'x y', { id: 'b' }], ['a', 'b']],
		['upper ones first', {}, { data: { taskId: 'b' }, taskId: 'a' }, ['a', 'b']],
		['with 200 characters', {}, { taskId: 'a'.repeat(200) }, ['a'.repeat(200)]],
		['but not with 201', {}, { taskId: 'a'.repeat(201), id: 'b' }, ['b']],
		[
			'but not `..` and others that are no IDs',
			{},
			{ id: '..', videoUrl: 'https://a.test/b', taskId: '%2e' },
			[],
		],
	])('are found %s', (_, query, body, ids) => expect(taskIdsIn(query, body)).toStrictEqual(ids));

	it('come in the order of their names: first those with "task" and "id"', () => {
		const body = {
			provider: 'video',
			id: 'id',
			user: { id: 'user' },
			account: { id: 'account' },
			taskType: 'type',
			task: { id: 'task', model: 'acme' },
		};
		expect(taskIdsIn({}, body)).toStrictEqual(['task', 'type', 'id', 'user', 'account', 'video']);
	});

	it('are ten at most', () => {
		const body = Array.from({ length: 20 }, (_, index) => ({ id: `${index}` }));
		const ids = ['last', '0', '1', '2', '3', '4', '5', '6', '7', '8'];
		expect(taskIdsIn({}, [...body, { taskId: 'last' }])).toStrictEqual(ids);
	});

	it.each<[string, unknown, unknown]>([
		['nothing', undefined, undefined],
		['null', null, null],
		['a sentence', {}, 'The task is done'],
		['an empty ID', { taskId: '' }, { taskId: '  ' }],
		['an ID that is null', { taskId: null }, { data: { taskId: null } }],
		['an ID of another kind', { taskId: true }, { taskId: { a: false } }],
		['other names', { state: 'a' }, { model: 'a' }],
	])('are not found in %s', (_, query, body) => expect(taskIdsIn(query, body)).toStrictEqual([]));
});

describe('the search in a callback', () => {
	it.each([
		[1_000, ['last']],
		[2_000, []],
	])('is limited in length: an ID after %s objects, %j', (count, ids) => {
		const others = Array.from({ length: count }, () => ({}));
		expect(taskIdsIn(undefined, [...others, { taskId: 'last' }])).toStrictEqual(ids);
	});
});

/** The longest body that is read. */
const MAX_BODY = 256 * 1024;
const filled = (bytes: number, element: (index: number) => string) => {
	const length = Math.floor(bytes / (element(1_000_000).length + 1));
	return Array.from({ length }, (_, index) => element(index)).join(',');
};

describe('a hostile body', () => {
	it.each<[string, (bytes: number) => unknown]>([
		['a list of objects', (bytes): unknown => JSON.parse(`[${filled(bytes, () => '{}')}]`)],
		['an object of objects', (bytes): unknown => JSON.parse(`{${filled(bytes, (n) => `"k${n}":{}`)}}`)],
		['lists within lists', (bytes): unknown => JSON.parse('['.repeat(bytes / 2) + ']'.repeat(bytes / 2))],
		['beginnings of lists', (bytes) => Array.from({ length: bytes / 300 }, () => '['.repeat(300))],
		['JSON text', (bytes) => JSON.stringify([filled(bytes, () => '{}')])],
		['text of JSON', (bytes) => `[${filled(bytes, () => '{}')}]`],
	])('%s is searched in linear time, without an error', (_, make) => {
		const searching = (bytes: number) => {
			const body = make(bytes);
			return () => {
				expect(taskIdsIn({ taskId: 'a' }, body)).toStrictEqual(['a']);
				expect(taskIdsIn({}, body)).toStrictEqual([]);
			};
		};
		expect(growth(searching, MAX_BODY / 4)).toBeLessThan(LINEAR);
	});

	it('of any kind and depth has at most ten IDs, each once, none too long', () => {
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
			fc.property(any, any, (query, body) => {
				const ids = taskIdsIn(query, body);
				expect(ids.length).toBeLessThanOrEqual(10);
				expect(new Set(ids).size).toBe(ids.length);
				for (const id of ids) expect(id.length).toBeLessThanOrEqual(200);
			}),
			{ numRuns: 100 },
		);
	});
});

/** The query as a server reads it. */
const queryOf = (url: string) => Object.fromEntries(new URL(url).searchParams);

const encoded = (text: string) => Buffer.from(text).toString('base64url');

describe('data in a callback URL', () => {
	const url = fc.constantFrom(
		'https://n8n.test/webhook/a',
		'https://n8n.test/webhook/a?',
		'https://n8n.test/webhook/a?x=1',
		'https://n8n.test/webhook/a?x=1&',
		'https://n8n.test/webhook/a?x=1#part',
	);

	it('comes back as it was, and leaves the rest of the URL alone', () => {
		fc.assert(
			fc.property(fc.jsonValue({ maxDepth: 5 }), url, (given, address) => {
				// Fields of this name are left out: see below.
				const value = JSON.parse(JSON.stringify(given).replaceAll('"__proto__"', '"name"')) as Json;
				const text = encodePassThrough(value);
				if (text === undefined) return;
				const full = withPassThrough(address, text);
				const { passThrough, ...others } = queryOf(full);
				expect(readPassThrough({ passThrough })).toStrictEqual(value);
				expect(others).toStrictEqual(queryOf(address));
				expect([new URL(full).pathname, new URL(full).hash]).toStrictEqual([
					new URL(address).pathname,
					new URL(address).hash,
				]);
			}),
		);
	});

	it.each([
		['?passThrough=old', '?passThrough=bmV3'],
		['?a=1&passThrough=old&b=2', '?a=1&passThrough=bmV3&b=2'],
		['?otherPassThrough=1&passThrough=old#c', '?otherPassThrough=1&passThrough=bmV3#c'],
	])('replaces other data: %s', (before, after) => {
		expect(withPassThrough(`https://n8n.test/a${before}`, 'bmV3')).toBe(`https://n8n.test/a${after}`);
	});

	it('is no task ID', () => {
		const query = queryOf(withPassThrough('https://n8n.test/a', encodePassThrough({ taskId: 'x' }) ?? ''));
		expect(taskIdsIn(query, { id: 'task-1' })).toStrictEqual(['task-1']);
	});

	it.each<[string, Json]>([
		['2,048 bytes', 'x'.repeat(2046)],
		['2,048 bytes of Cyrillic letters', 'я'.repeat(1023)],
	])('may have %s', (_, value) =>
		expect(readPassThrough({ passThrough: encodePassThrough(value) })).toStrictEqual(value),
	);

	it.each<[string, Json]>([
		['2,049 bytes', 'x'.repeat(2047)],
		['2,050 bytes of Cyrillic letters', 'я'.repeat(1024)],
	])('may not have %s', (_, value) => expect(encodePassThrough(value)).toBeUndefined());
});

describe('the data of a callback that anybody can send', () => {
	it.each<[string, unknown]>([
		['none', {}],
		['no query', undefined],
		['several', { passThrough: [encoded('1'), encoded('2')] }],
		['an object', { passThrough: { a: encoded('1') } }],
		['an empty one', { passThrough: '' }],
		['no base64url', { passThrough: '{"a":1}' }],
		['no JSON', { passThrough: encoded('{"a":') }],
	])('is ignored: %s', (_, query) => expect(readPassThrough(query)).toBeUndefined());

	it('is never an exception', () => {
		fc.assert(
			fc.property(fc.anything(), fc.string(), (query, text) => {
				const values = [query, { passThrough: text }, { passThrough: encoded(text) }];
				expect(() => values.map(readPassThrough)).not.toThrow();
			}),
		);
	});
});
