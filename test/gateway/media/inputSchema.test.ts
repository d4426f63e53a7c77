import {
	inputForm,
	takesUrls,
	type FieldKind,
	type InputField,
} from '../../../nodes/shared/gateway/media/inputSchema';
import type { Json, JsonObject } from '../../../nodes/shared/gateway/util/json';

const fieldOf = (schema: Json, name = 'field'): InputField | undefined =>
	inputForm({ properties: { [name]: schema } }).fields[0];

describe('the form of an input', () => {
	it('has the fields of the schema, in its order', () => {
		const schema = {
			type: 'object',
			properties: {
				prompt: { type: 'string', title: 'Words', description: 'What it shows' },
				tags: { type: 'array', items: { $ref: '#/$defs/tag' }, default: ['a'] },
				odd: true,
			},
			required: ['prompt'],
			additionalProperties: false,
			$defs: { tag: { type: 'string', maxLength: 3 } },
		};
		const { fields, defaults } = inputForm(schema);
		const tag = { name: 'tags', title: 'Tags', kind: 'text', schema: { type: 'string', maxLength: 3 } };
		expect(fields).toMatchObject([
			{
				name: 'prompt',
				title: 'Words',
				description: 'What it shows',
				required: true,
				kind: 'text',
				choices: [],
				default: undefined,
				schema: { type: 'string', title: 'Words', description: 'What it shows' },
				element: undefined,
			},
			{ name: 'tags', title: 'Tags', required: false, kind: 'list', default: ['a'], element: tag },
			{ name: 'odd', title: 'Odd', required: false, kind: 'json', schema: {}, element: undefined },
		]);
		expect(defaults).toStrictEqual([{ prompt: undefined, tags: ['a'], odd: undefined }]);
	});

	it.each<[string, JsonObject]>([
		['nothing', {}],
		['properties that are null', { properties: null }],
	])('is empty where the schema has %s', (_, schema) => {
		expect(inputForm(schema)).toStrictEqual({ fields: [], defaults: [{}] });
	});

	it('of a union has the fields of all its objects, with what all share above that', () => {
		const schema = {
			anyOf: [
				{ properties: { text: { type: 'string' }, n: { type: 'string' } }, required: ['text'] },
				{ $ref: '#/$defs/image' },
				{ type: 'string' },
			],
			properties: { n: { type: 'integer' }, seed: { type: 'integer' } },
			required: ['seed'],
			$defs: { image: { properties: { image: { type: 'string' } }, required: ['image'] } },
		};
		const found = inputForm(schema).fields.map(({ name, kind, required }) => [name, kind, required]);
		expect(found).toStrictEqual([
			['text', 'text', false],
			['n', 'integer', false],
			['seed', 'integer', true],
			['image', 'text', false],
		]);
	});

	it('of a union has one field for a name that several objects have: it takes what any of them takes', () => {
		const branch = (mode: string, more: JsonObject): JsonObject => ({
			properties: { mode: { const: mode, title: mode }, ...more },
			required: ['mode'],
		});
		const { fields, defaults } = inputForm({
			oneOf: [
				branch('pro', { size: { enum: ['m', 'l'] }, n: { type: 'integer' }, seed: { type: 'integer' } }),
				branch('fast', { size: { enum: ['s', 'm'] }, n: { type: 'string' }, seed: { type: 'integer' } }),
				branch('plain', { n: { type: 'integer', default: 2 } }),
			],
		});
		expect(fields.map(({ name, kind, choices, required }) => [name, kind, choices, required])).toStrictEqual([
			['mode', 'text', ['pro', 'fast', 'plain'], true],
			['size', 'text', ['m', 'l', 's'], false],
			['n', 'json', [], false],
			['seed', 'integer', [], false],
		]);
		expect(defaults.map(({ n }) => n)).toStrictEqual([undefined, undefined, 2]);
	});

	it.each<[string, Json | undefined, Json | undefined]>([
		['null', null, undefined],
		['no default', undefined, undefined],
		['zero', 0, 0],
		['false', false, false],
		['empty text', '', ''],
		['an object', { a: null }, { a: null }],
	])('has defaults: %s', (_, value, expected) => {
		expect(fieldOf({ type: 'string', default: value ?? null })?.default).toStrictEqual(expected);
		expect(
			fieldOf({ type: 'string', ...(value === undefined ? {} : { default: value }) })?.default,
		).toStrictEqual(expected);
	});
});

test.each([
	['num_images', 'Num Images'],
	['numImages', 'Num Images'],
	['num-images', 'Num Images'],
	['num  images', 'Num Images'],
	['size2Big', 'Size2 Big'],
	['URL', 'URL'],
	['imageURL', 'Image URL'],
	['_private_', 'Private'],
	['éclair', 'Éclair'],
	['цвет', 'Цвет'],
	['_', '_'],
	['2x', '2x'],
])('the title for the name %j is %j', (name, title) => expect(fieldOf({}, name)?.title).toBe(title));

test.each<[Json, string]>([
	['', 'Field'],
	[null, 'Field'],
	[7, 'Field'],
	['field', 'field'],
])('with the title %j the field is named %j', (title, shown) =>
	expect(fieldOf({ title })?.title).toBe(shown),
);

describe('the kind of a field', () => {
	it.each<[Json, FieldKind]>([
		[{ type: 'string' }, 'text'],
		[{ type: 'integer' }, 'integer'],
		[{ type: 'number' }, 'number'],
		[{ type: 'boolean' }, 'boolean'],
		[{ type: 'array' }, 'list'],
		[{ type: 'object' }, 'object'],
		[{ type: 'file' }, 'json'],
		[{ type: ['integer', 'null'] }, 'integer'],
		[{ type: ['integer', 'string'] }, 'json'],
		[{ anyOf: [{ type: 'number' }, { type: 'null' }] }, 'number'],
		[{ anyOf: [{ type: 'string' }, { type: 'array' }] }, 'json'],
		[{ anyOf: [{ type: 'string' }, { type: 'string', format: 'uri' }] }, 'text'],
		[{ properties: {} }, 'object'],
		[{ items: {} }, 'list'],
		[{}, 'json'],
		[{ enum: ['a', 'b'] }, 'text'],
		[{ enum: [1, 2.5] }, 'number'],
		[{ enum: [true, false] }, 'boolean'],
		[{ enum: ['a', null] }, 'text'],
		[{ enum: ['a', 1] }, 'json'],
		[{ enum: ['a', { b: 1 }] }, 'json'],
		[{ enum: [] }, 'json'],
		[{ type: 'integer', enum: [1, 2] }, 'integer'],
		[{ type: ['string', 'integer'], enum: ['a', 'b'] }, 'json'],
		[{ const: 'a' }, 'text'],
	])('of %j is %s', (schema, kind) => expect(fieldOf(schema)?.kind).toBe(kind));
});

describe('the choices of a field', () => {
	it.each<[string, Json, unknown[]]>([
		['no choices', { type: 'string' }, []],
		['the values of `enum`', { enum: ['a', 1, true] }, ['a', 1, true]],
		['without null', { enum: ['a', null] }, ['a']],
		['no choices where one is a list', { enum: ['a', ['b']] }, []],
		['no choices where `enum` is not a list', { enum: 'a' }, []],
		['a constant', { const: 'a' }, ['a']],
		['constants', { oneOf: [{ const: 'a', title: 'A' }, { const: 'b' }] }, ['a', 'b']],
	])('are %s', (_, schema, choices) => expect(fieldOf(schema)?.choices).toStrictEqual(choices));
});

describe('a URL of a file', () => {
	const accepts = (schema: Json, name: string) => {
		const field = fieldOf(schema, name);
		return field && takesUrls(field);
	};

	it.each<[string, Json]>([
		['x', { type: 'string', format: 'uri' }],
		['x', { type: 'string', format: 'uri-reference' }],
		['x', { type: 'string', format: 'url' }],
		['x', { type: 'string', format: 'iri' }],
		['x', { type: 'string', format: 'binary' }],
		['x', { type: 'array', items: { type: 'string', format: 'uri' } }],
		['x', { type: 'array', items: { anyOf: [{ format: 'uri' }, { type: 'object' }] } }],
		['x', { anyOf: [{ type: 'string', format: 'uri' }, { type: 'integer' }] }],
		['x', { anyOf: [{ type: 'string', format: 'uri' }, { type: 'null' }] }],
		['image', { type: 'string' }],
		['images', { type: 'array' }],
		['mask', {}],
		['image_url', { type: 'string' }],
		['imageUrl', { type: 'string' }],
		['firstFrame', { type: 'string' }],
		['start_frame_uri', { type: 'string' }],
		['reference_videos', { type: 'array', items: { type: 'string' } }],
		['audio_file', { anyOf: [{ type: 'string' }, { type: 'array' }] }],
		['URLS', { type: 'string' }],
		['file', { type: 'string', format: 'date' }],
	])('is accepted in %s %j', (name, schema) => expect(accepts(schema, name)).toBe(true));

	it.each(['url', 'uri', 'image', 'video', 'audio', 'file', 'mask', 'frame'])(
		'is accepted in a field whose name ends in the word %s',
		(word) => {
			const names = [word, `${word}s`, `a_${word}`, `${word}_2`, `a_${word}s`, `${word}2`];
			expect(names.filter((name) => accepts({ type: 'string' }, name))).toStrictEqual(names);
			const others = [`${word}_style`, `${word}_size`, `a${word}`, `${word}ed`, `${word}ss`];
			expect(others.filter((name) => accepts({ type: 'string' }, name))).toStrictEqual([]);
		},
	);

	it.each<[string, Json]>([
		['x', { type: 'string' }],
		['x', { type: 'string', format: 'date' }],
		['x', { type: 'string', format: 'not-uri' }],
		['x', { type: 'array', format: 'uri' }],
		['x', { type: 'string', items: { format: 'uri' } }],
		['images', { type: 'array', items: { type: 'integer' } }],
		['images', { type: 'array', items: { enum: ['a', 'b'] } }],
		['image', { type: 'string', enum: ['a', 'b'] }],
		['x', { type: 'string', format: 'uri', enum: ['https://a.test'] }],
		['num_images', { type: 'integer' }],
		['images', { type: 'number' }],
		['mask', { type: 'boolean' }],
		['file', { type: 'object' }],
		['profile', { type: 'string' }],
		['filename', { type: 'string' }],
		['imagery', { type: 'string' }],
		['curl', { type: 'string' }],
	])('is not accepted in %s %j', (name, schema) => expect(accepts(schema, name)).toBe(false));
});
