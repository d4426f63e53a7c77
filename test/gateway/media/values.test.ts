import fc from 'fast-check';

import { withFile, typedInput } from '../../../nodes/shared/gateway/media/inputValues';
import { inputForm, type InputForm } from '../../../nodes/shared/gateway/media/inputSchema';
import type { Json, JsonObject } from '../../../nodes/shared/gateway/util/json';
import * as sandbox from '../../../sandbox/gateway/catalogue/mediaSchemas';

const formOf = (schema: Json): InputForm =>
	inputForm({ properties: { field: schema }, $defs: { n: { type: 'integer' } } });
const typed = (value: Json, schema: Json) => typedInput({ field: value }, formOf(schema)).field;

test.each(['__proto__', 'toString', 'constructor'])('a field may have any name: %s', (name) => {
	const form = inputForm(
		JSON.parse(`{"type":"object","properties":{"${name}":{"type":"integer"}}}`) as JsonObject,
	);
	const values = JSON.parse(`{"${name}":"5"}`) as JsonObject;
	expect(JSON.stringify(typedInput(values, form))).toBe(`{"${name}":5}`);
});

const texts = { type: 'array', items: { type: 'string' } };
const numbers = { type: 'array', items: { type: 'integer' } };
const objects = { type: 'array', items: { type: 'object' } };

describe('the type of a value', () => {
	const union = { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] };

	test.each<[string, Json, Json, Json]>([
		['a prompt that looks like a number stays text', '2024', { type: 'string' }, '2024'],
		['a number of an expression becomes text', 2024, { type: 'string' }, '2024'],
		['text keeps its blanks', ' a b ', { type: 'string' }, ' a b '],
		['text that is JSON stays text', '{"a":1}', { type: 'string' }, '{"a":1}'],
		['text of a number becomes a number', '5', { type: 'integer' }, 5],
		['a fraction', '7.5', { type: 'number' }, 7.5],
		['zero stays', 0, { type: 'integer' }, 0],
		['false stays', false, { type: 'boolean' }, false],
		['a number chooses the text', 5, { type: 'string', enum: ['5', '10'] }, '5'],
		['JSON text becomes a list', '["a","b"]', texts, ['a', 'b']],
		['a list stays', ['a'], texts, ['a']],
		['an object stays', { text: 'x' }, { type: 'object' }, { text: 'x' }],
		['a nullable number', '7', { anyOf: [{ type: 'integer' }, { type: 'null' }] }, 7],
		['of a union, text stays text', '5', union, '5'],
		['of a union, JSON is read where it is of one of its types', '["a"]', union, ['a']],
		['of a union, JSON of another type stays text', '{"a":1}', union, '{"a":1}'],
		['without a type, an object is read', '{"a":1}', {}, { a: 1 }],
		['is the choice of the same type where another has the same text', 5, { enum: ['5', 5] }, 5],
		['is the first choice with the same text', '5', { enum: [true, 5] }, 5],
		['is a boolean choice', 'true', { enum: [true, false] }, true],
		['is a number with an exponent', '1e3', { type: 'number' }, 1000],
		['is the text of a boolean', true, { type: 'string' }, 'true'],
		['is true with blanks around', ' True ', { type: 'boolean' }, true],
		['is false in capital letters', 'FALSE', { type: 'boolean' }, false],
		['keeps null in an object', '{"a":{"b":null}}', { type: 'object' }, { a: { b: null } }],
		// Of several types.
		['is unchanged where any type is accepted', 5, {}, 5],
		['stays text that is not JSON', '{"a":', {}, '{"a":'],
		['stays a number in text where the schema has no type', '5', {}, '5'],
		['stays true in text where text is accepted', 'true', { type: ['boolean', 'string'] }, 'true'],
		['is a boolean where text is not accepted', ' true ', { type: ['boolean', 'integer'] }, true],
		[
			'is an object where a branch has no type',
			' {"a":1} ',
			{ anyOf: [{ type: 'string' }, { required: ['a'] }] },
			{ a: 1 },
		],
	])('%s', (_, value, schema, expected) => expect(typed(value, schema)).toStrictEqual(expected));

	test.each<[string, Json, Json]>([
		['null', null, { type: 'string' }],
		['empty text', '', { type: 'integer' }],
		['blanks', '  ', { type: 'string' }],
	])('%s is left out', (_, value, schema) => {
		expect(typedInput({ field: value }, formOf(schema))).toStrictEqual({});
	});

	it('a text whose default is emptied is sent empty', () => {
		expect(typed('', { type: 'string', default: 'A dog' })).toBe('');
		for (const value of [null, ' '])
			expect(typed(value, { type: 'string', default: 'A dog' })).toBeUndefined();
		expect(typed('', { enum: ['a', 'b'], default: 'a' })).toBeUndefined();
	});

	test.each<[string, Json, Json, Json?]>([
		['out of range', 9, { type: 'integer', maximum: 4 }],
		['too long', 'abc', { type: 'string', maxLength: 2 }],
		['not among the choices', 'divine', { enum: ['draft', 'high'] }],
		['a fraction for a whole number', '1.5', { type: 'integer' }, 1.5],
		['text for a number', 'many', { type: 'integer' }],
		['a boolean for a number', true, { type: 'number' }],
		['another text for a boolean', 'perhaps', { type: 'boolean' }],
		['broken JSON', '{"a":', { type: 'object' }],
		['an object for a boolean', {}, { type: 'boolean', default: true }],
		['a list for a boolean', ['true'], { type: 'boolean' }],
		['a number for a boolean', 2, { type: 'boolean' }],
		['a list for text', ['a'], { type: 'string' }],
		['a list for a number', [5], { type: 'number' }],
	])('a value that is %s is left to the gateway', (_, value, schema, expected = value) => {
		expect(typed(value, schema)).toStrictEqual(expected);
	});

	it('text for a text field stays text, whatever it looks like', () => {
		fc.assert(
			fc.property(
				fc.oneof(
					fc.string(),
					fc.double().map(String),
					fc.jsonValue().map((value) => JSON.stringify(value)),
				),
				(text) => {
					const { field } = typedInput({ field: text }, formOf({ type: 'string' }));
					expect(field).toBe(text.trim() === '' ? undefined : text);
				},
			),
		);
	});

	it('any value for any schema is accepted', () => {
		const type = fc.constantFrom('string', 'integer', 'number', 'boolean', 'array', 'object', 'none');
		const objects = fc.constantFrom<Json[]>({ toString: 0 }, [{ toString: 0 }], { valueOf: 1 });
		const value = fc.oneof(fc.jsonValue(), objects) as fc.Arbitrary<Json>;
		fc.assert(
			fc.property(value, type, value, (input, name, extra) => {
				const form = formOf({ type: name, required: [extra], items: extra, enum: extra });
				expect(() => typedInput({ field: input }, form)).not.toThrow();
			}),
			{ numRuns: 300 },
		);
	});

	it('a value of the right type is unchanged', () => {
		const text = fc.string({ minLength: 1 }).filter((value) => value.trim() !== '');
		const fields = {
			prompt: text,
			num_images: fc.integer({ min: 1, max: 4 }),
			guidance: fc.double({ min: 0, max: 20, noNaN: true }),
			transparent: fc.boolean(),
			tags: fc.array(text, { minLength: 1, maxLength: 8 }),
			size: fc.constantFrom('512x512', '1024x1024'),
		};
		const value = fc.record(fields, { noNullPrototype: true });
		fc.assert(
			fc.property(value, (input) => {
				const form = inputForm(sandbox.canvas as JsonObject);
				expect(typedInput(input, form)).toStrictEqual(input);
			}),
		);
	});
});

describe('a list', () => {
	it.each<[string, Json, Json, Json]>([
		['of lines', 'a\nb', texts, ['a', 'b']],
		['of text between commas', ' a ,b,, c ', texts, ['a', 'b', 'c']],
		['of one text', 'a', texts, ['a']],
		[
			'of URLs by line',
			'https://x.test/a,b\nhttps://x.test/c',
			texts,
			['https://x.test/a,b', 'https://x.test/c'],
		],
		['of a data URL', ' data:image/png;base64,Y2F0', texts, ['data:image/png;base64,Y2F0']],
		['of text that contains "data:"', 'x data:a,b', texts, ['x data:a', 'b']],
		['of text that begins with "data:"', 'data: 1, b', texts, ['data: 1', 'b']],
		['of objects by line', '{"a":1,"b":2}\n{"a":3}', objects, [{ a: 1, b: 2 }, { a: 3 }]],
		['of one object', '{"a":1,"b":2}', objects, [{ a: 1, b: 2 }]],
		['of an object', { a: 1 }, objects, [{ a: 1 }]],
		['of numbers', '[1,"2"]', numbers, [1, 2]],
		['of a number', 5, numbers, [5]],
		['of a reference', ['5'], { type: 'array', items: { $ref: '#/$defs/n' } }, [5]],
		['of booleans', 'true, 0', { type: 'array', items: { type: 'boolean' } }, [true, false]],
		['of choices', '5, 10', { type: 'array', items: { enum: [5, 10] } }, [5, 10]],
		['whose unset elements are null, which the gateway refuses', ['a', null, ''], texts, ['a', null, null]],
		['of anything', ['1', 2, '{"a":1}'], { type: 'array' }, ['1', 2, '{"a":1}']],
	])('%s', (_, value, schema, expected) => expect(typed(value, schema)).toStrictEqual(expected));

	it.each<[Json, Json]>([
		['[]', texts],
		[' , ', texts],
		[[], texts],
		[{}, { type: 'object' }],
		['{}', { type: 'object' }],
		['{}', {}],
	])('that is empty is left out, unless there is a default: %j', (value, schema) => {
		expect(typedInput({ field: value }, formOf(schema))).toStrictEqual({});
		const withDefault = { ...(schema as JsonObject), default: false };
		expect(Object.keys(typedInput({ field: value }, formOf(withDefault)))).toStrictEqual(['field']);
	});

	it('in a field that the schema does not name is sent, even if it is empty', () => {
		const values = { list: [], object: {}, n: 0, nested: { a: null } };
		expect(
			typedInput({ ...values, no: undefined, none: null, text: '', blank: ' ' }, inputForm({})),
		).toStrictEqual(values);
	});
});

const LIST = { type: 'array' };

describe('a file in an input', () => {
	it.each<[string, JsonObject, Json, JsonObject]>([
		['is the value of a field without a schema', {}, {}, { x: 'a' }],
		['is the value where the schema has one value', {}, { type: 'string', items: {} }, { x: 'a' }],
		['is the value of a union without a list', {}, { anyOf: [{ type: 'integer' }, {}] }, { x: 'a' }],
		['is an element where the schema has a list', {}, LIST, { x: ['a'] }],
		['is an element of a union with a list', {}, { anyOf: [{ type: 'string' }, LIST] }, { x: ['a'] }],
		['is appended to a list', { x: ['0', '1'] }, LIST, { x: ['0', '1', 'a'] }],
		['is appended to a list that the schema does not have', { x: [] }, {}, { x: ['a'] }],
		['replaces null', { x: null, y: null }, {}, { x: 'a', y: null }],
		['replaces an empty text', { x: '' }, LIST, { x: ['a'] }],
		// The gateway says whether the field takes a list: nothing is replaced.
		['follows a text', { x: 'b' }, { type: 'string' }, { x: ['b', 'a'] }],
		['follows zero', { x: 0 }, {}, { x: [0, 'a'] }],
		['follows false', { x: false }, {}, { x: [false, 'a'] }],
		['follows an object', { x: {} }, {}, { x: [{}, 'a'] }],
	])('%s', (_, input, schema, filled) => {
		const before = JSON.stringify(input);
		expect(withFile(input, 'x', 'a', inputForm({ properties: { x: schema } }))).toStrictEqual(filled);
		expect(JSON.stringify(input)).toBe(before);
	});

	it.each(['__proto__', 'toString', 'constructor'])('may be in a field of any name: %s', (name) => {
		expect(JSON.stringify(withFile({}, name, 'a', inputForm({})))).toBe(`{"${name}":"a"}`);
	});
});
