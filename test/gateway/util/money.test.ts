import fc from 'fast-check';

import {
	addToTotal,
	compareDecimals,
	twoDecimals,
	millionTokenPrice,
	multiplyDecimals,
	rubles,
	sumOfCosts,
} from '../../../nodes/shared/gateway/util/money';

describe('the price of a million tokens', () => {
	test.each([
		['0.0003', '300'],
		['1.5e-7', '0.15'],
		['0', '0'],
		['.00000025', '0.25'],
		['1E-7', '0.1'],
		['1e+2', '100000000'],
		['0.000001', '1'],
		['000.5', '500000'],
		['0e5', '0'],
		['-0', '0'],
		['+2', '2000000'],
		['0.00001230', '12.3'],
		['5.', '5000000'],
		[' 0.5\n', '500000'],
		['123456789012345678901234567890.000000000001', '123456789012345678901234567890000000.000001'],
		['1e-100', `0.${'0'.repeat(93)}1`],
		['1e100', `1${'0'.repeat(106)}`],
	])('%s a token is %s', (perToken, price) => expect(millionTokenPrice(perToken)).toBe(price));

	// What is no decimal: `comparing amounts`.
	test.each([undefined, '', 'free', '-1', '-1e-9', '1,5', '1e1000'])('%j is not a price', (value) => {
		expect(millionTokenPrice(value)).toBeUndefined();
	});

	it('is exact to the last digit', () => {
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
		['99999999999999999999.01', '0.99', '100000000000000000000'],
		['1e3', '1E-7', '1000.0000001'],
		['1e+2', '+.5', '100.5'],
		['-0', '-0.0', '0'],
		['0.05', '-0.1', '-0.05'],
		['-1', '-2', '-3'],
		[' 1 ', '1', '2'],
	])('%s + %s = %s', (a, b, sum) => expect(addToTotal(a, b)).toBe(sum));

	test.each([
		['0.3', '0.1', '0.2'],
		['0', '0.001', '-0.001'],
		['1e3', '1', '999'],
		['-0', '-0', '0'],
	])('%s - %s = %s', (a, b, difference) => expect(addToTotal(a, b, -1)).toBe(difference));

	it('subtracting what was added returns the same amount', () => {
		const amount = fc
			.tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.integer({ min: 0, max: 12 }))
			.map(([digits, scale]) => `${digits}e-${scale}`);
		fc.assert(
			fc.property(amount, amount, (a, b) => {
				expect(compareDecimals(addToTotal(addToTotal(a, b), b, -1), a)).toBe(0);
			}),
		);
	});

	test.each([
		['1', 'much'],
		['much', '1'],
	])('stay the same total for what is not a decimal: %j and %j', (a, b) => expect(addToTotal(a, b)).toBe(a));
});

describe('comparing amounts', () => {
	test.each([
		['1e3', '1000', 0],
		['1E-7', '0.0000001', 0],
		['-0', '0', 0],
		['-0', '1E-7', -1],
		['+5', '5.', 0],
		['-1e3', '-999', -1],
		['12345678901234567890.1', '12345678901234567890.2', -1],
		['12345678901234567890.10', '12345678901234567890.1', 0],
		['1e-300', '2e-300', -1],
		['1e300', '1e299', 1],
	])('%s and %s', (a, b, sign) => expect(compareDecimals(a, b)).toBe(sign));

	const none = ['', ' ', '1 2', ...'. + - e3 .e5 1e 1e3.5 1e1000 1.2.3 x1 1x 0x10'.split(' ')];
	test.each([...none, 'Infinity', 'NaN'])('%j is not a decimal, on either side', (text) => {
		expect(compareDecimals(text, '1')).toBeUndefined();
		expect(compareDecimals('1', text)).toBeUndefined();
	});
});

describe('the product of two decimals', () => {
	test.each([
		['0.000009', '123', '0.001107'],
		['1.80', '1', '1.8'],
		['1e-7', '3', '0.0000003'],
		['1e2', '2.5', '250'],
		['2', '0', '0'],
		['0.0625', '1000000', '62500'],
	])('%s × %s = %s', (a, b, product) => {
		expect(multiplyDecimals(a, b)).toBe(product);
		expect(multiplyDecimals(b, a)).toBe(product);
	});

	it('is unknown for what is not a decimal', () => {
		expect(multiplyDecimals('', '1')).toBeUndefined();
		expect(multiplyDecimals('1', 'x')).toBeUndefined();
	});
});

describe('the sum of costs', () => {
	test.each([
		[[], '0'],
		[['0.1', '0.2'], '0.3'],
		[['1.50', '2.50'], '4'],
		[['1e-9', '10', '0'], '10.000000001'],
	])('%j → %s', (costs, sum) => expect(sumOfCosts(...costs)).toBe(sum));

	it('is unknown if one is not a decimal', () => {
		expect(sumOfCosts('1', '', '2')).toBeUndefined();
	});
});

test.each(['1', '0', '+1.', '.1', '1e'])('reads %j 100,000 times in linear time', (part) => {
	expect(compareDecimals(`${part.repeat(100_000)}x`, '0')).toBeUndefined();
});

it.each([
	['12.3', '12.30'],
	['7', '7.00'],
	['1e3', '1000.00'],
	['1234567.891', '1234567.89'],
	['99.999', '99.99'],
	['-0.5', '-0.50'],
	['-3.501', '-3.51'],
	['0.001', '0.00'],
	['not a number', 'not a number'],
])('%s with two decimals, rounded down, is %s', (amount, text) => expect(twoDecimals(amount)).toBe(text));

test.each([
	['5.4', '₽5.40'],
	['11250', '₽11\u00a0250'],
	['1234567.891', '₽1\u00a0234\u00a0567.89'],
	['983.517526', '₽983.52'],
	['0', '₽0'],
	['0.5', '₽0.50'],
	['0.03402', '₽0.034'],
	['0.00036', '₽0.00036'],
	['0.0000512', '₽0.000051'],
	['1e-7', '₽0.0000001'],
	['0.99999', '₽1'],
	['-3.5', '-₽3.50'],
	['much', '₽much'],
])('%s is shown as %s', (amount, shown) => {
	expect(rubles(amount)).toBe(shown);
});
