import { inputForm, type InputForm } from '../../../nodes/shared/gateway/media/inputSchema';
import { checkInput, typedInput } from '../../../nodes/shared/gateway/media/inputValues';
import type { Json, JsonObject } from '../../../nodes/shared/gateway/util/json';
import { rejectedInput } from '../../helpers/invalidInput';

const formOf = (schema: Json, required: string[] = []): InputForm =>
	inputForm({
		properties: { field: schema },
		required,
		additionalProperties: false,
		$defs: { n: { type: 'integer' } },
	});
const typed = (value: Json, schema: Json) => typedInput({ field: value }, formOf(schema)).field;

const texts = { type: 'array', items: { type: 'string' } };
const numbers = { type: 'array', items: { type: 'integer' } };
const objects = { type: 'array', items: { type: 'object' } };

describe('a list', () => {
	it.each<[string, Json, Json, Json]>([
		['of lines', 'a\nb', texts, ['a', 'b']],
		['of lines that end otherwise', 'a\r\n\r\nb\rc\n', texts, ['a', 'b', 'c']],
		['of words', ' a ,b,, c ', texts, ['a', 'b', 'c']],
		['of one word', 'a', texts, ['a']],
		[
			'of URLs by line',
			'https://x.test/a,b\nhttps://x.test/c',
			texts,
			['https://x.test/a,b', 'https://x.test/c'],
		],
		['of a data URL', ' data:image/png;base64,Y2F0', texts, ['data:image/png;base64,Y2F0']],
		['of words that speak of data:', 'x data:a,b', texts, ['x data:a', 'b']],
		['of objects by line', '{"a":1,"b":2}\n{"a":3}', objects, [{ a: 1, b: 2 }, { a: 3 }]],
		['of one object', '{"a":1,"b":2}', objects, [{ a: 1, b: 2 }]],
		['of an object that is one', { a: 1 }, objects, [{ a: 1 }]],
		['of numbers', '[1,"2"]', numbers, [1, 2]],
		['of a number', 5, numbers, [5]],
		['of a number as text', '5', texts, ['5']],
		['of JSON text', '"a, b"', texts, ['"a', 'b"']],
		['with null in it', ['a', null], texts, ['a', null]],
		['with objects in it', [{ a: null }, ['b']], texts, [{ a: null }, ['b']]],
		['with lists in it', [['1'], ['2']], { type: 'array', items: numbers }, [['1'], ['2']]],
		['of what fits, as it is', ['5', 5], { type: 'array', items: { type: ['string', 'integer'] } }, ['5', 5]],
		['of a reference', ['5'], { type: 'array', items: { $ref: '#/$defs/n' } }, [5]],
		['of booleans', 'true, 0', { type: 'array', items: { type: 'boolean' } }, [true, false]],
		['of choices', '5, 10', { type: 'array', items: { enum: [5, 10] } }, [5, 10]],
		['of anything', ['1', 2, '{"a":1}'], { type: 'array' }, ['1', 2, '{"a":1}']],
		['of a data URL alone', 'data:image/png;base64,Y2F0', texts, ['data:image/png;base64,Y2F0']],
		['of a data URL after blanks', ' \t data:,a', texts, ['data:,a']],
	])('%s', (_, value, schema, expected) => expect(typed(value, schema)).toStrictEqual(expected));

	it('names the field by its own title when an element is none', async () => {
		const error = await rejectedInput(() => typed('1, many', { ...numbers, title: 'Sizes' }));
		expect(error.message).toContain("'Sizes'");
		expect(error.message).toContain('whole number');
		expect(error.description).toContain('"many"');
		expect(error.param).toBe('input.field');
	});

	it.each<[Json, Json]>([
		['[]', texts],
		[' , ', texts],
		[[], texts],
		[{}, { type: 'object' }],
		['{}', { type: 'object' }],
		['{}', {}],
	])('that is empty is nothing, unless there is a default: %j', (value, schema) => {
		expect(typedInput({ field: value }, formOf(schema))).toStrictEqual({});
		const withDefault = { ...(schema as JsonObject), default: false };
		expect(Object.keys(typedInput({ field: value }, formOf(withDefault)))).toStrictEqual(['field']);
	});

	it('of a field that the schema does not name is sent, even if it is empty', () => {
		const values = { list: [], object: {}, n: 0, nested: { a: null } };
		expect(
			typedInput({ ...values, no: undefined, none: null, text: '', blank: ' ' }, inputForm({})),
		).toStrictEqual(values);
	});
});

describe('a value', () => {
	it.each<[string, Json, Json, Json]>([
		['is the choice itself where another looks the same', 5, { enum: ['5', 5] }, 5],
		['is the first choice that looks the same', '5', { enum: [true, 5] }, 5],
		['is a boolean choice', 'true', { enum: [true, false] }, true],
		[
			'is no choice because it is an object',
			{ a: 1 },
			{ enum: ['[object Object]', 'x'], type: 'object' },
			{ a: 1 },
		],
		['is a fraction for a whole number, which the rules refuse', '1.5', { type: 'integer' }, 1.5],
		['is a number with an exponent', '1e3', { type: 'number' }, 1000],
		['is a small number with an exponent', '1E-7', { type: 'number' }, 1e-7],
		['is minus zero', '-0', { type: 'number' }, -0],
		['is text of a boolean', true, { type: 'string' }, 'true'],
		['is true with blanks around', ' True ', { type: 'boolean' }, true],
		['is 1 for true', '1', { type: 'boolean' }, true],
		['is 0 for false', '0', { type: 'boolean' }, false],
		['is the word false', 'FALSE', { type: 'boolean' }, false],
		['keeps null in an object', '{"a":{"b":null}}', { type: 'object' }, { a: { b: null } }],
		['keeps null in an object of any kind', { a: [null] }, {}, { a: [null] }],
	])('%s', (_, value, schema, expected) => expect(typed(value, schema)).toStrictEqual(expected));

	it.each<[string, Json, Json, Json]>([
		['stays what it is where any is taken', 5, {}, 5],
		['stays a list of one', [5], { type: ['integer', 'array'] }, [5]],
		['stays text that says null', 'null', { type: ['integer', 'object'] }, 'null'],
		['stays text that is no JSON', '{"a":', {}, '{"a":'],
		['stays text where no type is understood', 'abc', { type: ['file', 'blob'] }, 'abc'],
		['stays a number in text where nothing is said', '5', {}, '5'],
		['stays true in text where text is taken', 'true', { type: ['boolean', 'string'] }, 'true'],
		['is a boolean where text is not taken', ' true ', { type: ['boolean', 'integer'] }, true],
		['stays text that is of no such type', '1.5', { type: ['boolean', 'integer'] }, '1.5'],
		[
			'is an object where the union takes it',
			' {"a":1} ',
			{ anyOf: [{ type: 'string' }, { required: ['a'] }] },
			{ a: 1 },
		],
		[
			'stays text where no branch takes it',
			'{"b":1}',
			{ anyOf: [{ type: 'string' }, { type: 'object', required: ['a'] }] },
			'{"b":1}',
		],
		[
			'is a list where a reference takes it',
			'[5]',
			{ anyOf: [{ type: 'string' }, { type: 'array', items: { $ref: '#/$defs/n' } }] },
			[5],
		],
		[
			'stays text where the reference does not',
			'["a"]',
			{ anyOf: [{ type: 'string' }, { type: 'array', items: { $ref: '#/$defs/n' } }] },
			'["a"]',
		],
	])('of several types %s', (_, value, schema, expected) => {
		expect(typed(value, schema)).toStrictEqual(expected);
	});

	it.each<[string, Json, Json, string]>([
		['an object for a boolean', {}, { type: 'boolean' }, '{}'],
		['a list for a boolean', ['true'], { type: 'boolean' }, '["true"]'],
		['a number for a boolean', 2, { type: 'boolean' }, '2'],
		['a list for text', ['a'], { type: 'string' }, '["a"]'],
		['a list for a number', [5], { type: 'number' }, '[5]'],
		['blank JSON', '{ ', { type: 'object' }, '"{ "'],
	])('that is none is shown: %s', async (_, value, schema, shown) => {
		const error = await rejectedInput(() => typed(value, schema));
		expect(error.param).toBe('input.field');
		expect(error.description).toContain(`is ${shown},`);
	});

	it('is shown up to 80 characters', async () => {
		const { description } = await rejectedInput(() => typed('x'.repeat(200), { type: 'number' }));
		expect(description).toContain(`"${'x'.repeat(79)}…`);
	});

	it('of no field is told where the form is closed', async () => {
		const error = await rejectedInput(() => typedInput({ other: 1 }, formOf({})));
		expect(error.param).toBe('input.other');
		expect(typedInput({ other: null, empty: ' ' }, formOf({}))).toStrictEqual({});
	});
});

describe('an input before it is sent', () => {
	const check = (input: JsonObject, schema: Json, required: string[] = []) =>
		rejectedInput(() => checkInput(input, formOf(schema, required)));

	it('names the place of what breaks a rule, and shows the value', async () => {
		const error = await check({ field: [1, 'a'] }, numbers);
		expect(error.message).toContain('(field[1])');
		expect(error.description).toContain('[1,"a"]');
		expect(error.param).toBe('input.field');
	});

	it('names no place where the whole value does', async () => {
		expect((await check({ field: 'a' }, { type: 'integer' })).message).not.toContain('(');
	});

	it.each<[string, Json, boolean, boolean]>([
		['text', { type: 'string' }, false, true],
		['a list', { type: 'array' }, false, true],
		['a number', { type: 'number' }, false, false],
		['an object', { type: 'object' }, false, false],
		['a URL', { type: 'string', format: 'uri' }, true, true],
		['a union with a URL', { anyOf: [{ type: 'string', format: 'uri' }, { type: 'integer' }] }, true, false],
	])('tells how a missing field is given: %s', async (_, schema, byFile, byExpression) => {
		const error = await check({}, schema, ['field']);
		expect(error.param).toBe('input.field');
		expect(error.description.includes('Input Files')).toBe(byFile);
		expect(error.description.includes('expression')).toBe(byExpression);
	});

	it('tells nothing else of a missing number', async () => {
		expect((await check({}, { type: 'number' }, ['field'])).description).toContain(
			'the field. Nothing was sent.',
		);
	});

	it('goes on after a field that is left out', async () => {
		const form = inputForm({ properties: { a: {}, b: { type: 'integer' } } });
		expect((await rejectedInput(() => checkInput({ b: 'x' }, form))).param).toBe('input.b');
	});

	it.each<[string, JsonObject, Json]>([
		['null within an object', { field: { a: null } }, { properties: { a: { type: 'integer' } } }],
		['null within a list', { field: ['a', null] }, { type: 'array', items: { type: ['string', 'null'] } }],
		['null itself', { field: null }, { type: 'integer' }],
		['zero for a required field', { field: 0 }, { type: 'integer' }],
	])('may have %s', (_, input, schema) => {
		expect(() => checkInput(input, formOf(schema, ['field']))).not.toThrow();
	});
});
