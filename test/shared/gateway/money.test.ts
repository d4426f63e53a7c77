import fc from 'fast-check';

import { millionTokenPrice } from '../../../nodes/shared/gateway/money';

describe('the price of a million tokens', () => {
	test.each([
		['0.0003', '300'],
		['0.000000125', '0.125'],
		['1.5e-7', '0.15'],
		['3E-4', '300'],
		['0', '0'],
		['12', '12000000'],
		['.00000025', '0.25'],
		['1e-12', '0.000001'],
	])('%s a token is %s', (perToken, price) => expect(millionTokenPrice(perToken)).toBe(price));

	test.each([undefined, '', 'free', '-1', '1,5', '.', 'e5'])('%j is no price', (value) => {
		expect(millionTokenPrice(value)).toBeUndefined();
	});

	it('is exact: no digit comes or goes', () => {
		fc.assert(
			fc.property(
				fc.bigInt({ min: 0n, max: 10n ** 20n }),
				fc.integer({ min: 0, max: 18 }),
				(digits, scale) => {
					const text = digits.toString().padStart(scale + 1, '0');
					const perToken = scale === 0 ? text : `${text.slice(0, -scale)}.${text.slice(-scale)}`;
					const [whole = '0', fraction = ''] = (millionTokenPrice(perToken) ?? '').split('.');
					const back = BigInt(whole + fraction.padEnd(18, '0'));
					expect(back).toBe(digits * 10n ** BigInt(24 - scale));
				},
			),
		);
	});
});
