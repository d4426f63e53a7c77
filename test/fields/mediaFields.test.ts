import fc from 'fast-check';
import nock from 'nock';

import { formFields, loadFileFields, mapMediaFields } from '../../nodes/shared/fields/mediaForm';
import { mediaSearches, searchTextModels } from '../../nodes/shared/fields/models';
import type { Json, JsonObject } from '../../nodes/shared/gateway/util/json';
import * as sandbox from '../../sandbox/gateway/catalogue/mediaSchemas';
import { editorContext } from '../helpers/contexts';
import { catalogue, model, painter } from '../helpers/media';
import { useNock } from '../helpers/nock';
import { locator } from '../helpers/values';

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
				// n8n would evaluate those that begin with an equals sign.
				const known = Object.keys(properties).filter((name) => name !== '__proto__' && !name.startsWith('='));
				expect(formFields(schema).map(({ id }) => id)).toStrictEqual(expect.arrayContaining(known));
			}),
		);
	});
});

describe('a field in the panel', () => {
	it('has its title as its label, and its description if both are short', () => {
		const labels = formFields(sandbox.canvas as JsonObject).map(({ displayName }) => displayName);
		expect(labels).toStrictEqual([
			'Negative Prompt',
			'Size',
			'Quality',
			'Number of Images',
			'Guidance',
			'Transparent Background',
			'Tags – Style words',
			'Watermark (JSON)',
			'Seed',
		]);
	});

	it('says in its label that it takes the URL of a file, which Input Files may give', () => {
		const labels = formFields(sandbox.motion as JsonObject).map(({ displayName }) => displayName);
		expect(labels).toContain('First Frame (URL or file)');
	});

	it('has a title of any length as its label', () => {
		const title = 'A title that is longer than what a narrow panel can show';
		expect(onlyField({ title }).displayName).toBe(title);
		expect(onlyField({ title, description: 'What it says' }).displayName).toBe(title);
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
		['an object, as JSON', { type: 'object', default: { a: 1 } }, '{"a":1}'],
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
});

describe('media form', () => {
	useNock();

	describe('the list of fields for a file', () => {
		const listed = async (inputSchema: object) => {
			nock.cleanAll();
			catalogue([painter(inputSchema)]);
			return await loadFileFields.call(editorContext({ node: 'mediaTask', parameters: { model } }));
		};

		it('has the fields that the schema has for a URL, with their titles and descriptions', async () => {
			expect(await listed(sandbox.retouch)).toStrictEqual([
				{ name: 'Images (image_urls)', value: 'image_urls', description: 'URLs of the images to edit' },
				{ name: 'Mask (mask_url)', value: 'mask_url', description: 'URL of a mask image' },
			]);
		});

		it('is empty for a model without fields', async () => expect(await listed({})).toStrictEqual([]));
	});

	it.each([
		['no model is chosen', '', /^Choose a model/],
		['the gateway does not have the model', 'acme/none', /^The gateway has no media model "acme\/none"/],
		['the model has no fields', 'acme/painter', /names no fields.*'JSON'/],
	])('an empty form says that %s', async (_, id, words) => {
		catalogue([painter()]);
		const context = editorContext({ node: 'mediaTask', parameters: { model: locator(id) } });
		const emptyFieldsNotice = expect.stringMatching(words) as string;
		expect(await mapMediaFields.call(context)).toStrictEqual({ fields: [], emptyFieldsNotice });
	});

	describe('the list of models', () => {
		const models = ['image', 'video', 'music', 'audio'].map((media_type) =>
			painter({}, { id: `acme/${media_type}`, media_type }),
		);

		it.each([
			['images', mediaSearches.searchImageModels, 'acme/image'],
			['videos', mediaSearches.searchVideoModels, 'acme/video'],
			['music', mediaSearches.searchMusicModels, 'acme/music'],
			['speech', mediaSearches.searchSpeechModels, 'acme/audio'],
		])('for %s has only those, with their prices', async (_, search, id) => {
			catalogue([...models, painter({}, { id: 'acme/unknown', media_type: 'hologram' })]);
			const context = editorContext({ node: 'mediaTask', parameters: {} });
			expect((await search.call(context)).results).toStrictEqual([{ name: `${id} · ₽6`, value: id }]);
			expect((await search.call(context, 'nothing like it')).results).toStrictEqual([]);
		});
	});

	it('the list of all media models has their types', async () => {
		catalogue([painter(), painter({}, { id: 'acme/film', media_type: 'video' })]);
		const context = editorContext({ node: 'mediaTask', parameters: {} });
		const { results } = await mediaSearches.searchMediaModels.call(context);
		expect(results.map(({ name }) => name)).toStrictEqual([
			'acme/film · ₽6 · video',
			'acme/painter · ₽6 · image',
		]);
	});

	it('the list of text models has their prices, and how much they read', async () => {
		const models = [
			{ id: 'b', context_length: 128_000, cost_context: '0.00005', cost_completion: '0.0002' },
			{ id: 'a' },
		];
		nock('https://gateway.test').persist().get('/api/v1/models').reply(200, { data: models });
		const context = editorContext({ node: 'textGeneration', parameters: {} });
		expect((await searchTextModels.call(context)).results).toStrictEqual([
			{ name: 'a', value: 'a' },
			{ name: 'b · ₽50 in, ₽200 out per 1M · 128K', value: 'b' },
		]);
	});

	const quality = { properties: { quality: { enum: ['draft', 'high'], default: 'high' } } };
	const tiers = (...prices: Array<[string, string]>) =>
		prices.map(([quality, price]) => ({ params: { quality }, price }));

	it.each<[string, object[], object, string]>([
		['none', [], {}, 'acme/painter'],
		[
			'that of the defaults, and the lowest',
			tiers(['high', '16.65'], ['draft', '1.80'], ['fine', '-2']),
			quality,
			'acme/painter · ₽16.65 · from ₽1.80',
		],
		[
			'the lowest as an amount, not as a text',
			tiers(['high', '16.65'], ['draft', '9']),
			quality,
			'acme/painter · ₽16.65 · from ₽9',
		],
		[
			'the lowest, where that of the defaults is not known',
			tiers(['ultra', '16.65'], ['draft', '1.80']),
			quality,
			'acme/painter · from ₽1.80',
		],
		['one of equal amounts', tiers(['draft', '7.0'], ['fine', '7']), quality, 'acme/painter · ₽7'],
	])('an entry has the price: %s', async (_, prices, schema, name) => {
		const pricing = { currency: 'RUB', type: 'tiered', tiers: prices };
		catalogue([painter(schema, { pricing })]);
		const context = editorContext({ node: 'mediaTask', parameters: {} });
		const { results } = await mediaSearches.searchImageModels.call(context);
		expect(results).toStrictEqual([{ name, value: 'acme/painter' }]);
	});

	it.each<[string, object, boolean]>([
		['text', { prompt: { type: 'string' }, size: { type: 'string' } }, false],
		['an image', { image_urls: { type: 'array', items: { type: 'string', format: 'uri' } } }, true],
	])('the picker for edits begins with a model that takes %s: %j', async (_, fields, isFirst) => {
		catalogue([
			painter({ properties: { prompt: { type: 'string' } } }, { id: 'acme/first' }),
			painter({ properties: fields }),
			painter({ properties: fields }, { media_type: 'video', id: 'v' }),
		]);
		const context = editorContext({ node: 'mediaTask', parameters: {} });
		const { results } = await mediaSearches.searchImageEditModels.call(context);
		expect(results.map(({ value }) => value)).toStrictEqual(
			isFirst ? ['acme/painter', 'acme/first'] : ['acme/first', 'acme/painter'],
		);
	});
});
