import { OptionReader } from '../../nodes/shared/params/optionReader';
import { Parameters } from '../../nodes/shared/params/parameters';
import { refusal } from '../helpers/refusal';

// How values of the panel and of expressions are read.

/** What n8n is asked for, and a reader of these parameters. */
function parametersOf(values: Record<string, unknown>, itemIndex = 0) {
	const asked: unknown[][] = [];
	const getNodeParameter = (...question: unknown[]) => {
		asked.push(question);
		return values[String(question[0])];
	};
	return { asked, parameters: new Parameters({ getNodeParameter } as never, itemIndex) };
}

const reader = (value: unknown) => parametersOf({ field: value }).parameters;
const option = (value: unknown) => new OptionReader({ field: value });

describe('a parameter', () => {
	it('is asked for by its name and item, with its locator reduced', () => {
		const { asked, parameters } = parametersOf({ model: 'a/b' }, 3);
		expect(parameters.text('model', 'Model')).toBe('a/b');
		expect(asked).toStrictEqual([['model', 3, null, { extractValue: true }]]);
	});

	it.each([
		['a locator', { __rl: true, mode: 'id', value: 'a/b' }, 'a/b'],
		['an empty locator', { __rl: true, mode: 'id', value: '' }, ''],
	])('%s counts as its value', (_, value, text) => {
		expect(reader(value).text('field', 'Field')).toBe(text);
	});

	it.each([{ value: 'a/b' }, { __rl: false, value: 'a/b' }, { __rl: 'true', value: 'a/b' }])(
		'%j is no locator',
		(value) => {
			expect(refusal(() => reader(value).text('field', 'Field')).param).toBe('field');
		},
	);

	it('is refused by its label, with what to do, and with its name', () => {
		const error = refusal(() => reader('x').boolean('field', 'Some Field'));
		expect(error.message).toMatch(/^'Some Field' .*"x"$/);
		expect(error.description).toMatch(/true or false.* Nothing was sent\.$/);
		expect(error.param).toBe('field');
	});
});

describe.each([
	['a parameter', reader],
	['an option', option],
])('%s as text', (_, of) => {
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
	])('%j is %j', (value, text) => {
		expect(of(value).text('field', 'Field')).toBe(text);
		expect(of(value).optionalText('field', 'Field')).toBe(text === '' ? undefined : text);
	});

	it.each([[{}], [[]], [['a']], [{ text: 'a' }]])('%j is refused', (value) => {
		const error = refusal(() => of(value).optionalText('field', 'Field'));
		expect(error.message).toContain("'Field' is not text");
		expect(error.param).toBe('field');
	});
});

describe.each([
	['a parameter', reader],
	['an option', option],
])('%s that is one of some words', (_, of) => {
	const words = ['poll', 'suspend'] as const;

	it('is that word', () => {
		expect(of('suspend').choice('field', 'Field', words)).toBe('suspend');
		expect(of('poll').optionalChoice('field', 'Field', words)).toBe('poll');
	});

	it.each(['', null, undefined])('unset (%j): optional or refused', (value) => {
		expect(of(value).optionalChoice('field', 'Field', words)).toBeUndefined();
		expect(refusal(() => of(value).choice('field', 'Field', words)).message).toMatch(/not allowed: ""$/);
	});

	it.each(['sleep', 'Poll', ' poll', 'pol', 7])('%j is refused with the words that it can be', (value) => {
		for (const read of ['choice', 'optionalChoice'] as const) {
			const error = refusal(() => of(value)[read]('field', 'Field', words));
			expect(error.message).toContain(JSON.stringify(String(value)));
			expect(error.description).toContain('poll, suspend.');
		}
	});
});

describe.each([
	['a parameter', reader],
	['an option', option],
])('%s that is a switch', (_, of) => {
	it.each([
		[true, true],
		['true', true],
		[false, false],
		['false', false],
		['', undefined],
		[null, undefined],
		[undefined, undefined],
	])('%j is %j', (value, flag) => {
		expect(of(value).boolean('field', 'Field')).toBe(flag);
		expect(of(value).flag('field', 'Field')).toBe(flag ?? false);
	});

	it.each([0, 1, 'yes', 'TRUE', {}])('%j is refused', (value) => {
		const error = refusal(() => of(value).flag('field', 'Field'));
		expect(error.message).toContain(JSON.stringify(value));
	});
});

describe.each([
	['a parameter', reader],
	['an option', option],
])('%s that is a JSON object', (_, of) => {
	it.each([
		[{ a: 1 }, { a: 1 }],
		['{"a": 1}', { a: 1 }],
		['{}', {}],
		['', undefined],
		[null, undefined],
		[undefined, undefined],
	])('%j is %j', (value, object) => {
		expect(of(value).object('field', 'Field')).toStrictEqual(object);
	});

	it.each(['{a: 1}', '[1]', '1', 'null', 7, [1]])('%j is refused', (value) => {
		const error = refusal(() => of(value).object('field', 'Field'));
		expect(error.message).toContain(JSON.stringify(value));
		expect(error.description).toContain('JSON object');
	});

	it('is shown up to 100 characters when it is refused', () => {
		const shown = (length: number) =>
			refusal(() => of('x'.repeat(length)).object('field', 'Field')).message.replace(/^.*: /, '');
		expect(shown(98)).toBe(`"${'x'.repeat(98)}"`);
		expect(shown(99)).toBe(`"${'x'.repeat(99)}…`);
	});
});

describe('required text', () => {
	it.each(['', '  ', '\n\t', null, undefined])('%j is refused with the advice', (value) => {
		for (const read of ['requiredText', 'requiredId'] as const) {
			const error = refusal(() => reader(value)[read]('field', 'Field', 'Enter it.'));
			expect([error.message, error.description, error.param]).toStrictEqual([
				"'Field' is empty",
				'Enter it.',
				'field',
			]);
		}
	});

	it('keeps white space, which is none of an ID', () => {
		expect(reader(' a b\n').requiredText('field', 'Field', 'Enter it.')).toBe(' a b\n');
		expect(reader(' a b\n').requiredId('field', 'Field', 'Enter it.')).toBe('a b');
	});
});

describe('parameters of JSON', () => {
	it.each([
		[{ a: 1 }, { a: 1 }],
		['{"a": 1}', { a: 1 }],
	])('an object: %j', (value, object) => {
		expect(reader(value).jsonObject('field', 'Field', '{}')).toStrictEqual(object);
	});

	it.each(['', null, undefined, '[1]', [1], '{', 7])('no object: %j', (value) => {
		const error = refusal(() => reader(value).jsonObject('field', 'Field', '{ "some": "example" }'));
		expect(error.message).toContain("'Field' is not a JSON object");
		expect(error.description).toContain('{ "some": "example" }');
		expect(error.param).toBe('field');
	});

	it.each([
		['{"a": 1}', { a: 1 }],
		['[1]', [1]],
		['0', 0],
		['false', false],
		['""', ''],
		[[1], [1]],
		[0, 0],
		[false, false],
	])('any JSON: %j', (value, json) => {
		expect(reader(value).json('field', 'Field', '[]')).toStrictEqual(json);
	});

	it.each(['', 'null', null, undefined, '{', 'text'])('no JSON: %j', (value) => {
		const error = refusal(() => reader(value).json('field', 'Field', '[some example]'));
		expect(error.message).toContain("'Field' is not valid JSON");
		expect(error.description).toContain('[some example]');
		expect(error.param).toBe('field');
	});

	it.each([
		[{ value: { a: 1 } }, { value: { a: 1 } }],
		['', undefined],
		[null, undefined],
		[[1], undefined],
	])('a compound value: %j is %j', (value, compound) => {
		expect(reader(value).compound('field')).toStrictEqual(compound);
	});
});

it('a parameter that stands for a file gives its value and how to refuse it', () => {
	const { value, refuse } = reader('data').file('field', 'Input Binary Field');
	const error = refuse('is missing', 'Add it.');
	expect(value).toBe('data');
	expect([error.message, error.description, error.param]).toStrictEqual([
		"'Input Binary Field': is missing",
		'Add it. Nothing was sent.',
		'field',
	]);
});

it('a parameter that repeats gives its rows', () => {
	const rows = reader({ files: [{ name: 'a' }] }).rows('field', 'Field');
	expect(rows.map((row) => row.text('name', 'Name'))).toStrictEqual(['a']);
	expect(refusal(() => reader('a').rows('field', 'Field')).message).toContain("'Field'");
});

describe('the options of an item', () => {
	it('are resolved once, however many are read', () => {
		const { asked, parameters } = parametersOf({ options: { a: '1', b: '2' } });
		expect(parameters.options.text('a', 'A') + parameters.options.text('b', 'B')).toBe('12');
		expect(asked).toHaveLength(1);
	});

	it.each([null, undefined, '', []])('%j are none', (options) => {
		expect(parametersOf({ options }).parameters.options.optionalText('a', 'A')).toBeUndefined();
	});

	it('are refused as options', () => {
		const error = refusal(() => option('x').flag('field', 'Some Option'));
		expect(error.message).toMatch(/^The option 'Some Option' /);
		expect(error.description).toMatch(/Nothing was sent\.$/);
		expect(error.param).toBe('field');
	});
});
