import fc from 'fast-check';

import * as sandbox from '../../../sandbox/gateway/catalogue/mediaSchemas';
import { InvalidInputError } from '../../../nodes/shared/gateway/errors/errors';
import { inputForm, type InputForm } from '../../../nodes/shared/gateway/media/inputSchema';
import { withRequired, typedInput } from '../../../nodes/shared/gateway/media/inputValues';
import type { Json, JsonObject } from '../../../nodes/shared/gateway/util/json';

const formOf = (schema: Json, required: string[] = []): InputForm =>
	inputForm({ type: 'object', properties: { field: schema }, required });
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

test.each(['__proto__', 'toString', 'constructor'])('a field may have any name: %s', (name) => {
	const form = inputForm(
		JSON.parse(
			`{"type":"object","properties":{"${name}":{"type":"integer"}},"required":["${name}"]}`,
		) as JsonObject,
	);
	const values = JSON.parse(`{"${name}":"5"}`) as JsonObject;
	expect(JSON.stringify(typedInput(values, form))).toBe(`{"${name}":5}`);
	expect(outcome(() => withRequired(values, form))).toBe('valid');
	expect(outcome(() => withRequired({}, form))).toBe('InvalidInputError');
});

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
		['of a union, JSON is read where it is of one of its types', '["a"]', union, ['a']],
		['of a union, JSON of another type stays text', '{"a":1}', union, '{"a":1}'],
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

	it('a text whose default is emptied is sent empty', () => {
		expect(typed('', { type: 'string', default: 'A dog' })).toBe('');
		for (const value of [null, ' '])
			expect(typed(value, { type: 'string', default: 'A dog' })).toBeUndefined();
		expect(typed('', { enum: ['a', 'b'], default: 'a' })).toBeUndefined();
	});

	it('an empty list replaces a default', () => {
		expect(typed('[]', { ...texts, default: ['a'] })).toStrictEqual([]);
	});

	test.each<[string, Json, Json, Json]>([
		['out of range', 9, { type: 'integer', maximum: 4 }, 9],
		['too long', 'abc', { type: 'string', maxLength: 2 }, 'abc'],
		['not among the choices', 'divine', { enum: ['draft', 'high'] }, 'divine'],
		['a fraction for a whole number', '1.5', { type: 'integer' }, 1.5],
		['text for a number', 'many', { type: 'integer' }, 'many'],
		['a boolean for a number', true, { type: 'number' }, true],
		['another text for a boolean', 'perhaps', { type: 'boolean' }, 'perhaps'],
		['broken JSON', '{"a":', { type: 'object' }, '{"a":'],
	])('a value that is %s is left to the gateway', (_, value, schema, expected) => {
		expect(typed(value, schema)).toBe(expected);
	});

	it('a value of a field that the model does not have is left to the gateway, as it is', () => {
		expect(typedInput({ other: '5', none: null, blank: ' ' }, formOf({}))).toStrictEqual({ other: '5' });
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
				expect(outcome(() => withRequired(typedInput({ field: input }, form), form))).toMatch(
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
				expect(typedInput(input, form)).toStrictEqual(input);
			}),
		);
	});
});

describe('the required fields', () => {
	it.each<[string, Json, boolean]>([
		['text', { type: 'string', title: 'Prompt' }, false],
		['a URL', { type: 'string', title: 'Prompt', format: 'uri' }, true],
	])('must be there: %s', (_, schema, byFile) => {
		const error = thrown(() => withRequired({}, formOf(schema, ['field'])));
		expect(error.message).toBe("'Prompt' is missing");
		expect(error.param).toBe('input.field');
		expect(error.description.includes("add a file to 'Input Files'")).toBe(byFile);
	});

	it('are filled with their defaults', () => {
		const form = inputForm({
			properties: { n: { default: 2 }, hd: { default: false }, style: { default: 'ink' } },
			required: ['n', 'hd'],
		});
		expect(withRequired({ n: 5 }, form)).toStrictEqual({ n: 5, hd: false });
	});

	it.each<[string, JsonObject, string[]]>([
		['others', {}, []],
		['zero', { field: 0 }, ['field']],
		['null', { field: null }, ['field']],
	])('may be %s', (_, input, required) => {
		expect(outcome(() => withRequired(input, formOf({}, required)))).toBe('valid');
	});
});
