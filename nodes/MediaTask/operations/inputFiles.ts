import { checkSize, contentDigest, type UploadFile } from '../../shared/gateway/endpoints/upload';
import type { InputFileUrl } from '../../shared/gateway/media/inputFiles';
import { readInputFile } from '../../shared/n8n/binary';
import { rows } from '../../shared/params/groups';
import { id, inputFile } from '../../shared/params/kinds';
import type { ItemContext } from '../../shared/run/operation';

const fields = {
	binaryPropertyName: inputFile({
		displayName: 'Input Binary Field',
		default: 'data',
		required: true,
		placeholder: 'e.g. data',
		description: 'The name of the input binary field containing the file',
	}),
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
});

type InputFilesParams = { readonly inputFiles: ReturnType<(typeof inputFiles)['read']> };

/** A file of an item and the input field that it is for. */
export interface TaskFile {
	field: string;
	file: UploadFile;
}

/**
 * Reads the rows of *Input Files*.
 *
 * @throws {InvalidInputError} for an empty field, a binary field that the item lacks, and a file that is empty or
 *   over 100 MB (§8)
 */
export async function readTaskFiles(item: ItemContext<InputFilesParams>): Promise<TaskFile[]> {
	const files: TaskFile[] = [];
	for (const { values } of item.params.inputFiles) {
		const file = await readInputFile(item, values.binaryPropertyName);
		checkSize(file.size, 'inputFiles');
		files.push({ field: values.inputField, file });
	}
	return files;
}

/** The values of the input fields for files, made one after the other. */
export async function fileValues(
	files: readonly TaskFile[],
	valueOf: (file: UploadFile, index: number) => string | Promise<string>,
): Promise<InputFileUrl[]> {
	const values: InputFileUrl[] = [];
	for (const [index, { field, file }] of files.entries()) {
		values.push({ field, value: await valueOf(file, index) });
	}
	return values;
}

/** A placeholder for the URL of a file that is not uploaded yet. */
export function placeholder(_: UploadFile, index: number): string {
	return `https://upload.invalid/${index}`;
}

/** For the idempotency key: each upload has another URL, but the same content is the same creation. */
export async function contentPlaceholder(file: UploadFile): Promise<string> {
	return `${file.mimeType};sha256=${await contentDigest(file)}`;
}
