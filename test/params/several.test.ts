import { inputFile, several, text } from '../../nodes/shared/params/kinds';
import { readParameter } from './support';

const names = several(text({ displayName: 'Field', default: 'data' }), /,/);

describe('several values in one field', () => {
	it.each<[unknown, string[]]>([
		['one', ['one']],
		[' one , two,', ['one', 'two']],
		[
			['a, b', ' c '],
			['a, b', 'c'],
		],
		[['a', '', null, undefined], ['a']],
		[7, ['7']],
	])('reads %j as %j', (value, list) => {
		expect(readParameter(names, value)).toStrictEqual(list);
	});

	it.each(['', ' , ', null, [], ['']])(
		'reads %j as one empty value, not as none and not as the default',
		(value) => {
			const files = several(inputFile({ displayName: 'Field', default: 'data' }), /,/);
			expect(readParameter(files, value)).toMatchObject([{ value: '' }]);
		},
	);
});
