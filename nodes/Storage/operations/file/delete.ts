import { simplify } from '../../../shared/fields/simplify';
import { deleteFile } from '../../../shared/gateway/endpoints/storage';
import { defineOperation } from '../../../shared/run/operation';
import { fileId } from './fields';

export const deleteOperation = defineOperation({
	displayName: 'Delete',
	action: 'Delete a file',
	description: 'Delete a file permanently: its URL stops working',
	isLight: true,
	parameters: { fileId, simplify },
	async execute({ client, params }) {
		const { fileId: id, simplify: isSimple } = params;
		const body = await deleteFile(client, id);
		return [{ json: isSimple ? { deleted: true, id } : body }];
	},
});
