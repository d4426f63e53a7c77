import Ajv from 'ajv';

import { formFields } from '../../../nodes/shared/fields/schemaForm';
import { inputForm, takesUrls } from '../../../nodes/shared/gateway/media/inputSchema';
import { typedInput } from '../../../nodes/shared/gateway/media/inputValues';
import type { Json, JsonObject } from '../../../nodes/shared/gateway/util/json';

// Input schemas in the manner of the big media platforms: the form has all fields, and what it sends is valid.

const text = { type: 'string' };
const uri = { type: 'string', format: 'uri' };
const prompt = { type: 'string', title: 'Prompt' };
const integer = { type: 'integer' };
const number = { type: 'number' };
const nullable = (schema: Json): Json => ({ anyOf: [schema, { type: 'null' }] });
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
	'an image and its mask': {
		schema: withPrompt({ image_url: text, mask_url: text, strength: number }),
		filled: {
			prompt: 'a',
			image_url: 'https://x.test/a,b.png',
			mask_url: 'https://x.test/m',
			strength: '0.5',
		},
		files: ['image_url', 'mask_url'],
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
	'a file or none': {
		schema: withPrompt({ last_frame: nullable(uri) }),
		filled: { prompt: 'a', last_frame: 'https://x.test/a' },
		files: ['last_frame'],
	},
	'a URL or an object': {
		schema: withPrompt({ subject: { anyOf: [uri, { type: 'object', properties: { id: text } }] } }),
		filled: { prompt: 'a', subject: '{"id": "7"}' },
		files: ['subject'],
	},
	voices: {
		schema: {
			type: 'object',
			properties: {
				text,
				voice: { enum: ['anna', 'boris'] },
				speed: { ...number, minimum: 0.5, maximum: 2 },
			},
			required: ['text', 'voice'],
		},
		filled: { text: '2024', voice: 'anna', speed: '1.5' },
	},
	'nullable numbers': {
		schema: withPrompt({ seed: { type: ['integer', 'null'] }, cfg: nullable(number) }),
		filled: { prompt: 'a', seed: '7', cfg: '7.5' },
	},
	'a pair of numbers': {
		schema: withPrompt({ range: { type: 'array', prefixItems: [integer, integer] } }),
		filled: { prompt: 'a', range: '[1, 2]' },
	},
	'Cyrillic titles and names': {
		schema: {
			type: 'object',
			properties: { текст: { type: 'string', title: 'Текст' }, цвет: { enum: ['красный'] } },
			required: ['текст'],
		},
		filled: { текст: 'Привет', цвет: 'красный' },
	},
	'numbers to choose from': {
		schema: withPrompt({ duration: { type: 'integer', enum: [5, 10] }, fps: { enum: [24, 30] } }),
		filled: { prompt: 'a', duration: '10', fps: '24' },
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
