import fc from 'fast-check';

import * as sandbox from '../../../sandbox/gateway/catalogue/mediaSchemas';
import { InvalidInputError } from '../../../nodes/shared/gateway/errors/errors';
import { inputForm, type InputForm } from '../../../nodes/shared/gateway/media/inputSchema';
import { checkInput, typedInput } from '../../../nodes/shared/gateway/media/inputValues';
import type { Json, JsonObject } from '../../../nodes/shared/gateway/util/json';
import { descriptionOf } from '../../../nodes/shared/run/nodeError';

const formOf = (schema: Json, required: string[] = []): InputForm =>
	inputForm({ type: 'object', properties: { field: schema }, required, additionalProperties: false });
const typed = (value: Json, schema: Json) => typedInput({ field: value }, formOf(schema)).field;

/** The error that a function throws. */
function thrown(work: () => unknown): InvalidInputError {
	try {
		work();
	} catch (error) {
		if (error instanceof InvalidInputError) return error;
		throw error;
	}
	throw new Error('it did not throw');
}

/** The result of a check: `valid`, or the class of its error. */
function outcome(check: () => void): string {
	try {
		check();
		return 'valid';
	} catch (error) {
		return error instanceof Error ? error.constructor.name : typeof error;
	}
}

describe('the type of a value', () => {
	const texts = { type: 'array', items: { type: 'string' } };
	const numbers = { type: 'array', items: { type: 'integer' } };
	const union = { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] };

	test.each<[string, Json, Json, Json]>([
		['a prompt that looks like a number stays text', '2024', { type: 'string' }, '2024'],
		['a number of an expression becomes text', 2024, { type: 'string' }, '2024'],
		['text keeps its blanks', ' a b ', { type: 'string' }, ' a b '],
		['text that is JSON stays text', '{"a":1}', { type: 'string' }, '{"a":1}'],
		['text of a number becomes a number', '5', { type: 'integer' }, 5],
		['a fraction', '7.5', { type: 'number' }, 7.5],
		['zero stays', 0, { type: 'integer' }, 0],
		['text of a boolean becomes a boolean', 'TRUE', { type: 'boolean' }, true],
		['0 is false', 0, { type: 'boolean' }, false],
		['false stays', false, { type: 'boolean' }, false],
		['text of a number chooses the number', '10', { enum: [5, 10] }, 10],
		['a number chooses the text', 5, { type: 'string', enum: ['5', '10'] }, '5'],
		['JSON text becomes a list', '["a","b"]', texts, ['a', 'b']],
		['a list stays', ['a'], texts, ['a']],
		['text between commas is a list', 'cat, dog', texts, ['cat', 'dog']],
		['lines are a list', 'a, b\nc', texts, ['a, b', 'c']],
		['a URL is one element, commas and all', 'https://x.test/a,b.png', texts, ['https://x.test/a,b.png']],
		['a single value is a list of one', 'cat', texts, ['cat']],
		['elements get their type', '1, 2', numbers, [1, 2]],
		['elements get their type, from a list', [1, 'a'], texts, ['1', 'a']],
		['JSON text becomes an object', '{"text":"x"}', { type: 'object' }, { text: 'x' }],
		['an object stays', { text: 'x' }, { type: 'object' }, { text: 'x' }],
		['a nullable number', '7', { anyOf: [{ type: 'integer' }, { type: 'null' }] }, 7],
		['of a union, text stays text', '5', union, '5'],
		['of a union, JSON is read where a branch accepts it', '["a"]', union, ['a']],
		['of a union, JSON that fits no branch stays text', '{"a":1}', union, '{"a":1}'],
		['of a union without text, JSON is read', '5', { type: ['integer', 'object'] }, 5],
		['without a type, text stays text', '5', {}, '5'],
		['without a type, an object is read', '{"a":1}', {}, { a: 1 }],
	])('%s', (_, value, schema, expected) => expect(typed(value, schema)).toStrictEqual(expected));

	test.each<[string, Json, Json]>([
		['null', null, { type: 'string' }],
		['empty text', '', { type: 'integer' }],
		['blanks', '  ', { type: 'string' }],
		['an empty list', '[]', texts],
		['an empty object', {}, { type: 'object' }],
	])('%s is left out', (_, value, schema) => {
		expect(typedInput({ field: value }, formOf(schema))).toStrictEqual({});
	});

	it('an empty list replaces a default', () => {
		expect(typed('[]', { ...texts, default: ['a'] })).toStrictEqual([]);
	});

	test.each<[string, Json, Json, string]>([
		['text', 'many', { type: 'integer', title: 'Number' }, "'Number' takes a whole number"],
		['a comma', '7,5', { type: 'number' }, "'Field' takes a number"],
		['a boolean', true, { type: 'number' }, "'Field' takes a number"],
		['another text', 'perhaps', { type: 'boolean' }, "'Field' takes true or false"],
		['an object', { a: 1 }, { type: 'string' }, "'Field' takes text"],
		['broken JSON', '{"a":', { type: 'object' }, "'Field' takes a JSON object"],
		['a list', '[1]', { type: 'object' }, "'Field' takes a JSON object"],
	])('%s of the wrong type is rejected, and the error names the field', (_, value, schema, message) => {
		const error = thrown(() => typed(value, schema));
		expect(error.message).toBe(message);
		expect(error.param).toBe('input.field');
		expect(descriptionOf(error)).toMatch(/ Nothing was sent\.$/);
	});

	it('a field that the model does not have is rejected, unless the schema is open', () => {
		const values = { other: 'x' };
		expect(thrown(() => typedInput(values, formOf({}))).message).toBe("The model has no field 'other'");
		expect(typedInput(values, inputForm({ properties: {} }))).toStrictEqual(values);
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

	it('any value for any schema is accepted, or rejected as invalid input', () => {
		const type = fc.constantFrom('string', 'integer', 'number', 'boolean', 'array', 'object', 'none');
		const objects = fc.constantFrom<Json[]>({ toString: 0 }, [{ toString: 0 }], { valueOf: 1 });
		const value = fc.oneof(fc.jsonValue(), objects) as fc.Arbitrary<Json>;
		fc.assert(
			fc.property(value, type, value, (input, name, extra) => {
				const form = formOf({ type: name, required: [extra], items: extra, enum: extra });
				expect(outcome(() => checkInput(typedInput({ field: input }, form), form))).toMatch(
					/^(valid|InvalidInputError)$/,
				);
			}),
			{ numRuns: 2000 },
		);
	});

	it('a value of the right type is unchanged', () => {
		const fields = {
			prompt: fc.string({ minLength: 1 }).filter((text) => text.trim() !== ''),
			num_images: fc.integer({ min: 1, max: 4 }),
			guidance: fc.double({ min: 0, max: 20, noNaN: true }),
			transparent: fc.boolean(),
			tags: fc.array(fc.string(), { minLength: 1, maxLength: 8 }),
			size: fc.constantFrom('512x512', '1024x1024'),
		};
		const value = fc.record(fields, { noNullPrototype: true });
		fc.assert(
			fc.property(value, (input) => {
				const form = inputForm(sandbox.canvas as JsonObject);
				const result = typedInput(input, form);
				expect(result).toStrictEqual(input);
				checkInput(result, form);
			}),
		);
	});
});

describe('an input that breaks a rule of the schema is rejected', () => {
	test.each<[string, Json, Json, string]>([
		['a number that is too small', 0, { type: 'integer', minimum: 1 }, "'Field' must be at least 1"],
		['a number that is too large', 5, { type: 'integer', maximum: 4 }, "'Field' must be at most 4"],
		['an exclusive minimum', 0, { type: 'number', exclusiveMinimum: 0 }, "'Field' must be more than 0"],
		['an exclusive maximum', 1, { type: 'number', exclusiveMaximum: 1 }, "'Field' must be less than 1"],
		['a fraction', 1.5, { type: 'integer' }, "'Field' must be a whole number"],
		[
			'text that is too long',
			'абв',
			{ type: 'string', maxLength: 2 },
			"'Field' must have at most 2 characters (it has 3)",
		],
		[
			'text that is too short',
			'a',
			{ type: 'string', minLength: 2 },
			"'Field' must have at least 2 characters (it has 1)",
		],
		[
			'a value that is not among the choices',
			'divine',
			{ enum: ['draft', 'high'] },
			"'Field' must be one of: draft, high",
		],
		[
			'a list that is too long',
			['a', 'b'],
			{ type: 'array', maxItems: 1 },
			"'Field' must have at most 1 elements (it has 2)",
		],
		[
			'an element',
			['a', { b: 1 }],
			{ type: 'array', items: { type: 'string' } },
			"'Field' (field[1]) must be text",
		],
		[
			'a nested value',
			{ opacity: 2 },
			{ type: 'object', properties: { opacity: { type: 'number', maximum: 1 } } },
			"'Field' (field.opacity) must be at most 1",
		],
		['a nested field', {}, { type: 'object', required: ['text'] }, "'Field' (field.text) must be there"],
		[
			'an unknown nested field',
			{ a: 1 },
			{ type: 'object', additionalProperties: false },
			"'Field' (field.a) is not known",
		],
		[
			'a value that matches no branch',
			true,
			{ anyOf: [{ type: 'string' }, { type: 'integer' }] },
			"'Field' must be text or a whole number",
		],
	])('%s', (_, value, schema, message) => {
		const error = thrown(() => checkInput({ field: value }, formOf(schema)));
		expect(error.message).toBe(message);
		expect(error.param).toBe('input.field');
	});

	it('a missing required field', () => {
		expect(thrown(() => checkInput({}, formOf({ title: 'Prompt' }, ['field']))).message).toBe(
			"'Prompt' is missing",
		);
	});

	it('characters with two code units count once', () => {
		const form = formOf({ type: 'string', maxLength: 2 });
		expect(outcome(() => checkInput({ field: '🙂🙂' }, form))).toBe('valid');
	});

	it('optional fields may be missing', () => {
		expect(outcome(() => checkInput({}, formOf({ type: 'string' })))).toBe('valid');
	});
});
