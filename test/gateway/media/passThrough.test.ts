import fc from 'fast-check';

import { taskIdsIn } from '../../../nodes/shared/gateway/media/callbackIds';
import {
	encodePassThrough,
	readPassThrough,
	withPassThrough,
} from '../../../nodes/shared/gateway/media/passThrough';
import type { Json } from '../../../nodes/shared/gateway/util/json';

/** The query as a server reads it. */
const queryOf = (url: string) => Object.fromEntries(new URL(url).searchParams);

const nested = (levels: number): Json => (levels === 0 ? 1 : [nested(levels - 1)]);
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
		['50 levels', nested(50)],
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
		['nested too deeply', { passThrough: encoded(JSON.stringify(nested(51))) }],
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
