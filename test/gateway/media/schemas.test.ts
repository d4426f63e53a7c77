import Ajv from 'ajv';

import { formFields } from '../../../nodes/shared/fields/mediaForm';
import {
	type FieldKind,
	type InputField,
	inputForm,
	promptField,
	takesUrls,
} from '../../../nodes/shared/gateway/media/inputSchema';
import { typedInput } from '../../../nodes/shared/gateway/media/inputValues';
import type { Json, JsonObject } from '../../../nodes/shared/gateway/util/json';
import * as sandbox from '../../../sandbox/gateway/catalogue/mediaSchemas';

const text = { type: 'string' };

const fieldOf = (schema: Json, name = 'field'): InputField | undefined =>
	inputForm({ properties: { [name]: schema } }).fields[0];

describe('the form of an input', () => {
	it.each<[string, JsonObject]>([
		['nothing', {}],
		['properties that are null', { properties: null }],
	])('is empty where the schema has %s', (_, schema) => {
		expect(inputForm(schema)).toStrictEqual({ fields: [], defaults: [{}], isWhole: true });
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

	it('of parts has what each of them requires', () => {
		const part = (name: string): JsonObject => ({ properties: { [name]: text }, required: [name] });
		const { fields } = inputForm({ allOf: [part('a'), part('b')] });
		expect(fields.map(({ name, required }) => [name, required])).toStrictEqual([
			['a', true],
			['b', true],
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
])('the kind of a field of %j is %s', (schema, kind) => expect(fieldOf(schema)?.kind).toBe(kind));

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
		['images', { type: 'array' }],
		['mask', {}],
		['imageUrl', { type: 'string' }],
		['firstFrame', { type: 'string' }],
		['start_frame_uri', { type: 'string' }],
		['reference_videos', { type: 'array', items: { type: 'string' } }],
		['audio_file', { anyOf: [{ type: 'string' }, { type: 'array' }] }],
		['URLS', { type: 'string' }],
		['file', { type: 'string', format: 'date' }],
	])('is accepted in %s %j', (name, schema) => expect(accepts(schema, name)).toBe(true));

	it.each('url uri image img photo picture video audio file mask frame'.split(' '))(
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

const nameOf = (schema: object) => promptField(inputForm(schema as JsonObject))?.name;
const of = (properties: Record<string, Json>, required: string[] = []) =>
	nameOf({ type: 'object', properties, required });

test.each([
	['image', sandbox.canvas, 'prompt'],
	['image to edit', sandbox.retouch, 'prompt'],
	['video', sandbox.motion, 'prompt'],
	['music', sandbox.song, 'prompt'],
	['speech', sandbox.speech, 'text'],
])('a model for %s has its prompt', (_, schema, name) => {
	expect(nameOf(schema)).toBe(name);
});

test('the usual names come first, whatever the order of the fields', () => {
	expect(of({ style: text, text, Prompt: text }, ['style'])).toBe('Prompt');
});

test('a field without a usual name is the prompt if it is the only text that is required', () => {
	expect(of({ style: text, lines: text }, ['lines'])).toBe('lines');
	expect(of({ style: text, lines: text }, ['lines', 'style'])).toBeUndefined();
	expect(of({ style: text, lines: text })).toBeUndefined();
});

test.each<[string, Json]>([
	['choices', { type: 'string', enum: ['a', 'b'] }],
	['a URL', { type: 'string', format: 'uri' }],
	['a number', { type: 'number' }],
	['a list', { type: 'array', items: { type: 'string' } }],
])('a field with %s is no prompt', (_, schema) => {
	expect(of({ prompt: schema }, ['prompt'])).toBeUndefined();
});

test('a nullable text is a prompt', () => {
	expect(of({ prompt: { anyOf: [text, { type: 'null' }] } })).toBe('prompt');
});

const uri = { type: 'string', format: 'uri' };
const prompt = { type: 'string', title: 'Prompt' };
const integer = { type: 'integer' };
const number = { type: 'number' };
const list = (items: Json, more: JsonObject = {}): Json => ({ type: 'array', items, ...more });
const one = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ properties, ...more });
const size = { type: 'object', properties: { width: integer, height: integer } };
const sizeNames = { type: 'string', enum: ['square', 'portrait'] };
const withPrompt = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
	type: 'object',
	properties: { prompt, ...properties },
	required: ['prompt'],
	...more,
});

interface Platform {
	schema: JsonObject;
	/** What the user enters. */
	filled: JsonObject;
	/** The fields for the URL of a file. */
	files?: string[];
}

/** By what is special about them. */
const PLATFORMS: Record<string, Platform> = {
	'a size as a union of an object and names': {
		schema: withPrompt({ image_size: { anyOf: [size, sizeNames] } }),
		filled: { prompt: 'a', image_size: '{"width": 5, "height": 6}' },
	},
	'several images as URLs': {
		schema: withPrompt({ image_urls: list(uri, { maxItems: 4 }) }),
		filled: { prompt: 'a', image_urls: 'https://x.test/a.png, https://x.test/b,c.png' },
		files: ['image_urls'],
	},
	'a reference that its description explains': {
		schema: withPrompt({ reference: { type: 'string', description: 'The URL of a picture' } }),
		filled: { prompt: 'a', reference: 'https://x.test/a' },
		files: ['reference'],
	},
	'a file as Base64': {
		schema: withPrompt({ source: { type: 'string', contentEncoding: 'base64' } }),
		filled: { prompt: 'a', source: 'aGk=' },
		files: ['source'],
	},
	'a URL or an object': {
		schema: withPrompt({ subject: { anyOf: [uri, { type: 'object', properties: { id: text } }] } }),
		filled: { prompt: 'a', subject: '{"id": "7"}' },
		files: ['subject'],
	},
	'a pair of numbers': {
		schema: withPrompt({ range: { type: 'array', prefixItems: [integer, integer] } }),
		filled: { prompt: 'a', range: '[1, 2]' },
	},
	'definitions elsewhere': {
		schema: {
			$ref: '#/$defs/input',
			$defs: { input: withPrompt({ style: { $ref: '#/$defs/style' } }), style: { enum: ['oil', 'ink'] } },
		},
		filled: { prompt: 'a', style: 'ink' },
	},
	'parts that are put together': {
		schema: {
			type: 'object',
			allOf: [withPrompt({ seed: integer }), one({ steps: integer }, { required: ['steps'] })],
		},
		filled: { prompt: 'a', seed: '1', steps: '20' },
	},
	'modes with other fields': {
		schema: {
			type: 'object',
			oneOf: [
				one({ mode: { const: 'text' }, prompt }, { required: ['mode', 'prompt'] }),
				one({ mode: { const: 'image' }, image: uri }, { required: ['mode', 'image'] }),
			],
		},
		filled: { mode: 'image', image: 'https://x.test/a' },
		files: ['image'],
	},
	'modes within modes': {
		schema: {
			type: 'object',
			oneOf: [
				one({ kind: { const: 'still' }, prompt }, { required: ['kind'] }),
				{
					...one({ kind: { const: 'film' }, prompt }, { required: ['kind'] }),
					oneOf: [
						one({ seconds: integer }, { required: ['seconds'] }),
						one({ music_url: uri }, { required: ['music_url'] }),
					],
				},
			],
		},
		filled: { kind: 'film', prompt: 'a', seconds: '5' },
		files: ['music_url'],
	},
	'two choices at once': {
		schema: {
			...withPrompt({}),
			allOf: [
				{
					oneOf: [
						one({ seed: integer }, { required: ['seed'] }),
						one({ random: { type: 'boolean' } }, { required: ['random'] }),
					],
				},
				{
					oneOf: [
						one({ width: integer }, { required: ['width'] }),
						one({ ratio: text }, { required: ['ratio'] }),
					],
				},
			],
		},
		filled: { prompt: 'a', seed: '1', ratio: '16:9' },
	},
	'a field that depends on another': {
		schema: withPrompt(
			{ upscale: { type: 'boolean' } },
			{
				if: one({ upscale: { const: true } }),
				then: one({ factor: integer }),
				else: one({ sharpen: number }),
			},
		),
		filled: { prompt: 'a', upscale: 'true', factor: '2' },
	},
	'a condition without another outcome': {
		schema: withPrompt(
			{ loop: { type: 'boolean' } },
			{ if: one({ loop: { const: true } }), then: one({ count: integer }, { required: ['count'] }) },
		),
		filled: { prompt: 'a', loop: false },
	},
	anything: {
		schema: withPrompt({ extra: {}, more: true }),
		filled: { prompt: 'a', extra: '{"a": 1}', more: 'b' },
	},
};

/** The names of the fields, wherever the schema of an object has them. */
function namesIn(schema: Json | undefined, root: JsonObject): string[] {
	if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return [];
	const { properties, $ref, allOf, anyOf, oneOf, then, else: other } = schema;
	const parts = [allOf, anyOf, oneOf, then, other].flat();
	const referred = $ref === undefined ? undefined : (root.$defs as JsonObject).input;
	return [...Object.keys(properties ?? {}), ...[...parts, referred].flatMap((part) => namesIn(part, root))];
}

describe.each(Object.entries(PLATFORMS))('%s', (_, { schema, filled, files = [] }) => {
	const form = inputForm(schema);

	it('the form has all fields', () => {
		const shown = formFields(schema).map(({ id }) => id);
		const names = form.fields.map(({ name }) => name);
		expect(new Set(names)).toStrictEqual(new Set(namesIn(schema, schema)));
		expect(names.filter((name) => !shown.includes(name)).length).toBeLessThanOrEqual(1);
	});

	it('what is filled in is sent as the schema wants it', () => {
		const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
		expect([validate(typedInput(filled, form)), validate.errors]).toStrictEqual([true, null]);
	});

	it('files go into the fields that are for them', () => {
		expect(form.fields.filter(takesUrls).map(({ name }) => name)).toStrictEqual(files);
	});
});
