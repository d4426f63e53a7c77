import type { INodeProperties } from 'n8n-workflow';

import { inputFile } from '../../shared/n8n/binary';
import type { ItemContext } from '../../shared/run/operation';
import type { Row } from '../../shared/params/rows';
import type { InputFileUrl } from '../../shared/gateway/media/inputFiles';
import {
	checkUpload,
	contentDigest,
	uploadForUse,
	type UploadFile,
} from '../../shared/gateway/endpoints/storage';

export const inputFilesField: INodeProperties = {
	displayName: 'Input Files',
	name: 'inputFiles',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add File',
	default: {},
	description:
		'Files of the item that the model is to work with. Each is uploaded to the gateway, kept there for 24 hours, and its URL is put into the input.',
	options: [
		{
			displayName: 'File',
			name: 'files',
			values: [
				{
					displayName: 'Input Binary Field',
					name: 'binaryPropertyName',
					type: 'string',
					default: 'data',
					required: true,
					placeholder: 'e.g. data',
					description: 'The name of the input binary field containing the file',
				},
				{
					displayName: 'Model Input Field Name or ID',
					name: 'inputField',
					type: 'options',
					typeOptions: { loadOptionsMethod: 'loadFileFields', loadOptionsDependsOn: ['model.value'] },
					default: '',
					required: true,
					description:
						'The field of the model’s input that gets the URL; a list gets it added. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
				},
			],
		},
	],
};

/** A file of an item and the input field that it is for. */
export interface TaskFile {
	field: string;
	file: UploadFile;
}

/**
 * Reads the rows of *Input Files*.
 *
 * @throws {InvalidInputError} for a row that is not filled in, a binary field that the item lacks, and a file that is
 *   empty or over 100 MB (§8)
 */
export async function readTaskFiles(item: ItemContext): Promise<TaskFile[]> {
	const files: TaskFile[] = [];
	for (const row of item.parameters.rows('inputFiles', 'Input Files'))
		files.push(await readTaskFile(item, row));
	return files;
}

async function readTaskFile(item: ItemContext, row: Row): Promise<TaskFile> {
	const field = row.text('inputField', 'Model Input Field Name or ID').trim();
	if (field === '') {
		throw row.invalid(
			"'Model Input Field Name or ID' is empty",
			'Choose the field of the model’s input that is to get the file.',
		);
	}
	const file = await inputFile(item, row.file('binaryPropertyName'));
	checkUpload(file, {}, 'inputFiles');
	return { field, file };
}

/** Files before they are uploaded, as something that stands for their URLs. */
export function placeholderUrls(files: readonly TaskFile[]): InputFileUrl[] {
	return files.map(({ field }, index) => ({ field, value: `https://upload.invalid/${index}` }));
}

/**
 * Files as what they hold, for the idempotency key: each upload gives another URL, the content stays the same in
 * every try, and another content is another creation.
 */
export async function contentPlaceholders(files: readonly TaskFile[]): Promise<InputFileUrl[]> {
	const placed: InputFileUrl[] = [];
	for (const { field, file } of files) {
		placed.push({ field, value: `${file.mimeType};sha256=${await contentDigest(file)}` });
	}
	return placed;
}

/** Uploads the files, one after the other, streamed (§4.14). */
export async function uploadTaskFiles(item: ItemContext, files: readonly TaskFile[]): Promise<InputFileUrl[]> {
	const placed: InputFileUrl[] = [];
	for (const { field, file } of files) {
		placed.push({ field, value: await uploadForUse(item.client, file) });
	}
	return placed;
}
