import fc from 'fast-check';

import { addDecimals, compareDecimals, millionTokenPrice } from '../../../nodes/shared/gateway/money';

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

describe('sums of money', () => {
	test.each([
		['0.1', '0.2', '0.3'],
		['1e2', '0.05', '100.05'],
		['-1', '0.5', '-0.5'],
		['5', '-5', '0'],
		['99999999999999999999.01', '0.99', '100000000000000000000.00'],
	])('%s + %s = %s', (a, b, sum) => expect(addDecimals(a, b)).toBe(sum));

	it('take away what they add, exactly', () => {
		const amount = fc
			.tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.integer({ min: 0, max: 12 }))
			.map(([digits, scale]) => `${digits}e-${scale}`);
		fc.assert(
			fc.property(amount, amount, (a, b) => {
				const sum = addDecimals(a, b) ?? '';
				expect(compareDecimals(addDecimals(sum, b, -1) ?? '', a)).toBe(0);
			}),
		);
	});

	it('are none of what is no decimal', () => expect(addDecimals('1', 'much')).toBeUndefined());
});
