import fc from 'fast-check';

import * as sandbox from '../../sandbox/gateway/catalogue/mediaSchemas';
import { formFields, mapperValues } from '../../nodes/shared/fields/schemaForm';
import type { Json, JsonObject } from '../../nodes/shared/gateway/util/json';

const onlyField = (schema: Json, required: string[] = [], more: JsonObject = {}) => {
	const [field] = formFields({ type: 'object', properties: { field: schema }, required, ...more });
	if (!field) throw new Error('the field is missing');
	return field;
};

describe('the widget of a field', () => {
	test.each<[string, Json, string]>([
		['text', { type: 'string' }, 'string'],
		['a switch', { type: 'boolean' }, 'boolean'],
		['a list of words, as text', { type: 'array', items: { type: 'string' } }, 'string'],
		['a list of numbers, as text', { type: 'array', items: { type: 'number' } }, 'string'],
		['a list of objects', { type: 'array', items: { type: 'object' } }, 'array'],
		['a list of anything', { type: 'array' }, 'array'],
		['an object', { type: 'object', properties: { a: {} } }, 'object'],
		['choices', { enum: ['a', 'b'] }, 'options'],
		['a nullable number', { anyOf: [{ type: 'integer' }, { type: 'null' }] }, 'number'],
		['a reference', { $ref: '#/$defs/Size' }, 'options'],
		['a union', { anyOf: [{ type: 'string' }, { type: 'object' }] }, 'string'],
		['choices that no list can show', { enum: [{ a: 1 }, { a: 2 }] }, 'string'],
		['a reference to itself', { $ref: '#/properties/field' }, 'string'],
		['a union of itself', { anyOf: [{ $ref: '#/properties/field' }, { type: 'null' }] }, 'string'],
		['a schema that says nothing', true, 'string'],
	])('%s', (_, schema, type) => {
		expect(
			onlyField(schema, [], { $defs: { Size: { type: 'string', enum: ['small', 'large'] } } }).type,
		).toBe(type);
	});

	it('keeps every field, whatever its schema', () => {
		fc.assert(
			fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue()), (properties) => {
				const schema = { type: 'object', properties } as JsonObject;
				const known = Object.keys(properties).filter((name) => name !== '__proto__');
				expect(formFields(schema).map(({ id }) => id)).toStrictEqual(expect.arrayContaining(known));
			}),
		);
	});
});

describe('a field in the panel', () => {
	it('has its title and bounds as its label, and its description if that is short', () => {
		const labels = formFields(sandbox.canvas as JsonObject).map(({ displayName }) => displayName);
		expect(labels).toStrictEqual([
			'Negative Prompt',
			'Size',
			'Quality',
			'Number of Images (1 to 4)',
			'Guidance (up to 20)',
			'Transparent Background',
			'Tags (up to 8) – Style words',
			'Watermark',
			'Seed',
		]);
	});

	it('has a title of any length as its label', () => {
		const title = 'A title that is longer than what a narrow panel can show';
		expect(onlyField({ title }).displayName).toBe(title);
		expect(onlyField({ title, minimum: 1, maximum: 2, type: 'number' }).displayName).toBe(title);
	});

	it('has its name as its label where there is no title', () => {
		const { displayName } = formFields({ properties: { num_inferenceSteps: { type: 'integer' } } })[0] ?? {};
		expect(displayName).toBe('Num Inference Steps');
	});

	it('has choices with the values of the schema, numbers as numbers', () => {
		const duration = formFields(sandbox.motion as JsonObject).find(({ id }) => id === 'duration');
		expect(duration).toMatchObject({
			defaultValue: 5,
			options: [
				{ name: '5', value: 5 },
				{ name: '10', value: 10 },
			],
		});
	});

	test.each<[string, Json, unknown]>([
		['text', { type: 'string', default: 'x' }, 'x'],
		['false', { type: 'boolean', default: false }, false],
		['zero', { type: 'number', default: 0 }, 0],
		['a list, as JSON', { type: 'array', default: ['a'] }, '["a"]'],
		['of a list of texts: an example', { type: 'array', items: { type: 'string' } }, '["…"]'],
		['of a list of numbers: an example', { type: 'array', items: { type: 'integer' } }, '["number"]'],
		[
			'of a list of URLs: an example',
			{ type: 'array', items: { format: 'uri', type: 'string' } },
			'["https://…"]',
		],
		['of a list of choices: an example', { type: 'array', items: { enum: ['a', 'b'] } }, '["a | b"]'],
		[
			'of an object: an example of its fields',
			{
				type: 'object',
				properties: {
					text: { type: 'string' },
					loud: { type: 'boolean' },
					size: { default: 2 },
					tags: { type: 'array', items: { type: 'string' } },
				},
			},
			'{"text":"…","loud":false,"size":2,"tags":["…"]}',
		],
		['of an object without fields: an empty one', { type: 'object' }, '{}'],
		['null: no default', { type: 'string', default: null }, undefined],
		['that is not among the choices: no default', { enum: ['a'], default: 'b' }, undefined],
	])('has the default %s', (_, schema, value) => expect(onlyField(schema).defaultValue).toBe(value));

	it('is shown at first only if it is required, before the others', () => {
		const form = formFields({
			type: 'object',
			properties: { style: {}, loud: { type: 'boolean', default: false }, text: {}, image_url: {} },
			required: ['text', 'image_url'],
		});
		expect(form.map(({ id, removed = false }) => [id, removed])).toStrictEqual([
			['text', false],
			['image_url', false],
			['style', true],
			['loud', true],
		]);
	});

	it('is not there if it is the prompt, which has a parameter of its own', () => {
		expect(formFields(sandbox.retouch as JsonObject).map(({ id }) => id)).not.toContain('prompt');
		expect(formFields(sandbox.speech as JsonObject).map(({ id }) => id)).not.toContain('text');
	});
});

describe('required fields', () => {
	it('are required in the editor, except those that a file can fill', () => {
		const schema = { properties: { count: { type: 'integer' }, img: {} } };
		const own = formFields({ ...schema, required: ['count', 'img'] });
		expect(own.map(({ displayName, required }) => [displayName, required])).toStrictEqual([
			['Count', true],
			['Img (required or file)', false],
		]);
		const images = formFields(sandbox.retouch as JsonObject).find(({ id }) => id === 'image_urls');
		expect(images?.displayName).toBe('Images (required or file)');
	});

	it('may come from a file also where the schema of a list’s elements is a reference', () => {
		const [field] = formFields({
			type: 'object',
			properties: { references: { type: 'array', items: { $ref: '#/$defs/Address' } } },
			required: ['references'],
			$defs: { Address: { type: 'string', format: 'uri' } },
		});
		expect(field).toMatchObject({ required: false, displayName: 'References (required or file)' });
	});
});

describe('the fields that a workflow stores', () => {
	it('are left out where they are still the example that the form starts with', () => {
		const schema = JSON.parse(JSON.stringify(formFields(sandbox.retouch as JsonObject))) as JsonObject[];
		const shown = schema.find(({ id }) => id === 'image_urls')?.defaultValue ?? null;
		expect(shown).toBe('["https://…"]');
		expect(mapperValues({ value: { prompt: 'x', image_urls: shown }, schema })).toStrictEqual({
			prompt: 'x',
		});
		const value = { prompt: 'x', image_urls: '["https://files.test/a.png"]' };
		expect(mapperValues({ value, schema })).toStrictEqual(value);
	});

	it.each(['draft', 1, true])('are sent where they are the default of the model: %j', (value) => {
		const schema = [{ id: 'field', required: true, defaultValue: value }];
		expect(mapperValues({ value: { field: value }, schema })).toStrictEqual({ field: value });
	});
});
