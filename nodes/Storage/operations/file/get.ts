import { simplify } from '../../../shared/fields/simplify';
import { fetchFileRecord, readStoredFile } from '../../../shared/gateway/endpoints/storage';
import { compact } from '../../../shared/gateway/util/json';
import { defineOperation } from '../../../shared/run/operation';
import { fileId } from './fields';

export const get = defineOperation({
	displayName: 'Get',
	action: 'Get a file',
	description: 'Retrieve the record of a file, such as its URL, type and size',
	toolDescription: 'Looks up a stored file by its ID. Returns its URL, its type and its size.',
	isLight: true,
	parameters: { fileId, simplify },
	async execute({ client, params }) {
		const { fileId: id, simplify: isSimple } = params;
		const body = await fetchFileRecord(client, id);
		return [{ json: isSimple ? compact(readStoredFile(body)) : body }];
	},
});
