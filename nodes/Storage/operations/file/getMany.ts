import { limitParameters, listOutput } from '../../../shared/fields/lists';
import { simplify } from '../../../shared/fields/simplify';
import { listFiles, readStoredFile } from '../../../shared/gateway/endpoints/storage';
import { asId, type JsonObject } from '../../../shared/gateway/util/json';
import { compact } from '../../../shared/n8n/compact';
import { defineOperation } from '../../../shared/run/operation';
import { filterOf, filters } from './filters';

/** Lists the account's files (§4.17). Filters apply to what the gateway returns. */
export const getMany = defineOperation({
	displayName: 'Get Many',
	action: 'Get many files',
	description: 'Retrieve a list of files that are stored for the account',
	toolDescription: 'Lists the stored files. Returns the ID, the URL, the type and the size of each.',
	parameters: { ...limitParameters, simplify, filters },
	async execute(item) {
		const { params, client } = item;
		const isSimple = params.simplify;
		const passes = filterOf(params.filters);
		const isFile = ({ id }: JsonObject) => asId(id) !== undefined;
		return listOutput(item, await listFiles(client), {
			words: 'files',
			...(passes ? { isWanted: (record) => isFile(record) && passes(readStoredFile(record)) } : {}),
			toJson: (record) => (isSimple && isFile(record) ? compact(readStoredFile(record)) : record),
		});
	},
});
