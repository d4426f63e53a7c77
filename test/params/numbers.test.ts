import fc from 'fast-check';

import { integer, number } from '../../nodes/shared/params/kinds';
import { invalidInput } from '../helpers/invalidInput';
import { readParameter } from './support';

interface Range {
	min?: number;
	max?: number;
}

const numberOrInteger = (range: Range, isWhole: boolean) =>
	(isWhole ? integer : number)({ displayName: 'Field', default: 0, ...range });

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
	])('are in the hint: %j', (range, isWhole, hint) => {
		const { description } = invalidInput(() => readParameter(numberOrInteger(range, isWhole), 'x'));
		expect(description).toBe(hint);
	});
});
