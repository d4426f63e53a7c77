import type { Json, JsonObject } from '../../../nodes/shared/gateway/util/json';
import { branches, resolvedSchema, typesOf } from '../../../nodes/shared/gateway/media/jsonSchema';

const root: JsonObject = {
	$defs: {
		size: { type: 'string', maxLength: 5, title: 'Size' },
		again: { $ref: '#/$defs/size', title: 'Again' },
		loop: { $ref: '#/$defs/loop', title: 'Loop' },
		maybe: { type: ['string', 'null'] },
		nothing: null,
	},
};
const resolved = (schema: Json | undefined) => resolvedSchema(schema, root);

describe('a schema that is not an object', () => {
	it.each<[Json | undefined]>([[true], [false], [null], [undefined], ['string'], [[{ type: 'string' }]]])(
		'accepts anything: %j',
		(schema) => expect(resolved(schema)).toStrictEqual({}),
	);
});

describe('references', () => {
	it.each<[string, JsonObject]>([
		['#/$defs/size', { type: 'string', maxLength: 5, title: 'Size' }],
		['#/$defs/again', { type: 'string', maxLength: 5, title: 'Again' }],
		['#', root],
	])('resolves %s', ($ref, schema) => expect(resolved({ $ref })).toStrictEqual(schema));

	it.each([
		'#/$defs/other',
		'#/$defs/size/type/deeper',
		'#/$defs/nothing',
		'#/$defs/toString',
		'#/constructor',
		'#size',
		'$defs/size',
		'/$defs/size',
		'x#/$defs/size',
		'https://schemas.test/size',
		'',
	])('%j cannot be resolved and accepts anything', ($ref) => expect(resolved({ $ref })).toStrictEqual({}));

	it.each<[Json]>([[null], [7], [{ $ref: '#/$defs/size' }]])('%j is not a reference', ($ref) => {
		expect(resolved({ $ref, type: 'integer' })).toStrictEqual({ type: 'integer' });
	});

	it('are resolved up to 5 times in a circle', () => {
		expect(resolved({ $ref: '#/$defs/loop' })).toStrictEqual({ title: 'Loop' });
		const chain: JsonObject = { 6: { type: 'string' } };
		for (let step = 0; step < 6; step += 1) chain[step] = { $ref: `#/${step + 1}` };
		const typesFrom = (step: number) => resolvedSchema(chain[step], chain).type;
		expect([typesFrom(1), typesFrom(0)]).toStrictEqual(['string', undefined]);
	});

	it('to a union of themselves come to an end', () => {
		const tree: JsonObject = { anyOf: [{ type: 'string' }, { $ref: '#' }, { type: 'integer' }] };
		let depth = 0;
		let level: JsonObject | undefined = resolvedSchema(tree, tree);
		while (level) {
			depth += 1;
			level = branches(level)[1];
		}
		expect(depth).toBeLessThan(10);
	});
});

describe('combined schemas', () => {
	it('have all parts, and those next to a reference override it', () => {
		expect(resolved({ $ref: '#/$defs/size', maxLength: 9, default: null })).toStrictEqual({
			type: 'string',
			maxLength: 9,
			title: 'Size',
			default: null,
		});
	});

	it('of `allOf` are merged, later parts override earlier ones', () => {
		expect(
			resolved({
				allOf: [
					{ minimum: 1, maximum: 5, title: 'A' },
					{ maximum: 9, title: 'B' },
					null,
					{ $ref: '#/$defs/size' },
				],
				title: 'C',
			}),
		).toStrictEqual({ minimum: 1, maximum: 9, type: 'string', maxLength: 5, title: 'C' });
	});

	it('have the fields and required fields of all parts', () => {
		const joined = resolved({
			allOf: [
				{ properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['a', 'b'] },
				{ properties: { b: { type: 'integer' } }, required: ['b', 'c'] },
			],
			properties: { d: {} },
			required: ['d'],
		});
		expect(joined).toStrictEqual({
			properties: { a: { type: 'string' }, b: { type: 'integer' }, d: {} },
			required: ['a', 'b', 'c', 'd'],
		});
	});

	it.each<[Json]>([[null], [{}], ['x']])('are not made from `allOf` %j', (allOf) => {
		expect(resolved({ allOf, type: 'string' })).toStrictEqual({ type: 'string' });
	});
});

describe('null as a type or value', () => {
	it.each<[string, JsonObject, JsonObject]>([
		['a type', { type: ['string', 'null'] }, { type: 'string' }],
		['several types', { type: ['string', 'null', 'integer'] }, { type: ['string', 'integer'] }],
		['a list of one type', { type: ['string'] }, { type: 'string' }],
		['a list of null alone', { type: ['null'] }, { type: [] }],
		['values', { enum: ['a', null, 0, false] }, { enum: ['a', 0, false] }],
		['a branch', { anyOf: [{ type: 'string' }, { type: 'null' }] }, { type: 'string' }],
		['a constant branch', { oneOf: [{ const: null }, { type: 'string' }] }, { type: 'string' }],
		[
			'a branch behind a reference',
			{ anyOf: [{ $ref: '#/$defs/maybe' }, { type: 'null' }] },
			{ type: 'string' },
		],
		[
			'a union with other keywords',
			{ anyOf: [{ type: 'string', title: 'A' }, { type: 'null' }], title: 'B', default: null },
			{ type: 'string', title: 'B', default: null },
		],
		[
			'both unions',
			{ anyOf: [{ type: 'string' }], oneOf: [{ type: 'null' }, { type: 'integer' }] },
			{ anyOf: [{ type: 'string' }, { type: 'integer' }] },
		],
		['a union of null alone', { anyOf: [{ type: 'null' }], title: 'A' }, { title: 'A', anyOf: [] }],
		['a union of one', { anyOf: [{ type: 'string' }] }, { type: 'string' }],
		[
			'branches that are resolved',
			{ oneOf: [{ $ref: '#/$defs/size' }, { type: ['integer', 'null'] }] },
			{ anyOf: [{ type: 'string', maxLength: 5, title: 'Size' }, { type: 'integer' }] },
		],
		['an empty union', { anyOf: [], title: 'A' }, { anyOf: [], title: 'A' }],
		['a union that is not a list', { anyOf: null, oneOf: 'x' }, { anyOf: null, oneOf: 'x' }],
		['the type null itself', { type: 'null' }, { type: 'null' }],
	])('is removed from %s', (_, schema, expected) => expect(resolved(schema)).toStrictEqual(expected));
});

describe('constants', () => {
	it.each<[string, JsonObject, JsonObject]>([
		['text', { const: 'a' }, { const: 'a', enum: ['a'] }],
		['null', { const: null }, { const: null, enum: [null] }],
		['zero', { const: 0 }, { const: 0, enum: [0] }],
		[
			'a union',
			{ oneOf: [{ const: 'a' }, { const: 0 }] },
			{
				anyOf: [
					{ const: 'a', enum: ['a'] },
					{ const: 0, enum: [0] },
				],
				enum: ['a', 0],
			},
		],
	])('become an `enum`: %s', (_, schema, expected) => expect(resolved(schema)).toStrictEqual(expected));

	it('next to other types do not become an `enum`', () => {
		expect(resolved({ anyOf: [{ const: 'a' }, { type: 'integer' }] })).toStrictEqual({
			anyOf: [{ const: 'a', enum: ['a'] }, { type: 'integer' }],
		});
	});
});

describe('the types of a schema', () => {
	it.each<[JsonObject, string[]]>([
		[{ type: 'string' }, ['string']],
		[{ type: ['string', 'integer', null] }, ['string', 'integer']],
		[{ type: 'string', properties: {} }, ['string']],
		[{ type: '' }, []],
		[{ type: null, items: {} }, ['array']],
		[{ anyOf: [{ type: 'string' }, { type: 'string' }, { items: {} }] }, ['string', 'array']],
		[{ oneOf: [{ type: 'string' }, { anyOf: [{ type: 'integer' }] }] }, ['string', 'integer']],
		[{ anyOf: [{ type: 'string' }, {}] }, []],
		[{ anyOf: [{ type: 'string' }, {}], properties: {} }, ['object']],
		[{ properties: {} }, ['object']],
		[{ properties: {}, items: {} }, ['object']],
		[{ items: {} }, ['array']],
		[{ anyOf: [] }, []],
		[{}, []],
	])('of %j are %j', (schema, types) => expect(typesOf(schema)).toStrictEqual(types));
});
