import fc from 'fast-check';

import { isSchema, misfits, schemaOf } from '../../../nodes/shared/gateway/text/outputSchema';
import type { Json, JsonObject } from '../../../nodes/shared/gateway/util/json';

const problems = (value: Json, schema: JsonObject) => [...misfits(value, schema, schema)];

describe('a value that does not fit its schema', () => {
	const person = {
		type: 'object',
		properties: {
			name: { type: 'string' },
			age: { type: 'integer' },
			tags: { type: 'array', items: { type: 'string' } },
			size: { $ref: '#/$defs/Size' },
			home: { anyOf: [{ type: 'string' }, { type: 'null' }] },
		},
		required: ['name', 'home'],
		$defs: { Size: { enum: ['S', 'M', 1] } },
	};
	const whole = { name: 'Anna', home: null };

	it.each<[string, Json, string]>([
		['no object', [1], 'output is a list, not an object'],
		['a missing field', { home: 'a' }, 'output.name is missing'],
		['a field of another type', { ...whole, name: 1 }, 'output.name is a number, not text'],
		['null where a field is required', { ...whole, name: null }, 'output.name is null, not text'],
		['a fraction', { ...whole, age: 1.5 }, 'output.age is a number, not a whole number'],
		['a list element of another type', { ...whole, tags: ['a', 1] }, 'output.tags[1] is a number, not text'],
		['no choice of a reference', { ...whole, size: 'L' }, 'output.size is "L", not "S" or "M" or 1'],
		['nothing of a union', { ...whole, home: 1 }, 'output.home is none of what the schema allows'],
	])('%s is named', (_, value, problem) => {
		expect(problems(value, person)).toStrictEqual([problem]);
	});

	it.each<[string, JsonObject]>([
		['only what is required', whole],
		['null for what is not required', { ...whole, age: null, tags: null }],
		['a whole number as 2.0', { ...whole, age: 2.0 }],
		['more fields', { ...whole, more: 1 }],
		['a choice', { ...whole, size: 1, home: 'Kazan' }],
	])('%s fits', (_, value) => {
		expect(problems(value, person)).toStrictEqual([]);
	});

	it.each<[string, Json, JsonObject]>([
		['a type that is not known', 1, { type: 'text' }],
		['a constant', 1, { const: 2 }],
		['parts of a whole', { a: 1 }, { allOf: [{ required: ['a'] }, { required: ['b'] }] }],
		['a name that objects inherit', {}, { required: ['toString'] }],
	])('%s is checked', (_, value, schema) => {
		expect(problems(value, schema)).toHaveLength(1);
	});

	it('is found in schemas that refer to themselves, and ends', () => {
		const tree = { type: 'object', properties: { child: { $ref: '#' } } };
		expect(problems({ child: { child: 1 } }, tree)).toStrictEqual([
			'output.child.child is a number, not an object',
		]);
		expect(problems(1, { $ref: '#' })).toStrictEqual([]);
	});
});

describe('the schema of an example', () => {
	it('requires the fields that it shows, with decimals, dates as text, and anything for null and []', () => {
		const example = {
			name: 'Anna',
			born: '2001-02-03',
			pages: 3,
			paid: true,
			tags: ['a'],
			note: null,
			more: [],
		};
		expect(schemaOf([example])).toStrictEqual({
			type: 'object',
			properties: {
				name: { type: 'string' },
				born: { type: 'string' },
				pages: { type: 'number' },
				paid: { type: 'boolean' },
				tags: { type: 'array', items: { type: 'string' } },
				note: {},
				more: { type: 'array', items: {} },
			},
			required: ['name', 'born', 'pages', 'paid', 'tags', 'more'],
			additionalProperties: false,
		});
	});

	it('requires of the elements of a list what all of them have', () => {
		expect(
			schemaOf([
				[
					{ a: 1, b: 2, c: 'x' },
					{ a: 3, b: null, c: 1 },
				],
			]),
		).toStrictEqual({
			type: 'array',
			items: {
				type: 'object',
				properties: { a: { type: 'number' }, b: { type: 'number' }, c: {} },
				required: ['a', 'c'],
				additionalProperties: false,
			},
		});
	});

	it.each<[Json, JsonObject]>([
		[[1, 'a'], { type: 'array', items: {} }],
		[[1, null], { type: 'array', items: {} }],
		[{}, { type: 'object' }],
	])('%j asks for no more', (example, schema) => {
		expect(schemaOf([example])).toStrictEqual(schema);
	});

	it('allows the example', () => {
		fc.assert(
			fc.property(fc.jsonValue(), (json) => {
				const example = JSON.parse(JSON.stringify(json)) as Json;
				expect(problems(example, schemaOf([example]))).toStrictEqual([]);
			}),
		);
	});
});

describe('an object', () => {
	it.each<JsonObject>([
		{ type: 'object', properties: { title: { type: 'string' } } },
		{ properties: { title: {} } },
		{ type: ['object', 'null'] },
		{ $ref: '#/$defs/Book', $defs: {} },
		{ anyOf: [{ type: 'object' }] },
	])('%j is a schema', (value) => {
		expect(isSchema(value)).toBe(true);
	});

	it.each<JsonObject>([
		{ title: 'Sea', pages: 320 },
		{ type: 'book', title: 'Sea' },
		{ type: { name: 'book' } },
		{ items: [{ name: 'A' }], total: 5 },
		{ properties: ['A flat'], city: 'Kazan' },
		{ type: 'object', properties: { title: 'Sea' } },
		{},
	])('%j is sample data', (value) => {
		expect(isSchema(value)).toBe(false);
	});
});
