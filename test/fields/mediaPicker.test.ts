import { MediaTask } from '../../nodes/MediaTask/MediaTask.node';
import { editorContext } from '../helpers/contexts';
import { catalogue, painter } from '../helpers/media';
import { useNock } from '../helpers/nock';

// The entries of the media model pickers.

useNock();

const credential = { baseUrl: 'https://gateway.test/api/v1', apiKey: 'sk-test' };
const quality = { properties: { quality: { enum: ['draft', 'high'], default: 'high' } } };
const tiers = (...prices: Array<[string | undefined, string]>) =>
	prices.map(([value, price]) => ({ params: value === undefined ? {} : { quality: value }, price }));

it.each<[string, object[], object, string]>([
	['none', [], {}, 'acme/painter'],
	['one price', tiers([undefined, '6.00']), {}, 'acme/painter · ₽6 per task'],
	[
		'the lowest of several',
		tiers(['high', '16.65'], ['draft', '1.80'], ['fine', '-2']),
		quality,
		'acme/painter · from ₽1.80 per task',
	],
	['one of equal amounts', tiers(['draft', '7.0'], ['fine', '7']), quality, 'acme/painter · ₽7 per task'],
])('an entry has the price: %s', async (_, prices, schema, name) => {
	const pricing = { currency: 'RUB', type: 'tiered', tiers: prices };
	catalogue([painter(schema, { pricing })]);
	const context = editorContext({ node: 'mediaTask', parameters: {}, credential });
	const { results } = await new MediaTask().methods.listSearch.searchImageModels.call(context);
	expect(results).toStrictEqual([{ name, value: 'acme/painter' }]);
});

it.each<[string, object, boolean]>([
	['text', { prompt: { type: 'string' }, size: { type: 'string' } }, false],
	['a link to an image', { source: { type: 'string', format: 'uri' } }, true],
	['an image', { image: { type: 'string' } }, true],
	['several images', { image_urls: { type: 'array', items: { type: 'string', format: 'uri' } } }, true],
	[
		'an image or nothing',
		{ mask_url: { anyOf: [{ type: 'string', format: 'uri' }, { type: 'null' }] } },
		true,
	],
	['the size of an image', { image_size: { enum: ['small', 'large'] } }, false],
])('the picker for edits begins with a model that takes %s: %j', async (_, fields, isFirst) => {
	catalogue([
		painter({ properties: { prompt: { type: 'string' } } }, { id: 'acme/first' }),
		painter({ properties: fields }),
		painter({ properties: fields }, { media_type: 'video', id: 'v' }),
	]);
	const context = editorContext({ node: 'mediaTask', parameters: {}, credential });
	const { results } = await new MediaTask().methods.listSearch.searchImageEditModels.call(context);
	expect(results.map(({ value }) => value)).toStrictEqual(
		isFirst ? ['acme/painter', 'acme/first'] : ['acme/first', 'acme/painter'],
	);
});

it.each([
	['another currency', 'USD', 'tiered'],
	['another type', 'RUB', 'per_second'],
])('a price of %s is not shown', async (_, currency, type) => {
	catalogue([painter(quality, { pricing: { currency, type, tiers: tiers(['draft', '1'], ['high', '2']) } })]);
	const context = editorContext({ node: 'mediaTask', parameters: {}, credential });
	const { results } = await new MediaTask().methods.listSearch.searchImageModels.call(context);
	expect(results.map(({ name }) => name)).toStrictEqual(['acme/painter']);
});
