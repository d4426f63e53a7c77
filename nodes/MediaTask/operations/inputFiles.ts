import {
	checkSize,
	contentDigest,
	uploadForUse,
	type UploadFile,
} from '../../shared/gateway/endpoints/upload';
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
		const field = values.inputField;
		const file = await readInputFile(item, values.binaryPropertyName);
		checkSize(file.size, 'inputFiles');
		files.push({ field, file });
	}
	return files;
}

/** Placeholders for the URLs of files that are not uploaded yet. */
export function placeholderUrls(files: readonly TaskFile[]): InputFileUrl[] {
	return files.map(({ field }, index) => ({ field, value: `https://upload.invalid/${index}` }));
}

/**
 * Placeholders made of the content of files, for the idempotency key: each upload has another URL, but the same
 * content is the same creation.
 */
export async function contentPlaceholders(files: readonly TaskFile[]): Promise<InputFileUrl[]> {
	const urls: InputFileUrl[] = [];
	for (const { field, file } of files) {
		urls.push({ field, value: `${file.mimeType};sha256=${await contentDigest(file)}` });
	}
	return urls;
}

/** Uploads the files, one after the other, streamed (§4.14). */
export async function uploadTaskFiles(
	item: ItemContext,
	files: readonly TaskFile[],
): Promise<InputFileUrl[]> {
	const urls: InputFileUrl[] = [];
	for (const { field, file } of files) {
		urls.push({ field, value: await uploadForUse(item.client, file) });
	}
	return urls;
}
