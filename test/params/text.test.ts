import { choice, flag, id, inputFile, locator, optional, text } from '../../nodes/shared/params/kinds';
import { invalidInput } from '../helpers/invalidInput';
import { places, readOption, readParameter } from './support';

const displayName = 'Field';
const whenEmpty = 'Enter it.';

describe.each(places)('%s that is text', (_, read) => {
	it.each([
		['text', 'text'],
		[' kept as it is ', ' kept as it is '],
		['2024', '2024'],
		[2024, '2024'],
		[0, '0'],
		[false, 'false'],
		[true, 'true'],
		['', ''],
		[null, ''],
		[undefined, ''],
	])('reads %j as %j', (value, expected) => {
		expect(read(text({ displayName }), value)).toBe(expected);
		expect(read(optional(text({ displayName })), value)).toBe(expected === '' ? undefined : expected);
	});

	it.each(['', null, undefined])('takes its default for %j', (value) => {
		expect(read(text({ displayName, default: 'data' }), value)).toBe('data');
	});

	it.each([[{}], [[]], [['a']], [{ text: 'a' }]])('rejects %j', (value) => {
		const error = invalidInput(() => read(optional(text({ displayName })), value));
		expect(error.message).toMatch(/'Field' is not text$/);
		expect(error.description).toMatch(/toJsonString\(\)\.$/);
		expect(error.param).toBe('field');
	});
});

describe('text that must not be empty', () => {
	it.each(['', '  ', '\n\t', null, undefined])('rejects %j with the hint', (value) => {
		for (const parameter of [text({ displayName, whenEmpty }), id({ displayName, whenEmpty })]) {
			const { message, description, param } = invalidInput(() => readParameter(parameter, value));
			expect({ message, description, param }).toStrictEqual({
				message: "'Field' is empty",
				description: 'Enter it.',
				param: 'field',
			});
		}
	});

	it('takes its default when it is not there, but not for an empty value', () => {
		const parameter = text({ displayName, whenEmpty, default: 'data' });
		expect(readParameter(parameter, undefined)).toBe('data');
		for (const value of ['', null]) {
			expect(invalidInput(() => readParameter(parameter, value)).message).toBe("'Field' is empty");
		}
	});

	it('keeps white space in text, and trims an ID', () => {
		expect(readParameter(text({ displayName, whenEmpty }), ' a b\n')).toBe(' a b\n');
		expect(readParameter(id({ displayName, whenEmpty }), ' a b\n')).toBe('a b');
	});
});

describe('a locator', () => {
	const parameter = locator({ displayName, modes: [], whenEmpty });

	it.each([
		['a/b', 'a/b'],
		[' a/b\n', 'a/b'],
		[7, '7'],
		[{ __rl: true, mode: 'id', value: ' a/b ' }, 'a/b'],
	])('reads %j as %j', (value, expected) => {
		expect(readParameter(parameter, value)).toBe(expected);
	});

	it.each([
		'',
		' ',
		null,
		undefined,
		{ __rl: true, mode: 'list', value: '' },
		{ __rl: true, mode: 'list', value: null },
	])('rejects %j, which is empty', (value) => {
		const { message, description, param } = invalidInput(() => readParameter(parameter, value));
		expect({ message, description, param }).toStrictEqual({
			message: "'Field' is empty",
			description: 'Enter it.',
			param: 'field',
		});
	});

	it('rejects an object', () => {
		expect(invalidInput(() => readParameter(parameter, { id: 'a/b' })).message).toBe("'Field' is not text");
	});

	it('is an empty list by default', () => {
		expect(parameter.property('model')).toStrictEqual({
			displayName,
			name: 'model',
			type: 'resourceLocator',
			modes: [],
			default: { mode: 'list', value: '' },
		});
	});
});

describe.each(places)('%s that is a choice', (_, read) => {
	const parameter = choice({
		displayName,
		options: [
			{ name: 'Poll', value: 'poll' },
			{ name: 'Suspend', value: 'suspend' },
		],
		default: 'suspend',
	});

	it('reads each value that it lists', () => {
		expect(['poll', 'suspend'].map((value) => read(parameter, value))).toStrictEqual(['poll', 'suspend']);
		expect(read(optional(parameter), 'poll')).toBe('poll');
	});

	it('takes its default when it is not there', () => {
		expect(read(parameter, undefined)).toBe('suspend');
	});

	it.each(['', null, undefined])('is not set with %j where it is optional', (value) => {
		expect(read(optional(parameter), value)).toBeUndefined();
	});

	it.each(['sleep', 'Poll', ' poll', 'pol', 7])('rejects %j and lists the values', (value) => {
		for (const one of [parameter, optional(parameter)]) {
			const error = invalidInput(() => read(one, value));
			expect(error.message).toContain(`not allowed: ${JSON.stringify(String(value))}`);
			expect(error.description).toBe('It takes one of: poll, suspend.');
		}
	});
});

it.each(['', null])('a parameter that is a choice rejects %j, and one that is a switch is off', (value) => {
	const letters = choice({ displayName, options: [{ name: 'A', value: 'a' }], default: 'a' });
	expect(invalidInput(() => readParameter(letters, value)).message).toContain('not allowed: ""');
	expect(readParameter(flag({ displayName, default: true }), value)).toBe(false);
});

describe.each(places)('%s that is a switch', (_, read) => {
	it.each([
		[true, true],
		['true', true],
		[false, false],
		['false', false],
	])('reads %j as %j', (value, expected) => {
		for (const standard of [true, false]) {
			expect(read(flag({ displayName, default: standard }), value)).toBe(expected);
			expect(read(optional(flag({ displayName, default: standard })), value)).toBe(expected);
		}
	});

	it('takes its default when it is not there', () => {
		expect(read(flag({ displayName, default: true }), undefined)).toBe(true);
		expect(read(flag({ displayName, default: false }), undefined)).toBe(false);
	});

	it.each(['', null, undefined])('is not set with %j where it is optional', (value) => {
		expect(read(optional(flag({ displayName, default: true })), value)).toBeUndefined();
	});

	it.each([0, 1, 'yes', 'TRUE', {}])('rejects %j', (value) => {
		const error = invalidInput(() => read(flag({ displayName, default: true }), value));
		expect(error.message).toContain(JSON.stringify(value));
		expect(error.description).toBe('It is true or false.');
	});
});

describe('an input file', () => {
	const parameter = inputFile({ displayName: 'Input Binary Field', default: 'data' });

	it.each([
		['photo', 'photo'],
		['', ''],
		[null, ''],
		[{ id: 1 }, { id: 1 }],
	])('reads %j as %j', (value, expected) => {
		expect(readParameter(parameter, value).value).toStrictEqual(expected);
	});

	it('has its parameter and item, for the errors about it', () => {
		const { message, description, param } = readParameter(parameter, 'photo').at.error(
			'is missing',
			'Add it.',
		);
		expect({ message, description, param }).toStrictEqual({
			message: "'Input Binary Field' is missing",
			description: 'Add it.',
			param: 'field',
		});
	});
});

describe('an invalid input error', () => {
	const parameter = flag({ displayName: 'Some Field', default: false });

	it('names a parameter by its label, and says what to do', () => {
		const { message, description, param } = invalidInput(() => readParameter(parameter, 'x'));
		expect({ message, description, param }).toStrictEqual({
			message: `'Some Field' has a value that is not allowed: "x"`,
			description: 'It is true or false.',
			param: 'field',
		});
	});

	it('calls an option an option', () => {
		const { message, param } = invalidInput(() => readOption(parameter, 'x'));
		expect([message, param]).toStrictEqual([
			`The option 'Some Field' has a value that is not allowed: "x"`,
			'field',
		]);
	});
});
