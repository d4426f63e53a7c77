import type { IBinaryData } from 'n8n-workflow';

import { binaryFields } from '../../shared/fields/files';
import { checkSize, contentDigest, type UploadFile } from '../../shared/gateway/endpoints/upload';
import { binaryOf, checkKnownSize, fileOf } from '../../shared/n8n/binary';
import { rows } from '../../shared/params/groups';
import { id } from '../../shared/params/kinds';
import type { Values } from '../../shared/params/parameter';
import type { ItemInput } from '../../shared/run/operation';

const fields = {
	binaryPropertyName: binaryFields,
	inputField: id({
		displayName: 'Target Field',
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

export interface FileForField {
	field: string;
	binary: IBinaryData;
}

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

/** Opens the files of an item, of up to 100 MB (§8). */
export async function openTaskFiles(item: ItemInput, found: readonly FileForField[]) {
	const files: Array<{ field: string; file: UploadFile }> = [];
	for (const { field, binary } of found) {
		const file = await fileOf(item, binary);
		checkSize(file.size, 'inputFiles');
		files.push({ field, file });
	}
	return files;
}

/** A placeholder for the URL of a file: each upload has another one, but the same content is the same creation. */
export async function placeholder(file: UploadFile): Promise<string> {
	return `${file.mimeType};sha256=${await contentDigest(file)}`;
}
