import fc from 'fast-check';

import { OptionReader } from '../../nodes/shared/params/optionReader';
import { refusal } from '../helpers/refusal';

// What only options can be.

/** The bounds of a number. */
type Range = { min?: number | undefined; max?: number | undefined; integer?: boolean };

const option = (value: unknown) => new OptionReader({ field: value });

describe('an option of several texts', () => {
	it.each<[unknown, string[] | undefined]>([
		['one', ['one']],
		[' one ', [' one ']],
		[
			['a', 'b'],
			['a', 'b'],
		],
		['["a", "b"]', ['a', 'b']],
		[' \n["a"]', ['a']],
		['[not json', ['[not json']],
		['a [1]', ['a [1]']],
		['"quoted"', ['"quoted"']],
		['{"a": 1}', ['{"a": 1}']],
		['null', ['null']],
		['[null]', undefined],
		[
			[['a', 'b'], 'c'],
			['a', 'b', 'c'],
		],
		['[["a"], "b"]', ['a', 'b']],
		[
			[1, true, 0, false],
			['1', 'true', '0', 'false'],
		],
		[7, ['7']],
		[
			['a', '', null, undefined, 'b'],
			['a', 'b'],
		],
		[[], undefined],
		['[]', undefined],
		['', undefined],
		[null, undefined],
		[undefined, undefined],
	])('%j is %j', (value, texts) => {
		expect(option(value).texts('field', 'Field')).toStrictEqual(texts);
	});

	it.each([{ a: 1 }, [{ a: 1 }], '[{"a": 1}]', [[['deep']]]])('%j is refused', (value) => {
		expect(refusal(() => option(value).texts('field', 'Field')).param).toBe('field');
	});
});

describe('an option that is a JSON list', () => {
	it.each([
		['[1, "a"]', [1, 'a']],
		[[1], [1]],
		['[]', []],
		['', undefined],
		[null, undefined],
	])('%j is %j', (value, list) => {
		expect(option(value).list('field', 'Field')).toStrictEqual(list);
	});

	it.each(['[', 'a', '{}', { a: 1 }, 7])('%j is refused', (value) => {
		const error = refusal(() => option(value).list('field', 'Field'));
		expect(error.message).toContain(JSON.stringify(value));
		expect(error.description).toContain('JSON list');
	});
});

describe('an option that is a number', () => {
	const read = (value: unknown, range?: Range) => option(value).number('field', 'Field', range);

	it.each([
		[7, 7],
		['7', 7],
		[' 7.5 ', 7.5],
		[0, 0],
		['0', 0],
		['-1e3', -1000],
		['', undefined],
		[null, undefined],
		[undefined, undefined],
	])('%j is %j', (value, number) => {
		expect(read(value)).toBe(number);
	});

	it.each(['seven', '7 s', ' ', NaN, Infinity, -Infinity, 'NaN', 'Infinity', true, {}, [7]])(
		'%p is refused',
		(value) => {
			expect(refusal(() => read(value)).param).toBe('field');
		},
	);

	it('is taken within its bounds and nowhere else', () => {
		const bound = fc.option(fc.integer({ min: -20, max: 20 }), { nil: undefined });
		fc.assert(
			fc.property(
				bound,
				bound,
				fc.boolean(),
				fc.double({ min: -25, max: 25, noNaN: true }),
				fc.boolean(),
				(min, max, integer, double, whole) => {
					const value = whole ? Math.round(double) : double;
					const fits =
						value >= (min ?? -Infinity) && value <= (max ?? Infinity) && (!integer || value % 1 === 0);
					const taken = () => read(value, { min, max, integer });
					expect(fits ? taken() : refusal(taken).param).toBe(fits ? value : 'field');
				},
			),
		);
	});

	it.each<[Range, RegExp, RegExp]>([
		[{ min: 1, max: 9, integer: true }, /whole number from 1 to 9\./, /least|most/],
		[{ min: 1 }, /a number of at least 1\./, /whole|from|most/],
		[{ max: 9 }, /a number of at most 9\./, /whole|from|least/],
		[{}, /a number\./, /whole|from|least|most/],
	])('says what it takes: %j', (range, said, unsaid) => {
		const { description } = refusal(() => read('x', range));
		expect(description).toMatch(said);
		expect(description).not.toMatch(unsaid);
	});
});
