import { limitOf, limitParameters } from '../../../shared/fields/lists';
import { simplify } from '../../../shared/fields/simplify';
import { listFiles, readStoredFile } from '../../../shared/gateway/endpoints/storage';
import { asId } from '../../../shared/gateway/util/json';
import { compact } from '../../../shared/n8n/compact';
import { defineOperation, type ItemContext } from '../../../shared/run/operation';

/** Lists the account's files (§4.17). */
export const getMany = defineOperation({
	displayName: 'Get Many',
	action: 'Get many files',
	description: 'Retrieve a list of files that are stored for the account',
	toolDescription: 'Lists the stored files. Returns the ID, the URL, the type and the size of each.',
	parameters: { ...limitParameters, simplify },
	async execute(item) {
		const { params, client } = item;
		const isSimple = params.simplify;
		const limit = limitOf(params);
		const { body, records, total } = await listFiles(client);
		// Without a list of files, the output is the body.
		if (!records) return [{ json: Array.isArray(body) ? { list: body } : body }];
		if (limit > records.length) hintAtMissing(item, records.length, total);
		return records.slice(0, limit).map((record) => {
			const isFile = isSimple && asId(record.id) !== undefined;
			return { json: isFile ? compact(readStoredFile(record)) : record };
		});
	},
});

/** §4.17 does not say how to request the rest of a list. */
function hintAtMissing({ run }: ItemContext, received: number, total = received): void {
	if (total <= received) return;
	run.hint(`The gateway has returned ${received} of ${total} files: it does not return more in one response`);
}
