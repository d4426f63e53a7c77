import { NodeOperationError, type IBinaryData, type INodeProperties } from 'n8n-workflow';

import { inputFile } from '../../shared/execution/binary';
import type { ItemContext } from '../../shared/execution/operation';
import { InvalidInput } from '../../shared/gateway/failure';
import type { PlacedFile } from '../../shared/gateway/inputFiles';
import { asObject, asObjects, asText, type JsonObject } from '../../shared/gateway/json';
import { checkUpload, contentDigest, uploadForUse, type UploadFile } from '../../shared/gateway/storage';

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
 * @throws {InvalidInput} for a row that is not filled in, a binary field that the item lacks, and a file that is
 *   empty or over 100 MB (§8)
 */
export async function readTaskFiles(item: ItemContext): Promise<TaskFile[]> {
	const rows = asObjects(item.parameters.compound('inputFiles')?.files);
	const files: TaskFile[] = [];
	for (const row of rows) files.push(await readTaskFile(item, row));
	return files;
}

async function readTaskFile(item: ItemContext, row: JsonObject): Promise<TaskFile> {
	const field = asText(row.inputField)?.trim();
	if (!field) {
		throw new InvalidInput(
			"A row of 'Input Files' names no input field",
			'Choose the field of the model’s input that is to get the file. Nothing was sent.',
			'inputFiles',
		);
	}
	const binary = binaryOf(row);
	const file = await inputFile(item.n8n, item.index, binary).catch((error: unknown) =>
		Promise.reject(noSuchFile(error, binary)),
	);
	checkUpload(file.size, {}, 'inputFiles');
	return { field, file };
}

/** The name of a binary field, or a binary that an expression gives. */
function binaryOf({ binaryPropertyName: value }: JsonObject): string | IBinaryData {
	const binary = asObject(value);
	if (typeof binary?.mimeType === 'string' && typeof binary.data === 'string') {
		return { ...binary, mimeType: binary.mimeType, data: binary.data };
	}
	return asText(value)?.trim() || 'data';
}

function noSuchFile(error: unknown, binary: string | IBinaryData): Error {
	if (!(error instanceof NodeOperationError))
		return error instanceof Error ? error : new Error(String(error));
	const name = typeof binary === 'string' ? binary : (binary.fileName ?? 'file');
	return new InvalidInput(
		`The item has no file in the binary field '${name}'`,
		"Check 'Input Files': the name is that of a field on the Binary tab of the node’s input. Nothing was sent.",
		'inputFiles',
	);
}

/** Files before they are uploaded, as something that stands for their URLs. */
export function standIns(files: readonly TaskFile[]): PlacedFile[] {
	return files.map(({ field }, index) => ({ field, value: `https://upload.invalid/${index}` }));
}

/**
 * Files as what they hold, for the idempotency key: each upload gives another URL, the content stays the same in
 * every try, and another content is another creation.
 */
export async function contentStandIns(files: readonly TaskFile[]): Promise<PlacedFile[]> {
	const placed: PlacedFile[] = [];
	for (const { field, file } of files) {
		placed.push({ field, value: `${file.mimeType};sha256=${await contentDigest(file)}` });
	}
	return placed;
}

/** Uploads the files, one after the other, streamed (§4.14). */
export async function uploadTaskFiles(item: ItemContext, files: readonly TaskFile[]): Promise<PlacedFile[]> {
	const placed: PlacedFile[] = [];
	for (const { field, file } of files) {
		placed.push({ field, value: await uploadForUse(item.client, file) });
	}
	return placed;
}
