import type { ItemContext, Operation, OperationOutput } from '../../../shared/run/operation';
import { compact, simplifyField } from '../../../shared/fields/common';
import { fetchFileRecord, readStoredFile } from '../../../shared/gateway/endpoints/storage';
import { fileIdField, readFileId } from './fields';

/** Gets the record of a file (§4.15). */
export const get: Operation = {
	displayName: 'Get',
	action: 'Get file',
	description: 'Retrieve the record of a file: its URL, type, size and until when it is kept',
	properties: [fileIdField, simplifyField],
	async execute(item: ItemContext): Promise<OperationOutput[]> {
		const simplify = item.parameters.flag('simplify', 'Simplify');
		const body = await fetchFileRecord(item.client, readFileId(item));
		return [{ json: simplify ? compact(readStoredFile(body)) : body }];
	},
};
