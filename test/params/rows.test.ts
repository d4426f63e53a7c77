import { readRows, type Row } from '../../nodes/shared/params/rows';
import type { InvalidInputError } from '../../nodes/shared/gateway/errors/errors';
import { refusal } from '../helpers/refusal';

// The rows of a parameter that repeats, as n8n stores them.

const read = (value: unknown) => readRows('inputFiles', 'Input Files', value);

const facts = ({ message, description, param }: InvalidInputError) => ({ message, description, param });

const refused = (work: () => unknown) => facts(refusal(work));

it('are counted from 1, through all groups', () => {
	const rows = read({ files: [{ name: 'a' }, { name: 'b' }], more: [{ name: 'c' }] });
	expect(rows.map((row) => [row.number, row.text('name', 'Name')])).toStrictEqual([
		[1, 'a'],
		[2, 'b'],
		[3, 'c'],
	]);
});

it.each([undefined, null, {}, { files: [] }, { files: null }, { files: 'none' }])('%j has none', (value) => {
	expect(read(value)).toStrictEqual([]);
});

it.each(['text', 7, false, [], { files: ['a'] }, { files: [null] }, { files: [{}, [1]] }])(
	'%j is refused by the name of the parameter',
	(value) => {
		expect(refused(() => read(value))).toStrictEqual({
			message: "'Input Files' is not a list of rows",
			description: expect.stringContaining('Nothing was sent.') as string,
			param: 'inputFiles',
		});
	},
);

describe('a field of a row', () => {
	let row: Row | undefined;
	beforeAll(() => ([, row] = read({ files: [{}, { flag: 'maybe', name: 2, file: { id: 1 } }] })));

	it('is read as any other', () => {
		expect(row?.text('name', 'Name')).toBe('2');
		expect(row?.optionalText('other', 'Other')).toBeUndefined();
	});

	it('is refused by its row', () => {
		expect(refused(() => row?.flag('flag', 'Flag'))).toStrictEqual({
			message: expect.stringMatching(/^'Input Files', row 2: 'Flag' .*"maybe"/) as string,
			description: expect.stringMatching(/true or false.* Nothing was sent\.$/) as string,
			param: 'inputFiles',
		});
	});

	it('that stands for a file gives its value and how to refuse it', () => {
		const file = row?.file('file');
		expect(file?.value).toStrictEqual({ id: 1 });
		expect(file && facts(file.refuse('is empty', 'Fill it in.'))).toStrictEqual({
			message: "'Input Files', row 2: is empty",
			description: 'Fill it in. Nothing was sent.',
			param: 'inputFiles',
		});
	});
});
