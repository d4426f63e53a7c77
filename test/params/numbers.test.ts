import fc from 'fast-check';

import { decimal, integer, number, optional } from '../../nodes/shared/params/kinds';
import type { Parameter } from '../../nodes/shared/params/parameter';
import { invalidInput } from '../helpers/invalidInput';
import { places, readParameter } from './support';

const displayName = 'Field';

describe.each(places)('%s that is a number', (_, read) => {
	it.each([
		[7, 7],
		['7', 7],
		[' 7.5 ', 7.5],
		[0, 0],
		['0', 0],
		['-1e3', -1000],
	])('reads %j as %j', (value, expected) => {
		expect(read(number({ displayName, default: 3 }), value)).toBe(expected);
		expect(read(optional(number({ displayName, default: 3 })), value)).toBe(expected);
	});

	it('takes its default when it is not there', () => {
		expect(read(number({ displayName, default: 3 }), undefined)).toBe(3);
		expect(read(integer({ displayName, default: 3 }), undefined)).toBe(3);
	});

	it.each(['', null, undefined])('is not set with %j where it is optional', (value) => {
		expect(read(optional(number({ displayName, default: 3 })), value)).toBeUndefined();
	});

	it.each(['seven', '7 s', ' ', NaN, Infinity, -Infinity, 'NaN', 'Infinity', true, {}, [7]])(
		'rejects %p',
		(value) => {
			expect(invalidInput(() => read(number({ displayName, default: 3 }), value)).param).toBe('field');
		},
	);
});

interface Range {
	min?: number;
	max?: number;
}

const numberOrInteger = (range: Range, isWhole: boolean) =>
	isWhole ? integer({ displayName, default: 0, ...range }) : number({ displayName, default: 0, ...range });

describe('the bounds of a number', () => {
	it('apply to every value', () => {
		const bound = (name: string) =>
			fc.option(fc.integer({ min: -20, max: 20 }).map((value) => ({ [name]: value })));
		fc.assert(
			fc.property(
				bound('min'),
				bound('max'),
				fc.boolean(),
				fc.double({ min: -25, max: 25, noNaN: true }),
				fc.boolean(),
				(min, max, isWhole, double, rounded) => {
					const range: Range = { ...min, ...max };
					const value = rounded ? Math.round(double) : double;
					const fits =
						value >= (range.min ?? -Infinity) &&
						value <= (range.max ?? Infinity) &&
						(!isWhole || value % 1 === 0);
					const read = () => readParameter(numberOrInteger(range, isWhole), value);
					expect(fits ? read() : invalidInput(read).param).toBe(fits ? value : 'field');
				},
			),
		);
	});

	it.each<[Range, boolean, string]>([
		[{ min: 1, max: 9 }, true, 'Enter a whole number from 1 to 9.'],
		[{ min: 1 }, false, 'Enter a number of at least 1.'],
		[{ max: 9 }, false, 'Enter a number of at most 9.'],
		[{}, true, 'Enter a whole number.'],
		[{}, false, 'Enter a number.'],
	])('are in the hint: %j', (range, isWhole, hint) => {
		const error = invalidInput(() => readParameter(numberOrInteger(range, isWhole), 'x'));
		expect(error.description).toBe(`${hint}`);
	});

	it.each([
		[number({ displayName, default: 1 }), {}],
		[
			number({ displayName, default: 1, min: 0, max: 2, decimals: 3 }),
			{ minValue: 0, maxValue: 2, numberPrecision: 3 },
		],
		[integer({ displayName, default: 1, min: 1 }), { minValue: 1, numberPrecision: 0 }],
	])('are the same in the panel (%#)', (parameter, typeOptions) => {
		expect(parameter.property('field')).toStrictEqual({
			displayName,
			name: 'field',
			type: 'number',
			default: 1,
			typeOptions,
		});
	});
});

it.each(['', null])('a parameter that is a number or an amount rejects %j', (value) => {
	const parameters: Array<Parameter<unknown>> = [
		number({ displayName, default: 3 }),
		decimal({ displayName, default: 10 }),
	];
	for (const parameter of parameters) {
		const { message, param } = invalidInput(() => readParameter(parameter, value));
		expect(message).toBe(`'Field' has a value that is not allowed: ${JSON.stringify(value)}`);
		expect(param).toBe('field');
	}
});

describe.each(places)('%s that is an amount', (_, read) => {
	const parameter = decimal({ displayName, default: 10 });

	it.each([
		['12.50', '12.50'],
		[' 0.30000000000000000001 ', '0.30000000000000000001'],
		[12.5, '12.5'],
		[0, '0'],
		['1e-20', '1e-20'],
		[undefined, '10'],
	])('reads %j as %j, digit by digit', (value, expected) => {
		expect(read(parameter, value)).toBe(expected);
	});

	it.each([-1, '-0.01', '12,50', 'cheap', ' ', true, NaN])('rejects %p', (value) => {
		const error = invalidInput(() => read(parameter, value));
		expect(error.message).toContain(`not allowed: ${JSON.stringify(value)}`);
		expect(error.description).toContain('at least 0, with a point before the decimals');
	});

	it('rejects an object', () => {
		expect(invalidInput(() => read(parameter, { amount: 1 })).message).toContain("'Field' is not text");
	});
});
