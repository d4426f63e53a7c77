import { limitParameters, pageOf } from '../../../shared/fields/lists';
import { simplify } from '../../../shared/fields/simplify';
import { listFiles, readStoredFile } from '../../../shared/gateway/endpoints/storage';
import { asId, compact } from '../../../shared/gateway/util/json';
import { defineOperation } from '../../../shared/run/operation';

export const getMany = defineOperation({
	displayName: 'Get Many',
	action: 'Get many files',
	description: 'Retrieve a list of stored files of the account, if the gateway offers it',
	toolDescription: 'Lists the stored files. Returns the ID, the URL, the type and the size of each.',
	isLight: true,
	parameters: { ...limitParameters, simplify },
	async execute(item) {
		const isSimple = item.params.simplify;
		return pageOf(await listFiles(item.client), item).map((record) => {
			const isFile = asId(record.id) !== undefined;
			return { json: isSimple && isFile ? compact(readStoredFile(record)) : record };
		});
	},
});
