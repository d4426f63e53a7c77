import { ID } from '../shared/gateway/util/text';
import { id, text } from '../shared/params/kinds';
import { fileName, fileNames } from '../shared/fields/fileName';
import { simplify, limitParameters, pageOf } from '../shared/fields/results';
import { deleteFile, fetchFileRecord, readStoredFile, listFiles } from '../shared/gateway/endpoints/storage';
import { defineOperation } from '../shared/run/operation';
import { compact, asId } from '../shared/gateway/util/json';
import { missingInResponse } from '../shared/gateway/endpoints/response';
import { nameInUrl } from '../shared/gateway/util/fileName';
import { storeUrl } from '../shared/n8n/binary';
import { Registry } from '../shared/run/registry';
import { upload } from './upload';

export const fileId = id({
	displayName: 'File ID',
	required: true,
	placeholder: 'e.g. 7c9e6679-7425-40de-944b-e07fc1f90ae7',
	description: "The ID that 'Upload' returned",
	allowed: ID,
	whenEmpty: "Enter the ID that 'Upload' returned, e.g. {{ $json.id }}.",
});

export const deleteOperation = defineOperation({
	displayName: 'Delete',
	action: 'Delete file',
	description: 'Delete a file permanently: its URL stops working',
	isSingleRequest: true,
	parameters: { fileId },
	async execute({ client, params: { fileId: id } }) {
		await deleteFile(client, id);
		return [{ json: { deleted: true, id } }];
	},
});

export const get = defineOperation({
	displayName: 'Get',
	action: 'Get file',
	description: 'Retrieve the record of a file, such as its URL, type and size',
	toolDescription: 'Looks up a stored file by its ID. Returns its URL, its type and its size.',
	isRead: true,
	isSingleRequest: true,
	parameters: { fileId, simplify },
	async execute({ client, params }) {
		const { fileId: id, simplify: isSimple } = params;
		const body = await fetchFileRecord(client, id);
		return [{ json: isSimple ? compact(readStoredFile(body)) : body }];
	},
});

export const getMany = defineOperation({
	displayName: 'Get Many',
	action: 'Get many files',
	description: 'Retrieve a list of stored files of the account, if the gateway offers it',
	toolDescription: 'Lists the stored files. Returns the ID, the URL, the type and the size of each.',
	isRead: true,
	isSingleRequest: true,
	parameters: { ...limitParameters, simplify },
	async execute(item) {
		const isSimple = item.params.simplify;
		return pageOf(await listFiles(item.client), item).map((record) => {
			const isFile = asId(record.id) !== undefined;
			return { json: isSimple && isFile ? compact(readStoredFile(record)) : record };
		});
	},
});

/** Downloads a file: its record from the gateway (§4.15), its bytes from the record's URL, without the key. */
export const download = defineOperation({
	displayName: 'Download',
	action: 'Download file',
	description: 'Retrieve the content of a file into a binary field',
	toolDescription: 'Looks up a stored file by its ID. Returns its URL, type and size.',
	parameters: {
		fileId,
		binaryPropertyName: text({
			displayName: 'Put Output File in Field',
			default: 'data',
			required: true,
			placeholder: 'e.g. data',
			hint: 'The name of the output binary field to put the file in',
			whenEmpty: 'Enter a name, e.g. data.',
		}),
	},
	options: { fileName },
	...fileNames,
	async execute({ params, client, run, n8n }) {
		const file = readStoredFile(await fetchFileRecord(client, params.fileId));
		const json = compact(file);
		// An AI Agent can use links, not files.
		if (run.isTool) return [{ json }];
		const { url, id } = file;
		if (url === undefined) throw missingInResponse('URL of the file');
		const names = [file.fileName, nameInUrl(url), `file_${id}`];
		const binary = await storeUrl({ client, n8n }, url, { names, knownType: file.mimeType });
		return [{ json, binary: { [params.binaryPropertyName]: binary } }];
	},
});

export const registry = new Registry({
	file: {
		displayName: 'File',
		initial: 'upload',
		operations: { delete: deleteOperation, download, get, getMany, upload },
	},
});
