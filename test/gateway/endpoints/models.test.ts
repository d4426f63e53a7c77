import {
	listMediaModels,
	listTextModels,
	type TextModel,
} from '../../../nodes/shared/gateway/endpoints/models';
import { type MediaModel } from '../../../nodes/shared/gateway/media/price';
import type { Json, JsonObject } from '../../../nodes/shared/gateway/util/json';
import { apiErrorOf, closedGate, scriptedClient } from '../../helpers/client';

const dependencies = { gate: closedGate() };
const listing = (data: Json) =>
	scriptedClient([{ body: JSON.stringify({ object: 'list', data }) }], {}, { dependencies });
const textModel = async (record: JsonObject) => (await listTextModels(listing([record]).client))[0];
const mediaModel = async (record: JsonObject) => (await listMediaModels(listing([record]).client))[0];

describe.each([
	['/models', listTextModels],
	['/media/models', listMediaModels],
] as const)('the catalogue %s', (path, list) => {
	it('is requested once and at once, whatever the rate limit of the account, with a timeout of a minute', async () => {
		const { client, sent, pauses } = listing([]);
		await expect(list(client)).resolves.toStrictEqual([]);
		const url = `https://gateway.test/api/v1${path}`;
		expect(sent).toMatchObject([{ method: 'GET', url, kind: 'catalogue', timeoutMs: 60_000 }]);
		expect(pauses).toStrictEqual([]);
	});

	it('leaves out entries without an ID', async () => {
		const { client } = listing([null, {}, { id: null }, { id: '' }, { id: 7 }, 'm', { id: 'm' }]);
		expect((await list(client)).map(({ id }) => id)).toStrictEqual(['7', 'm']);
	});

	it.each<[string, JsonObject]>([
		['no list', {}],
		['a list of another name', { models: [{ id: 'm' }] }],
		['an object', { data: { id: 'm' } }],
		['a text', { data: '[]' }],
	])('is unreadable with %s', async (_, body) => {
		const { details } = await apiErrorOf(list(scriptedClient([{ body: JSON.stringify(body) }]).client));
		expect(details).toMatchObject({
			code: 'unreadable_answer',
			message: 'The gateway’s response has no list of models',
		});
	});
});

it.each<[string, JsonObject, Partial<TextModel>]>([
	[
		'texts',
		{ context_length: '128000', cost_context: '0.00001', cost_completion: '4e-5' },
		{ contextLength: 128_000, costContext: '0.00001', costCompletion: '4e-5' },
	],
	[
		'numbers',
		{ context_length: 128_000, cost_context: 0, cost_completion: 1e-7 },
		{ contextLength: 128_000, costContext: '0', costCompletion: '1e-7' },
	],
	['nothing', {}, {}],
	['a window of 0', { context_length: 0 }, {}],
	['a window below 0', { context_length: '-1' }, {}],
	['null', { context_length: null, cost_context: null, cost_completion: null }, {}],
	['text for numbers', { context_length: 'long', cost_context: 'free', cost_completion: '' }, {}],
])('a text model (§2.1) is read from %s', async (_, fields, read) => {
	const record = { id: 'm', name: null, ...fields };
	expect(await textModel(record)).toStrictEqual({
		id: 'm',
		contextLength: undefined,
		costContext: undefined,
		costCompletion: undefined,
		...read,
		record,
	});
});

describe('a media model (§2.2)', () => {
	it('has all its fields', async () => {
		const record = {
			id: 'm',
			object: 'model',
			owned_by: 'o',
			media_type: 'video',
			pricing: { currency: 'RUB', type: 'tiered', tiers: [{ params: { n: null }, price: '1.50' }] },
			input_schema: { properties: { n: { default: null } } },
		};
		expect(await mediaModel(record)).toStrictEqual<MediaModel>({
			id: 'm',
			ownedBy: 'o',
			mediaType: 'video',
			tiers: [{ params: { n: null }, price: '1.50' }],
			inputSchema: { properties: { n: { default: null } } },
			record,
		});
	});

	it.each<[string, JsonObject]>([
		['nothing', {}],
		['null', { owned_by: null, media_type: null, pricing: null, input_schema: null }],
		['other shapes', { owned_by: 1, media_type: 'scent', pricing: [], input_schema: 'any' }],
		['prices of nothing', { pricing: { currency: null, tiers: null } }],
	])('is read from %s', async (_, fields) => {
		const record = { id: 'm', ...fields };
		expect(await mediaModel(record)).toStrictEqual<MediaModel>({
			id: 'm',
			ownedBy: undefined,
			mediaType: undefined,
			tiers: [],
			inputSchema: {},
			record,
		});
	});

	it.each<[Json | undefined, Json]>([
		['per_second', 'RUB'],
		['Tiered', 'RUB'],
		['', 'RUB'],
		[null, 'RUB'],
		[undefined, 'RUB'],
		['tiered', 'USD'],
	])('has no price of another type or currency: %j, %j', async (type, currency) => {
		const pricing = { currency, type: type as Json, tiers: [{ params: {}, price: '1.50' }] };
		expect((await mediaModel({ id: 'm', pricing }))?.tiers).toStrictEqual([]);
	});

	it('has all tiers, also those without a price', async () => {
		const tiers = [
			null,
			{ params: { n: 1 } },
			{ params: { n: 2 }, price: null },
			{ params: { n: 3 }, price: 'free' },
			{ params: { n: 4 }, price: '-1' },
			{ params: null, price: 4.5 },
			{ price: '5' },
			{ params: [], price: '0' },
		];
		expect((await mediaModel({ id: 'm', pricing: { type: 'tiered', tiers } }))?.tiers).toStrictEqual([
			{ params: { n: 1 }, price: null },
			{ params: { n: 2 }, price: null },
			{ params: { n: 3 }, price: null },
			{ params: { n: 4 }, price: null },
			{ params: {}, price: '4.5' },
			{ params: {}, price: '5' },
			{ params: {}, price: '0' },
		]);
	});
});
