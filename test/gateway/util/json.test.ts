import fc from 'fast-check';

import { addFields } from '../../../nodes/shared/gateway/text/formats/deltas';
import {
	asId,
	asNumber,
	asObject,
	asText,
	canonicalJson,
	deepMerge,
	parseJson,
	type JsonObject,
} from '../../../nodes/shared/gateway/util/json';

test.each<[string, unknown]>([
	['{"a":null}', { a: null }],
	['null', null],
	['0', 0],
	['', undefined],
	['{', undefined],
	['undefined', undefined],
])('%j is the JSON %j', (text, value) => expect(parseJson(text)).toStrictEqual(value));

test.each<[unknown, string | undefined]>([
	['a', 'a'],
	[' ', ' '],
	['', undefined],
	[1, undefined],
	[null, undefined],
])('the text of %j is %j', (value, text) => expect(asText(value)).toBe(text));

test.each<[unknown, string | undefined]>([
	['a', 'a'],
	[7, '7'],
	[0, '0'],
	['', undefined],
	[null, undefined],
	[true, undefined],
])('the ID %j is %j', (value, text) => expect(asId(value)).toBe(text));

test.each<[unknown, number | undefined]>([
	[1.5, 1.5],
	[0, 0],
	['0', 0],
	['1e3', 1000],
	[' 5 ', 5],
	['-0', -0],
	['', undefined],
	['1,5', undefined],
	['Infinity', undefined],
	['1e999', undefined],
	[NaN, undefined],
	[true, undefined],
	[[5], undefined],
	[null, undefined],
])('the number in %j is %j', (value, number) => expect(asNumber(value)).toBe(number));

describe('canonical JSON', () => {
	it.each<[unknown, string]>([
		[{ b: 1, a: { d: null, c: [2, 1] } }, '{"a":{"c":[2,1],"d":null},"b":1}'],
		[{ a: undefined, b: 1 }, '{"b":1}'],
		[[undefined, null, {}], '[null,null,{}]'],
		['é"', '"é\\""'],
		[null, 'null'],
		[undefined, 'null'],
		[false, 'false'],
		[0, '0'],
		['', '""'],
		[{ 'a"': 1 }, '{"a\\"":1}'],
	])('of %j is %s', (value, text) => expect(canonicalJson(value)).toBe(text));

	it('is the same for any order of keys, and differs for any other order of elements', () => {
		const keys = fc.uniqueArray(fc.string(), { minLength: 2 });
		fc.assert(
			fc.property(keys, (names) => {
				const fields = names.map((name, index): [string, number] => [name, index]);
				const [one, other] = [fields, [...fields].reverse()].map((entries) => Object.fromEntries(entries));
				expect(canonicalJson({ in: other })).toBe(canonicalJson({ in: one }));
				expect(canonicalJson([...names].reverse())).not.toBe(canonicalJson(names));
			}),
		);
	});
});

const name = fc.constantFrom('a', 'b', 'c');
const { object } = fc.letrec((tie) => ({
	object: fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
	value: fc.oneof({ depthSize: 'small' }, fc.constantFrom(null, 0, 1, 'x', [1], []), tie('object')),
}));
const objects = object as fc.Arbitrary<JsonObject>;

/** The rule for each field: the result, from the values of both sides. */
function check(
	merged: JsonObject,
	base: JsonObject,
	more: JsonObject,
	wins: (before: unknown, after: unknown) => unknown,
): void {
	for (const key of new Set(Object.keys({ ...base, ...more, ...merged }))) {
		const value = merged[key];
		const before = asObject(base[key]);
		const after = asObject(more[key]);
		if (before && after) check(asObject(value) ?? {}, before, after, wins);
		else expect(value).toStrictEqual(key in more ? wins(base[key], more[key]) : base[key]);
	}
}

describe('merging fields', () => {
	it('merges objects, removes a field that becomes null, and replaces everything else, without changing either side', () => {
		fc.assert(
			fc.property(objects, objects, (base, more) => {
				const before = structuredClone([base, more]);
				check(deepMerge(base, more), base, more, (known, after) =>
					after === null && known !== undefined ? undefined : after,
				);
				expect([base, more]).toStrictEqual(before);
			}),
		);
	});

	it.each(['__proto__', 'toString', 'constructor'])('%s is a name like any other, at any depth', (name) => {
		const more = JSON.parse(`{"${name}":{"x":1},"a":{"${name}":{"x":1},"b":1}}`) as JsonObject;
		expect(JSON.stringify(deepMerge({ a: {} }, more))).toBe(
			`{"a":{"${name}":{"x":1},"b":1},"${name}":{"x":1}}`,
		);
		expect(asObject(deepMerge({}, more))?.x).toBeUndefined();
	});
});

it('merging a later event replaces known fields, unless it is empty or 0, and keeps the others, at any depth', () => {
	const merging = fc.property(objects, objects, (base, more) => {
		const merged = structuredClone(base);
		addFields(merged, structuredClone(more));
		const isEmpty = (value: unknown) =>
			[null, undefined, 0].includes(value as null) || `${value as string}` === '';
		check(merged, base, more, (known, after) => (isEmpty(after) && known !== undefined ? known : after));
	});
	expect(() => fc.assert(merging)).not.toThrow();
});
