import { rows } from '../../nodes/shared/params/groups';
import { flag, inputFile, optional, text } from '../../nodes/shared/params/kinds';
import type { InvalidInputError } from '../../nodes/shared/gateway/errors/errors';
import { invalidInput } from '../helpers/invalidInput';
import { readParameter } from './support';

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
