import type { INodeProperties } from 'n8n-workflow';

import { storeResponse } from '../../../shared/n8n/binary';
import type { ItemContext, Operation, OperationOutput } from '../../../shared/run/operation';
import { compact, simplifyField } from '../../../shared/fields/common';
import { InvalidInputError } from '../../../shared/gateway/errors/errors';
import { nameInUrl } from '../../../shared/gateway/util/fileName';
import { fetchFileRecord, readStoredFile } from '../../../shared/gateway/endpoints/storage';
import { fileIdField, readFileId } from './fields';

const binaryField: INodeProperties = {
	displayName: 'Put Output File in Field',
	name: 'binaryPropertyName',
	type: 'string',
	default: 'data',
	required: true,
	placeholder: 'e.g. data',
	hint: 'The name of the output binary field to put the file in',
};

/** Downloads a file: its record from the gateway (§4.15), its bytes from the record's URL, without the key. */
export const download: Operation = {
	displayName: 'Download',
	action: 'Download file',
	description: 'Retrieve the content of a file into a binary field',
	properties: [fileIdField, binaryField, simplifyField],
	async execute(item: ItemContext): Promise<OperationOutput[]> {
		const { parameters, run } = item;
		const field = parameters.requiredText(
			'binaryPropertyName',
			'Put Output File in Field',
			'Enter a name, e.g. data.',
		);
		const simplify = parameters.flag('simplify', 'Simplify');
		const body = await fetchFileRecord(item.client, readFileId(item));
		const file = readStoredFile(body);
		const json = simplify ? compact(file) : body;
		// An AI Agent can use links, not files.
		if (run.isTool) return [{ json }];
		const { url, id } = file;
		if (url === undefined) {
			throw new InvalidInputError(
				'The file has no URL to download it from',
				`The gateway gives none for file ${id} (status: ${file.status ?? 'unknown'}). Upload it again.`,
				'fileId',
			);
		}
		const binary = await item.client.downloadUrl(
			url,
			async (answer) =>
				await storeResponse(item.n8n, answer, [file.fileName, nameInUrl(url), `file_${id}`], {
					knownType: file.mimeType,
				}),
		);
		return [{ json, binary: { [field]: binary } }];
	},
};
