import { binaryFields } from '../../shared/fields/files';
import { binaryOf, checkKnownSize } from '../../shared/n8n/binary';
import { rows } from '../../shared/params/groups';
import { id } from '../../shared/params/kinds';
import type { Values } from '../../shared/params/parameter';
import type { ItemInput } from '../../shared/run/operation';
import type { FileForField } from './task/taskInput';

const fields = {
	binaryPropertyName: binaryFields,
	inputField: id({
		displayName: 'Target Field Name or ID',
		typeOptions: { loadOptionsMethod: 'loadFileFields', loadOptionsDependsOn: ['model.value'] },
		required: true,
		description:
			'The field of the model that takes the file. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
		whenEmpty: 'Choose the field of the model that takes the file.',
	}).with({ type: 'options' }),
};

export const inputFiles = rows({
	displayName: 'Input Files',
	placeholder: 'Add File',
	description:
		'Files of the input item for the model. Each is uploaded to the gateway, which keeps it for 24 hours, and its URL is put into the target field.',
	group: 'files',
	groupLabel: 'File',
	fields,
}).notForTools();

/** The files of an item, by the fields of the model. */
export function findTaskFiles(item: ItemInput<Values<{ inputFiles: typeof inputFiles }>>): FileForField[] {
	const orUrl = 'delete the row, and put the URL into the model’s field';
	const { inputFiles: rows = [] } = item.params;
	return rows.flatMap(({ values: { inputField: field, binaryPropertyName: files } }) =>
		files.map((file) => {
			const binary = binaryOf(item, file, orUrl);
			checkKnownSize(binary, 'inputFiles');
			return { field, binary };
		}),
	);
}
