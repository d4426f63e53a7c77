import { texts } from '../../nodes/shared/params/kinds';
import { invalidInput } from '../helpers/invalidInput';
import { readOption } from './support';

const displayName = 'Field';
const parameter = texts({ displayName, default: [] });

describe('an option that is a list of texts', () => {
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
	])('reads %j as %j', (value, list) => {
		expect(readOption(parameter, value)).toStrictEqual(list);
	});

	it.each([{ a: 1 }, [{ a: 1 }], '[{"a": 1}]', [[['deep']]]])('rejects %j', (value) => {
		const { description, param } = invalidInput(() => readOption(parameter, value));
		expect([description, param]).toStrictEqual(['It takes texts.', 'field']);
	});

	it('may have values that the panel does not list', () => {
		const listed = texts({ displayName, default: ['a'], options: [{ name: 'A', value: 'a' }] });
		expect(readOption(listed, ['a', 'b'])).toStrictEqual(['a', 'b']);
		expect(readOption(listed, undefined)).toBeUndefined();
	});

	it('is a list of rows in the panel, or of choices', () => {
		const listed = texts({ displayName, default: ['a'], options: [{ name: 'A', value: 'a' }] });
		expect(parameter.property('field')).toStrictEqual({
			displayName,
			name: 'field',
			type: 'string',
			default: [],
		});
		expect(listed.property('field')).toStrictEqual({
			displayName,
			name: 'field',
			type: 'multiOptions',
			options: [{ name: 'A', value: 'a' }],
			default: ['a'],
		});
	});
});
