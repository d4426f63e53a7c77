import { simplify } from '../../../shared/fields/simplify';
import { fetchFileRecord, readStoredFile } from '../../../shared/gateway/endpoints/storage';
import { missingInResponse } from '../../../shared/gateway/endpoints/response';
import { nameInUrl } from '../../../shared/gateway/util/fileName';
import { storeUrl } from '../../../shared/n8n/binary';
import { compact } from '../../../shared/gateway/util/json';
import { text } from '../../../shared/params/kinds';
import { defineOperation } from '../../../shared/run/operation';
import { fileId } from './fields';

/** Downloads a file: its record from the gateway (§4.15), its bytes from the record's URL, without the key. */
export const download = defineOperation({
	displayName: 'Download',
	action: 'Download a file',
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
		simplify,
	},
	async execute({ params, client, run, n8n }) {
		const { binaryPropertyName: field, simplify: isSimple } = params;
		const body = await fetchFileRecord(client, params.fileId);
		const file = readStoredFile(body);
		const json = isSimple ? compact(file) : body;
		// An AI Agent can use links, not files.
		if (run.isTool) return [{ json }];
		const { url, id } = file;
		if (url === undefined) throw missingInResponse('URL of the file');
		const names = [file.fileName, nameInUrl(url), `file_${id}`];
		const binary = await storeUrl({ client, n8n }, url, { names, knownType: file.mimeType });
		return [{ json, binary: { [field]: binary } }];
	},
});
