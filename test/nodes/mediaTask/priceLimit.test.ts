import fc from 'fast-check';

import { checkPriceLimit } from '../../../nodes/MediaTask/operations/task/priceLimit';
import type { TaskPrice } from '../../../nodes/shared/gateway/media/price';

const priceError = (word: string) =>
	expect.objectContaining({
		message: expect.stringContaining(word) as string,
		param: 'maxPriceRub',
	}) as Error;
const price = (amount: string | null, more: Partial<TaskPrice> = {}) =>
	({ price: amount, currency: 'RUB', matched: null, ...more }) as TaskPrice;

describe('the highest price', () => {
	it.each([
		['12.00', '12'],
		['12.00', '12.01'],
		['0.00', '0'],
		['9.99', '10'],
		['0.1', '0.10'],
		['100000000000000000.01', '100000000000000000.02'],
	])('allows a price of %s with a limit of %s', (amount, limit) => {
		expect(() => checkPriceLimit(price(amount), limit)).not.toThrow();
	});

	it.each([
		['12.00', '11.99'],
		['0.01', '0'],
		['10', '9.99'],
		['100000000000000000.02', '100000000000000000.01'],
	])('rejects a price of %s with a limit of %s', (amount, limit) => {
		expect(() => checkPriceLimit(price(amount), limit)).toThrow(priceError(`₽${amount}`));
	});

	it('rejects a price that is not a number', () => {
		expect(() => checkPriceLimit(price('cheap'), '100')).toThrow(priceError('cheap'));
	});

	it('rejects an unknown price, with the reason', () => {
		const unknown = price(null, { reason: 'No tier fits.' });
		expect(() => checkPriceLimit(unknown, '100')).toThrow(
			expect.objectContaining({
				message: expect.stringContaining('is unknown') as string,
				description: expect.stringContaining('No tier fits.') as string,
				param: 'maxPriceRub',
			}) as Error,
		);
	});

	it('rejects a price in another currency, with the currency', () => {
		expect(() => checkPriceLimit(price('1.00', { currency: 'USD' }), '100')).toThrow(
			expect.objectContaining({
				description: expect.stringContaining('USD') as string,
				param: 'maxPriceRub',
			}) as Error,
		);
	});

	it('allows exactly the prices up to the limit in kopecks', () => {
		const amount = (kopecks: number) => (kopecks / 100).toFixed(2);
		const kopecks = fc.nat(1_000_000);
		fc.assert(
			fc.property(kopecks, kopecks, (cost, limit) => {
				let passes = true;
				try {
					checkPriceLimit(price(amount(cost)), amount(limit));
				} catch {
					passes = false;
				}
				expect(passes).toBe(cost <= limit);
			}),
		);
	});
});
