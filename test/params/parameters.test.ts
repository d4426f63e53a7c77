import fc from 'fast-check';

import {
	choice,
	decimal,
	flag,
	id,
	inputFile,
	integer,
	json,
	jsonList,
	jsonObject,
	locator,
	mapper,
	notice,
	number,
	several,
	text,
	texts,
} from '../../nodes/shared/params/kinds';
import { type Parameter } from '../../nodes/shared/params/parameter';
import { invalidInput } from '../helpers/invalidInput';
import { readOption, readParameter } from './support';

const displayName = 'Field';

const whenEmpty = 'Enter it.';
const example = '[some example]';

/** Stands for an error in place of a value. */
const REJECTED = Symbol('rejected');

interface Kind {
	parameter: Parameter<unknown>;
	/** Values that are read as they are. */
	keeps?: unknown[];
	/** Values, and what they are read as. */
	reads?: Array<[given: unknown, value: unknown]>;
	/** What it has where it is not there. */
	missing: unknown;
	/** What an empty text and null are read as. An option of them counts as not added. */
	empty: unknown;
	rejects?: unknown[];
	/** What errors say of a rejected value. */
	problem?: (given: unknown) => string;
	hint?: string;
}

const notAllowed = (given: unknown) => `has a value that is not allowed: ${JSON.stringify(given)}`;
const notText = () => 'is not text';
const kinds: Record<string, Kind> = {
	text: {
		parameter: text({ displayName, default: 'data' }),
		keeps: ['text', ' kept as it is ', '2024'],
		reads: [
			[2024, '2024'],
			[0, '0'],
			[false, 'false'],
			[true, 'true'],
			[new Date(0), '1970-01-01T00:00:00.000Z'],
		],
		missing: 'data',
		empty: 'data',
		rejects: [{}, [], ['a'], { text: 'a' }],
		problem: notText,
		hint: 'toJsonString().',
	},
	number: {
		parameter: number({ displayName, default: 3 }),
		keeps: [7, 0],
		reads: [
			['7', 7],
			[' 7.5 ', 7.5],
			['0', 0],
			['-1e3', -1000],
		],
		missing: 3,
		empty: REJECTED,
		rejects: ['seven', '7 s', ' ', NaN, Infinity, -Infinity, 'NaN', 'Infinity', true, {}, [7]],
		problem: notAllowed,
		hint: 'Enter a number.',
	},
	'whole number': {
		parameter: integer({ displayName, default: 3 }),
		keeps: [7],
		reads: [['7', 7]],
		missing: 3,
		empty: REJECTED,
		rejects: [7.5, '7.5', '1 000', '1,000'],
		problem: notAllowed,
		hint: 'Enter a whole number, without spaces or commas.',
	},
	amount: {
		parameter: decimal({ displayName, default: 10 }),
		reads: [
			['12.50', '12.5'],
			[' 0.1 ', '0.1'],
			[12.5, '12.5'],
			[0, '0'],
		],
		missing: '10',
		empty: REJECTED,
		rejects: [-1, '-0.01', '12,50', 'cheap', ' ', true, NaN, { amount: 1 }],
		problem: notAllowed,
		hint: 'Enter a number of at least 0, with a point before the decimals, e.g. 12.5.',
	},
	switch: {
		parameter: flag({ displayName, default: true }),
		keeps: [true, false],
		reads: [
			['true', true],
			['false', false],
			['TRUE', true],
			[' False ', false],
			['1', true],
			[0, false],
		],
		missing: true,
		empty: false,
		rejects: [2, 'yes', ' ', {}],
		problem: notAllowed,
		hint: 'It is true or false.',
	},
	choice: {
		parameter: choice({
			displayName,
			options: [
				{ name: 'Poll', value: 'poll' },
				{ name: 'Suspend', value: 'suspend' },
			],
			default: 'suspend',
		}),
		keeps: ['poll', 'suspend'],
		missing: 'suspend',
		empty: REJECTED,
		rejects: ['sleep', 'Poll', ' poll', 'pol', 7],
		problem: (given) => notAllowed(String(given)),
		hint: 'It takes one of: poll, suspend.',
	},
	texts: {
		parameter: texts({ displayName, default: ['x'] }),
		keeps: [['a', 'b']],
		reads: [
			['one', ['one']],
			[' one ', [' one ']],
			['"quoted"', ['"quoted"']],
			[
				[['a', 'b'], 'c'],
				['a', 'b', 'c'],
			],
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
		],
		missing: undefined,
		empty: undefined,
		rejects: [{ a: 1 }, [{ a: 1 }], [[['deep']]]],
		problem: notText,
	},
	'JSON object': {
		parameter: jsonObject({ displayName, default: '{"b": 2}', example }),
		keeps: [{ a: 1 }],
		reads: [
			['{"a": 1}', { a: 1 }],
			['{}', {}],
		],
		missing: { b: 2 },
		empty: REJECTED,
		rejects: ['{a: 1}', '[1]', '1', 'null', 7, [1], '{'],
		problem: (given) => `is not a JSON object: ${JSON.stringify(given)}`,
		hint: `It looks like ${example}. Check quotes`,
	},
	'JSON list': {
		parameter: jsonList({ displayName, default: '[]', example }),
		keeps: [[1]],
		reads: [
			['[1, "a"]', [1, 'a']],
			['[]', []],
		],
		missing: [],
		empty: REJECTED,
		rejects: ['[', 'a', '{}', { a: 1 }, 7],
		problem: (given) => `is not a JSON list: ${JSON.stringify(given)}`,
		hint: `It looks like ${example}. Check quotes`,
	},
	JSON: {
		parameter: json({ displayName, default: '[7]', example }),
		keeps: [[1], 0, false],
		reads: [
			['{"a": 1}', { a: 1 }],
			['[1]', [1]],
			['0', 0],
			['false', false],
			['""', ''],
		],
		missing: [7],
		empty: REJECTED,
		rejects: ['null', '{', 'text'],
		problem: (given) => `is not valid JSON: ${JSON.stringify(given)}`,
		hint: 'JSON.stringify($json.text)',
	},
	form: {
		parameter: mapper({ displayName }),
		keeps: [{ value: { a: 1 } }],
		reads: [[[1], undefined]],
		missing: { mappingMode: 'defineBelow', value: null },
		empty: undefined,
	},
	notice: {
		parameter: notice('Read this.'),
		reads: [['x', undefined]],
		missing: undefined,
		empty: undefined,
	},
	'several texts': {
		parameter: several(text({ displayName, default: 'data' }), /,/),
		keeps: [['a, b', 'c']],
		reads: [
			['one', ['one']],
			['one ,two,', ['one ', 'two']],
			[['a', '', null, undefined], ['a']],
			[7, ['7']],
			[' , ', ['data']],
			[[], []],
			[[''], ['data']],
		],
		missing: ['data'],
		empty: ['data'],
		rejects: [[{}]],
		problem: notText,
	},
};

const all = Object.entries(kinds).map(([name, kind]) => ({ name, ...kind }));

describe.each(all)('$name', (kind) => {
	const { parameter, keeps = [], reads = [], missing, empty, rejects = [], problem, hint = '' } = kind;
	/** Reads a value, or the message of its error. */
	const outcome = (read: () => unknown) => {
		if (empty !== REJECTED) return read();
		return invalidInput(read).param === 'field' ? REJECTED : undefined;
	};

	it('is read alike as a parameter and as an option', () => {
		for (const [given, value] of [...keeps.map((one) => [one, one]), ...reads]) {
			expect(readParameter(parameter, given)).toStrictEqual(value);
			expect(readOption(parameter, given)).toStrictEqual(value);
			expect(readParameter(parameter.optional(), given)).toStrictEqual(value);
		}
	});

	it('has its default where it is not there, and no value where it is optional', () => {
		expect(readParameter(parameter, undefined)).toStrictEqual(missing);
		expect(readOption(parameter, undefined)).toStrictEqual(missing);
		expect(readParameter(parameter.optional(), undefined)).toBeUndefined();
	});

	it.each(['', null])('that is %j is no default, but an option that is not added', (given) => {
		expect(outcome(() => readParameter(parameter, given))).toStrictEqual(empty);
		expect(readOption(parameter, given)).toStrictEqual(missing);
		expect(readOption(parameter.optional(), given)).toBeUndefined();
	});

	it('rejects other values, says which, and what to do', () => {
		for (const given of rejects) {
			for (const one of [parameter, parameter.optional()]) {
				for (const [read, subject] of [
					[readParameter, "'Field'"],
					[readOption, "The option 'Field'"],
				] as const) {
					const { message, description, param } = invalidInput(() => read(one, given));
					expect(message).toContain(`${subject} ${problem?.(given)}`);
					expect(description).toContain(hint);
					expect(param).toBe('field');
				}
			}
		}
	});
});

describe('what must not be empty', () => {
	const error = { message: "'Field' is empty", description: whenEmpty, param: 'field' };
	const [words, name] = [text({ displayName, whenEmpty }), id({ displayName, whenEmpty })];
	const model = locator({ displayName, modes: [], whenEmpty });
	const emptyModel = { __rl: true, mode: 'list', value: '' };

	it.each<[string, Parameter<unknown>, unknown[], unknown]>([
		['text', words, [], ' a b\n'],
		['an ID', name, [], 'a b'],
		['a locator', model, [emptyModel, { ...emptyModel, value: null }], 'a b'],
	])('%s is rejected with its hint', (_, parameter, others, value) => {
		for (const given of ['', '  ', '\n\t', null, undefined, ...others]) {
			const { message, description, param } = invalidInput(() => readParameter(parameter, given));
			expect({ message, description, param }).toStrictEqual(error);
		}
		expect(readParameter(parameter, ' a b\n')).toBe(value);
		expect(readParameter(parameter, { ...emptyModel, value: ' a b\n' })).toBe(value);
		expect(readParameter(parameter, 7)).toBe('7');
		expect(invalidInput(() => readParameter(parameter, { id: 'a/b' })).message).toBe("'Field' is not text");
	});

	it('has its default where it is not there, but not for an empty value', () => {
		const parameter = text({ displayName, whenEmpty, default: 'data' });
		expect(readParameter(parameter, undefined)).toBe('data');
		expect(invalidInput(() => readParameter(parameter, '')).message).toBe("'Field' is empty");
	});
});

describe('an input file', () => {
	const file = inputFile({ displayName, default: 'data' });

	it.each([
		['photo', 'photo'],
		['', ''],
		[null, ''],
		[undefined, 'data'],
		[{ id: 1 }, { id: 1 }],
	])('of %j is %j, with its parameter for errors about it', (given, value) => {
		const { value: read, at } = readParameter(file, given);
		expect(read).toStrictEqual(value);
		const { message, description, param } = at.error('is missing', 'Add it.');
		expect([message, description, param]).toStrictEqual(["'Field' is missing", 'Add it.', 'field']);
	});

	it.each(['', ' , ', null, ['']])('of several is one empty one for %j, and not the default', (given) => {
		const [found, ...others] = readParameter(several(file, /,/), given);
		expect([found?.value, others]).toStrictEqual(['', []]);
	});
});

describe('a rejected value', () => {
	const message = (given: string) =>
		invalidInput(() => readParameter(jsonObject({ displayName, default: '{}', example }), given)).message;

	it('that is no JSON is told with its position', () => {
		expect(message('{\n  "a": 1,\n}')).toMatch(
			/ \(Expected double-quoted property name in JSON at position 12.*\)$/,
		);
		expect(message('[1]')).toMatch(/: "\[1\]"$/);
	});
});

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
		[{ min: 1, max: 9 }, true, 'Enter a whole number from 1 to 9, without spaces or commas.'],
		[{ min: 1 }, false, 'Enter a number of at least 1.'],
	])('are in the hint: %j', (range, isWhole, hint) => {
		const { description } = invalidInput(() => readParameter(numberOrInteger(range, isWhole), 'x'));
		expect(description).toBe(hint);
	});
});
