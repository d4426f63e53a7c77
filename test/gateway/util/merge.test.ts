import fc from 'fast-check';

import { asObject, deepMerge, mergeKnown, type JsonObject } from '../../../nodes/shared/gateway/util/json';

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
	expect(Object.keys(merged).sort()).toStrictEqual(
		[...new Set([...Object.keys(base), ...Object.keys(more)])].sort(),
	);
	for (const [key, value] of Object.entries(merged)) {
		const before = asObject(base[key]);
		const after = asObject(more[key]);
		if (before && after) check(asObject(value) ?? {}, before, after, wins);
		else expect(value).toStrictEqual(key in more ? wins(base[key], more[key]) : base[key]);
	}
}

describe('merging fields', () => {
	it('merges objects and replaces everything else, without changing either side', () => {
		fc.assert(
			fc.property(objects, objects, (base, more) => {
				const before = structuredClone([base, more]);
				check(deepMerge(base, more), base, more, (_, after) => after);
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

describe('merging a later event', () => {
	it('replaces known fields and keeps the others, at any depth, without changing either side', () => {
		fc.assert(
			fc.property(objects, objects, (base, more) => {
				const before = structuredClone([base, more]);
				check(mergeKnown(base, more), base, more, (known, after) => after ?? known ?? null);
				expect([base, more]).toStrictEqual(before);
			}),
		);
	});
});
