import { type MediaModel, type PriceTier, taskPrice } from '../../../nodes/shared/gateway/media/price';
import type { Json, JsonObject } from '../../../nodes/shared/gateway/util/json';

const model = (tiers: PriceTier[], more: Partial<MediaModel> = {}): MediaModel => ({
	id: 'm',
	tiers,
	inputSchema: { properties: { quality: { default: 'standard' }, n: { type: 'integer', default: 1 } } },
	record: {},
	...more,
});
const tier = (price: string, params: JsonObject = {}): PriceTier => ({ params, price });
const priceOf = (tiers: PriceTier[], input: JsonObject) => taskPrice(model(tiers), input).rub;

describe('the tier of an input (§2.2)', () => {
	const tiers = [
		tier('2', { quality: 'draft' }),
		tier('6', { quality: 'standard' }),
		tier('12', { quality: 'high' }),
		tier('18.50', { quality: 'high', size: 'large' }),
	];

	test.each<[string, JsonObject, string | undefined]>([
		['is the one that matches', { quality: 'draft' }, '2'],
		['is chosen with the defaults', {}, '6'],
		['is the matching one with the most parameters', { quality: 'high', size: 'large' }, '18.50'],
		['is another one where those parameters do not match', { quality: 'high', size: 'small' }, '12'],
		['does not exist without a match', { quality: 'divine' }, undefined],
	])('%s', (_, input, price) => expect(priceOf(tiers, input)).toBe(price));

	test.each<[string, JsonObject, JsonObject]>([
		['a number given as text', { n: 5 }, { n: '5' }],
		['text of the catalogue, a number given', { n: '5' }, { n: 5 }],
		['5.0 is 5', { n: '5.0' }, { n: 5 }],
		['booleans', { loop: true }, { loop: 'true' }],
		['1e1 is 10', { n: 10 }, { n: '1e1' }],
		['null of the catalogue, nothing given', { loop: null }, {}],
		['null of both', { loop: null }, { loop: null }],
		['null, which means the default', { n: '1' }, { n: null }],
	])('matches equal forms of a value: %s', (_, params, input) => {
		expect(priceOf([tier('1', params)], input)).toBe('1');
	});

	it.each<[string, JsonObject, JsonObject]>([
		['an unset value for false', { loop: false }, {}],
		['null for zero', { loop: 0 }, { loop: null }],
		['null for empty text', { loop: '' }, { loop: null }],
		['false for nothing', { loop: null }, { loop: false }],
		['1 for true', { loop: true }, { loop: 1 }],
		['empty text for zero', { loop: 0 }, { loop: '' }],
		['text in another case', { loop: 'Yes' }, { loop: 'yes' }],
		['a list for its only element', { a: 1 }, { a: [1] }],
		['the text "null" for null', { a: null }, { a: 'null' }],
		['an object for its text', { a: '[object Object]' }, { a: {} }],
		['a number for text', { a: 'many' }, { a: 5 }],
		['one value of two', { n: 1, quality: 'draft' }, { quality: 'high' }],
	])('does not match %s', (_, params, input) => expect(priceOf([tier('1', params)], input)).toBeUndefined());

	it('uses zero and false instead of the defaults', () => {
		expect(priceOf([tier('1', { n: 0 }), tier('2', { n: 1 })], { n: 0 })).toBe('1');
		expect(priceOf([tier('1', { n: 'false' }), tier('2', { n: 1 })], { n: false })).toBe('1');
	});

	it('is the one without parameters where no other matches', () => {
		expect(priceOf([...tiers, tier('1')], { quality: 'divine' })).toBe('1');
		expect(priceOf([...tiers, tier('1')], { quality: 'draft' })).toBe('2');
	});

	it('has a reason where there is no price', () => {
		expect(taskPrice(model([]), {}).reason).toContain('has no price per task in rubles');
		expect(taskPrice(model(tiers), { quality: 'x' }).reason).toMatch(/no single .* 'quality', 'size'\.$/);
	});

	it('is unknown where several tiers match equally, unless they cost the same', () => {
		const alike = [tier('1', { n: 1 }), tier('2', { quality: 'standard' })];
		expect(taskPrice(model(alike), {}).reason).toMatch(/no single price .*'n', 'quality'\.$/);
		expect(priceOf([...alike, tier('3', { n: 1, quality: 'standard' })], {})).toBe('3');
		expect(
			priceOf([tier('1', { n: 1 }), tier('1', { quality: 'standard' }), tier('2', { n: '1' })], {}),
		).toBeUndefined();
		expect(priceOf([tier('1.0', { n: 1 }), tier('1', { quality: 'standard' })], {})).toBe('1.0');
	});

	it('is unknown where a tier that may apply has a list of values', () => {
		const lists = model([tier('90', { duration: [5, 10], quality: 'high' }), tier('1')]);
		expect(taskPrice(lists, { quality: 'high' }).reason).toMatch(/depends on 'duration' in a way/);
		expect(taskPrice(lists, { quality: 'draft' }).rub).toBe('1');
	});

	it('is unknown where the catalogue has no price for the values', () => {
		const ultra: PriceTier = { params: { quality: 'ultra' }, price: null };
		const withUltra = model([tier('1.80'), ultra]);
		expect(taskPrice(withUltra, { quality: 'ultra' })).toStrictEqual({
			reason: "The catalogue has no single price for these values. Prices depend on 'quality'.",
		});
		expect(taskPrice(model([{ params: {}, price: null }]), {}).reason).toMatch(/for these values\.$/);
		expect(taskPrice(withUltra, {}).rub).toBe('1.80');
		expect(priceOf([ultra, { ...ultra }], { quality: 'ultra' })).toBeUndefined();
		expect(priceOf([ultra, tier('5', { n: 1 })], { quality: 'ultra' })).toBeUndefined();
	});

	describe('of a schema that is a union', () => {
		const union = (branches: JsonObject[], shared: JsonObject = {}) => {
			const prices = [tier('2', { quality: 'draft' }), tier('12', { quality: 'high' })];
			return model(prices, { inputSchema: { oneOf: branches, ...shared } });
		};
		const branch = (mode: string, quality: Json, required = ['mode']) => ({
			properties: { mode: { const: mode }, quality: { default: quality } },
			required,
		});
		const both = [branch('pro', 'high'), branch('fast', 'draft')];
		const oneDefault = [branch('pro', 'high', []), { properties: {} }];
		const sameDefault = [branch('pro', 'high'), branch('fast', 'high')];
		const shared = { properties: { quality: { default: 'draft' } } };

		test.each<[string, MediaModel, JsonObject, string | undefined]>([
			['is unknown if the alternatives have other defaults', union(both), { mode: 'pro' }, undefined],
			['is known if the input says all', union(both), { quality: 'draft' }, '2'],
			['is unknown if an alternative has no default', union(oneDefault), {}, undefined],
			['is known if all alternatives have the same default', union(sameDefault), {}, '12'],
			['has the default that all share', union(both, shared), {}, '2'],
		])('%s', (_, of, input, price) => expect(taskPrice(of, input).rub).toBe(price));
	});
});
