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
		flag: flag({ displayName: 'Flag', default: false }),
		file: inputFile({ displayName: 'File', default: 'data' }),
	},
});

const read = (value: unknown) => readParameter(parameter, value);
const errorFields = ({ message, description, param }: InvalidInputError) => ({ message, description, param });

it('reads the rows of all groups, in order', () => {
	const names = read({ files: [{ name: 'a' }, { name: 'b' }], more: [{ name: 'c' }] }).map(
		({ values }) => values.name,
	);
	expect(names).toStrictEqual(['a', 'b', 'c']);
});

it.each([undefined, null, {}, { files: [] }, { files: null }, { files: 'none' }])(
	'%j has no rows',
	(value) => {
		expect(read(value)).toStrictEqual([]);
	},
);

it.each(['text', '', 7, false, [], { files: ['a'] }, { files: [null] }, { files: [{}, [1]] }])(
	'rejects %j, which is not a list of rows',
	(value) => {
		expect(errorFields(invalidInput(() => read(value)))).toStrictEqual({
			message: "'Input Files' is not a list of rows",
			description: 'Add the rows in the panel.',
			param: 'field',
		});
	},
);

describe('a field of a row', () => {
	const second = () => read({ files: [{}, { flag: 'maybe', name: 2, file: { id: 1 } }] })[1];

	it('is read like any other parameter', () => {
		const row = second();
		expect([row?.values.name, row?.values.other]).toStrictEqual(['2', undefined]);
	});

	it('names its row in an error', () => {
		const row = second();
		expect(errorFields(invalidInput(() => row?.values.flag))).toStrictEqual({
			message: `'Input Files', row 2: 'Flag' has a value that is not allowed: "maybe"`,
			description: 'It is true or false.',
			param: 'field',
		});
	});

	it('that is a file knows its parameter and item', () => {
		const file = second()?.values.file;
		expect(file?.value).toStrictEqual({ id: 1 });
		expect(file && errorFields(file.at.error('is empty', 'Fill it in.'))).toStrictEqual({
			message: "'Input Files', row 2: 'File' is empty",
			description: 'Fill it in.',
			param: 'field',
		});
	});
});

it('a row names its parameter and item for errors about the whole row', () => {
	const [, row] = read({ files: [{}, {}] });
	expect(row && errorFields(row.at.error('is empty', 'Fill it in.'))).toStrictEqual({
		message: "'Input Files', row 2: is empty",
		description: 'Fill it in.',
		param: 'field',
	});
});

it('is a list of rows in the panel', () => {
	const property = rows({
		displayName: 'Tools',
		typeOptions: { sortable: true },
		group: 'tool',
		groupLabel: 'Tool',
		fields: { name: text({ displayName: 'Name' }) },
		default: { tool: [{ name: '' }] },
	}).property('tools');
	expect(property).toStrictEqual({
		displayName: 'Tools',
		name: 'tools',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, sortable: true },
		default: { tool: [{ name: '' }] },
		options: [
			{
				displayName: 'Tool',
				name: 'tool',
				values: [{ displayName: 'Name', name: 'name', type: 'string', default: '' }],
			},
		],
	});
	expect(parameter.property('inputFiles').default).toStrictEqual({});
});
