import fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';

import type { InvalidInputError } from '../../nodes/shared/gateway/errors/errors';
import { collection, rows } from '../../nodes/shared/params/groups';
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
	optional,
	several,
	text,
	texts,
} from '../../nodes/shared/params/kinds';
import { declare, type Parameter } from '../../nodes/shared/params/parameter';
import { NodeParameters, nodeParameters } from '../../nodes/shared/params/source';
import { webhookContext } from '../helpers/contexts';
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
		rejects: [7.5, '7.5'],
		problem: notAllowed,
		hint: 'Enter a whole number.',
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
		],
		missing: true,
		empty: false,
		rejects: [0, 1, 'yes', 'TRUE', {}],
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
			expect(readParameter(optional(parameter), given)).toStrictEqual(value);
		}
	});

	it('has its default where it is not there, and no value where it is optional', () => {
		expect(readParameter(parameter, undefined)).toStrictEqual(missing);
		expect(readOption(parameter, undefined)).toStrictEqual(missing);
		expect(readParameter(optional(parameter), undefined)).toBeUndefined();
	});

	it.each(['', null])('that is %j is no default, but an option that is not added', (given) => {
		expect(outcome(() => readParameter(parameter, given))).toStrictEqual(empty);
		expect(readOption(parameter, given)).toStrictEqual(missing);
		expect(readOption(optional(parameter), given)).toBeUndefined();
	});

	it('rejects other values, says which, and what to do', () => {
		for (const given of rejects) {
			for (const one of [parameter, optional(parameter)]) {
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
		[{ min: 1, max: 9 }, true, 'Enter a whole number from 1 to 9.'],
		[{ min: 1 }, false, 'Enter a number of at least 1.'],
	])('are in the hint: %j', (range, isWhole, hint) => {
		const { description } = invalidInput(() => readParameter(numberOrInteger(range, isWhole), 'x'));
		expect(description).toBe(hint);
	});
});

const parameter = rows({
	displayName: 'Input Files',
	group: 'files',
	groupLabel: 'File',
	fields: {
		name: text({ displayName: 'Name' }),
		other: optional(text({ displayName: 'Other' })),
		flag: flag({ displayName: 'Flag', default: true }),
		file: inputFile({ displayName: 'File', default: 'data' }),
	},
});

const read = (value: unknown) => readParameter(parameter, value);
const errorFields = ({ message, description, param }: InvalidInputError) => ({ message, description, param });

it.each<[unknown, string[]]>([
	[{ files: [{ name: 'a' }, { name: 'b' }], more: [{ name: 'c' }] }, ['a', 'b', 'c']],
	...[undefined, null, {}, { files: [] }, { files: null }, { files: 'none' }].map(
		(value) => [value, []] as [unknown, string[]],
	),
])('%j: reads the rows of all groups, in order', (value, names) => {
	expect(read(value).map(({ values }) => values.name)).toStrictEqual(names);
});

it.each(['text', '', 7, false, []])('rejects %j, which is not a list of rows', (value) => {
	expect(errorFields(invalidInput(() => read(value)))).toStrictEqual({
		message: "'Input Files' is not a list of rows",
		description: 'Add the rows in the panel.',
		param: 'field',
	});
});

it('reads the fields of a row like other parameters; errors name the row', () => {
	const [first, second] = read({ files: [{ flag: undefined }, { flag: 'maybe', name: 2, file: { id: 1 } }] });
	expect([second?.values.name, second?.values.other]).toStrictEqual(['2', undefined]);
	// What an expression returns nothing for is empty, and what is not there has its default.
	expect([first?.values.flag, first?.values.file.value]).toStrictEqual([false, 'data']);
	expect(errorFields(invalidInput(() => second?.values.flag))).toStrictEqual({
		message: `'Input Files', row 2: 'Flag' has a value that is not allowed: "maybe"`,
		description: 'It is true or false.',
		param: 'field',
	});
	const ofFile = second?.values.file.at.error('is empty', 'Fill it in.');
	expect(ofFile?.message).toBe("'Input Files', row 2: 'File' is empty");
	const ofRow = second?.at.error('is empty', 'Fill it in.');
	expect(ofRow && errorFields(ofRow)).toStrictEqual({
		message: "'Input Files', row 2: is empty",
		description: 'Fill it in.',
		param: 'field',
	});
});

const words = text({ displayName });
const model = locator({ displayName, modes: [], whenEmpty: 'Choose it.' });

/**
 * The parameters of a node for its items, and what n8n is asked.
 *
 * @param stored as the workflow stores them
 * @param resolve the value of a parameter for an item; the stored one by default
 */
function nodeOf(stored: INodeParameters, resolve?: (name: string, index: number) => unknown) {
	const requested: unknown[][] = [];
	const getNodeParameter = (...args: unknown[]) => {
		requested.push(args);
		const [name, index] = [String(args[0]), Number(args[1])];
		return resolve ? resolve(name, index) : stored[name];
	};
	const parameters = new NodeParameters({ getNodeParameter, getNode: () => ({ parameters: stored }) });
	return { requested, parameters };
}

/** Reads a parameter for three items, twice each; returns the items for which n8n is asked. */
function itemsRequested(parameter: Parameter<unknown>, value: INodeParameters[string]): unknown[] {
	const { requested, parameters } = nodeOf({ field: value });
	for (const index of [0, 1, 2]) {
		const values = declare({ field: parameter }).read(parameters.item(index));
		expect(values.field).toBe(values.field);
	}
	return requested.map(([, index]) => index);
}

const form = (value: object) => ({ mappingMode: 'defineBelow', value: { n: 1, ...value } });
const withId = (value: string) => ({ __rl: true, mode: 'id', value });

it.each<[string, Parameter<unknown>, INodeParameters[string], INodeParameters[string]]>([
	['text', words, 'a = b', '=a'],
	['a collection', collection({ name: words }), { name: 'a' }, { name: '={{ $json.a }}' }],
	[
		'rows',
		rows({ displayName, group: 'row', groupLabel: 'Row', fields: { name: words } }),
		{ row: [{ name: 'a' }] },
		{ row: [{ name: 'a' }, { name: '={{ $json.a }}' }] },
	],
	['a form', mapper({ displayName }), form({}), form({ prompt: '={{ $json.a }}' })],
	['a locator', model, withId('a'), withId('={{ $json.a }}')],
])('%s is requested once per run, with an expression once per item', (_, parameter, fixed, expression) => {
	expect(itemsRequested(parameter, fixed)).toStrictEqual([0]);
	expect(itemsRequested(parameter, expression)).toStrictEqual([0, 1, 2]);
});

describe('a locator that n8n does not reduce', () => {
	const read = (value: unknown) => nodeOf({ field: 'any' }, () => value).parameters.item(0)('field', words);

	it.each(['a/b', ''])('is read as its value: %j', (value) => {
		expect(read({ __rl: true, mode: 'id', value })).toBe(value);
	});

	it('is text in the form of ISO 8601, if it is a date', () => {
		expect(read(new Date(0))).toBe('1970-01-01T00:00:00.000Z');
	});

	it.each([{ value: 'a/b' }, { __rl: false, value: 'a/b' }, { __rl: 'true', value: 'a/b' }])(
		'is rejected without its mark: %j',
		(value) => {
			expect(invalidInput(() => read(value)).message).toBe("'Field' is not text");
		},
	);
});

it('n8n gives the parameters of a node without items, and the default of one that the panel hides', () => {
	const context = webhookContext(
		{
			node: 'mediaTaskTrigger',
			parameters: { events: '={{ "fa" + "il" }}', options: { archiveTask: '={{ 1 > 0 }}' } },
			mode: 'webhook',
			store: {},
		},
		{ body: {} },
	);
	const source = nodeParameters(context);
	const options = collection({ archiveTask: flag({ displayName: 'Archive', default: false }) });
	expect(source('events', words)).toBe('fail');
	expect(source('options', options).archiveTask).toBe(true);
	expect(source('threshold', number({ displayName, default: 5 }))).toBe(5);
});
