import type { Json, JsonObject } from '../../../nodes/shared/gateway/util/json';
import { resolvedSchema } from '../../../nodes/shared/gateway/media/jsonSchema';
import { violation } from '../../../nodes/shared/gateway/media/schemaRules';

const root: JsonObject = { $defs: { word: { type: 'string', maxLength: 3 } } };
const broken = (value: Json, schema: JsonObject) => violation(value, resolvedSchema(schema, root), root);

const word = { $ref: '#/$defs/word' };
const sizes = { type: 'object', properties: { width: { type: 'integer', minimum: 1 } } };

describe('a value that breaks no rule', () => {
	it.each<[string, Json, JsonObject]>([
		['anything', { a: [1] }, {}],
		['text', '', { type: 'string' }],
		['a whole number', 5, { type: 'integer' }],
		['a whole number with zeros', 5.0, { type: 'integer' }],
		['a whole number for a number', 5, { type: 'number' }],
		['a fraction', 0.5, { type: 'number' }],
		['false', false, { type: 'boolean' }],
		['a list', [], { type: 'array' }],
		['an object', {}, { type: 'object' }],
		['one of several types', 'a', { type: ['integer', 'string'] }],
		['a type that is not known', 5, { type: 'file' }],
		['a type with the name of an inherited property', 5, { type: 'constructor' }],
		['one type that is known', 5, { type: ['file', 'integer'] }],
		['a choice', 'b', { enum: ['a', 'b'] }],
		['a choice that is an object', { b: 1, a: null }, { enum: [{ a: null, b: 1 }] }],
		['anything where `enum` is not a list', 'b', { enum: 'a' }],
		['a bound', 1, { minimum: 1, maximum: 1 }],
		['a number within open bounds', 1, { exclusiveMinimum: 0, exclusiveMaximum: 2 }],
		['bounds as text', 1, { minimum: '1', maximum: '1' }],
		[
			'bounds that are not numbers',
			1,
			{ minimum: null, maximum: 'many', exclusiveMinimum: true, exclusiveMaximum: '' },
		],
		['text under bounds of numbers', '0', { minimum: 1 }],
		['a length', 'ab', { minLength: 2, maxLength: 2 }],
		['characters with two code units', '🙂🙂', { maxLength: 2 }],
		['a list under bounds of text', [], { minLength: 1 }],
		['text under bounds of lists', '', { minItems: 1 }],
		['a number of elements', [1, 2], { minItems: 2, maxItems: 2 }],
		['elements', ['abc', ''], { items: word }],
		['a branch', 'abc', { anyOf: [word, { type: 'integer' }] }],
		['another branch', 5, { anyOf: [word, { type: 'integer' }] }],
		['fields', { width: 1, height: 'any' }, sizes],
		['fields that are left out', {}, sizes],
		['fields that are undefined', { width: undefined, height: 'any' }, sizes],
		['required fields', { a: null }, { required: ['a', null, ''] }],
		['a required field that is false', { a: false }, { required: ['a'] }],
		['known fields', { width: 1 }, { ...sizes, additionalProperties: false }],
		['other fields', { a: 1 }, { ...sizes, additionalProperties: true }],
		['fields under an invalid rule', { a: 1 }, { properties: null, required: null }],
		['a field with the name of an inherited property', { toString: 'any' }, sizes],
		['a pattern, which the gateway checks', 'x', { pattern: '^y$', format: 'uri', multipleOf: 2 }],
	])('%s', (_, value, schema) => expect(broken(value, schema)).toBeUndefined());

	it.each<[string, Json, JsonObject]>([
		['of a field', { width: null }, sizes],
		['of a required field', { width: null }, { ...sizes, required: ['width'] }],
		['of a field below a field', { a: { b: null } }, { properties: { a: { properties: { b: word } } } }],
		['of an element that may be null', ['a', null], { items: { type: ['string', 'null'] } }],
		['of an element of a nullable union', [null], { items: { anyOf: [word, { type: 'null' }] } }],
		['of an element with choices', [null], { items: { enum: ['a', null] } }],
		['of a field of an element', [{ width: null }], { items: sizes }],
	])('null %s, which the gateway checks', (_, value, schema) => {
		expect(broken(value, schema)).toBeUndefined();
	});
});

describe('a value that breaks a rule', () => {
	it.each<[string, Json, JsonObject, string, string]>([
		['a number for text', 5, { type: 'string' }, '', 'must be text'],
		['text for a number', '5', { type: 'number' }, '', 'must be a number'],
		['a fraction for a whole number', 1.5, { type: 'integer' }, '', 'must be a whole number'],
		['text for a whole number', '1', { type: 'integer' }, '', 'must be a whole number'],
		['a number for a boolean', 1, { type: 'boolean' }, '', 'must be true or false'],
		['an object for a list', {}, { type: 'array' }, '', 'must be a list'],
		['a list for an object', [], { type: 'object' }, '', 'must be an object'],
		['text for an object', 'x', { type: 'object' }, '', 'must be an object'],
		[
			'a value of another type than the listed ones',
			true,
			{ type: ['integer', 'file', 'string'] },
			'',
			'whole number or text',
		],
		[
			'a value that is not among the choices',
			'c',
			{ enum: ['a', 1, { b: null }] },
			'',
			'one of: a, 1, {"b":null}',
		],
		['the text of a choice', '1', { enum: [1] }, '', 'one of: 1'],
		['anything where the choices are empty', 'a', { enum: [] }, '', 'one of: '],
		['a number that is too small', 0, { minimum: 1 }, '', 'at least 1'],
		['a number that is too large', 2, { maximum: 1 }, '', 'at most 1'],
		['a number under 0', -1, { minimum: 0 }, '', 'at least 0'],
		['a number over 0', 1, { maximum: 0 }, '', 'at most 0'],
		['an exclusive minimum', 1, { exclusiveMinimum: 1 }, '', 'more than 1'],
		['an exclusive maximum', 1, { exclusiveMaximum: 1 }, '', 'less than 1'],
		['less than an exclusive minimum', 0, { exclusiveMinimum: 1 }, '', 'more than 1'],
		['more than an exclusive maximum', 2, { exclusiveMaximum: 1 }, '', 'less than 1'],
		['short text', 'a', { minLength: 2 }, '', 'at least 2 characters (it has 1)'],
		['long text', '🙂🙂🙂', { maxLength: 2 }, '', 'at most 2 characters (it has 3)'],
		['a short list', [1], { minItems: 2 }, '', 'at least 2 elements (it has 1)'],
		['a long list', [1, 2], { maxItems: 1 }, '', 'at most 1 elements (it has 2)'],
		['an element', ['abc', 'abcd'], { items: word }, '[1]', 'at most 3'],
		['an element of an element', [['a'], ['a', 5]], { items: { items: word } }, '[1][1]', 'must be text'],
		['a field', { width: 0 }, sizes, '.width', 'at least 1'],
		['a field of an element', [{ width: 0 }], { items: sizes }, '[0].width', 'at least 1'],
		['a field of a field', { a: { width: 0 } }, { properties: { a: sizes } }, '.a.width', 'at least 1'],
		['a field by reference', { a: 'abcd' }, { properties: { a: word } }, '.a', 'at most 3'],
		['a missing field', { b: 1 }, { required: ['b', 'a'] }, '.a', 'must be there'],
		['an unknown field', { b: null }, { additionalProperties: false }, '.b', 'not known'],
		[
			'an inherited field',
			{ toString: 1 },
			{ ...sizes, additionalProperties: false },
			'.toString',
			'not known',
		],
		['a value that matches no branch', true, { anyOf: [word, { type: 'array' }] }, '', 'text or a list'],
		[
			'a value of the right type that matches no branch',
			'abcd',
			{ anyOf: [word, { type: 'array' }] },
			'',
			'forms',
		],
		[
			'a value that matches no branch, where none has a type',
			5,
			{ anyOf: [{ maximum: 1 }, { minimum: 9 }] },
			'',
			'forms',
		],
	])('%s', (_, value, schema, path, rule) => {
		expect(broken(value, schema)).toStrictEqual({ path, rule: expect.stringContaining(rule) as string });
	});

	it('is reported with the first rule that it breaks', () => {
		const schema = { type: 'string', enum: ['abcde'], maxLength: 2 };
		expect(violation(5, schema, {})?.rule).toContain('text');
		expect(violation('abc', schema, {})?.rule).toContain('one of');
		expect(violation('abcde', schema, {})?.rule).toContain('at most 2');
	});

	it('is reported with the rule of the branch in a union of one', () => {
		expect(violation(5, { oneOf: [{ minimum: 9 }] }, {})).toStrictEqual({
			path: '',
			rule: 'must be at least 9',
		});
	});
});
