import type { ItemContext, Operation, OperationOutput } from '../../../shared/run/operation';
import { simplifyField } from '../../../shared/fields/common';
import { deleteFile } from '../../../shared/gateway/endpoints/storage';
import { fileIdField, readFileId } from './fields';

/** Deletes a file for good (§4.16). */
export const deleteOperation: Operation = {
	displayName: 'Delete',
	action: 'Delete file',
	description: 'Delete a file permanently: its URL stops working',
	properties: [fileIdField, simplifyField],
	async execute(item: ItemContext): Promise<OperationOutput[]> {
		const simplify = item.parameters.flag('simplify', 'Simplify');
		const id = readFileId(item);
		const body = await deleteFile(item.client, id);
		return [{ json: simplify ? { deleted: true, id } : body }];
	},
};
