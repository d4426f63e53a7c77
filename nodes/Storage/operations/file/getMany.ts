import type { ItemContext, Operation, OperationOutput } from '../../../shared/run/operation';
import { compact, simplifyField } from '../../../shared/fields/common';
import { limitFields, readLimit } from '../../../shared/fields/lists';
import { asId } from '../../../shared/gateway/util/json';
import { listFiles, readStoredFile } from '../../../shared/gateway/endpoints/storage';

/** Lists the account's files (§4.17). */
export const getMany: Operation = {
	displayName: 'Get Many',
	action: 'Get many files',
	description: 'Retrieve a list of files that are stored for the account',
	properties: [...limitFields, simplifyField],
	async execute(item: ItemContext): Promise<OperationOutput[]> {
		const { parameters, client } = item;
		const simplify = parameters.flag('simplify', 'Simplify');
		const limit = readLimit(parameters);
		const { body, records, total } = await listFiles(client);
		// Nothing in it looks like a list of files: what there is.
		if (!records) return [{ json: Array.isArray(body) ? { list: body } : body }];
		if (limit > records.length) hintAtRest(item, records.length, total);
		return records.slice(0, limit).map((record) => {
			const isFile = simplify && asId(record.id) !== undefined;
			return { json: isFile ? compact(readStoredFile(record)) : record };
		});
	},
};

/** The specification does not show how to ask for the rest of a list. */
function hintAtRest({ n8n }: ItemContext, given: number, total = given): void {
	if (total <= given) return;
	n8n.addExecutionHints({
		message: `The gateway has given ${given} of ${total} files: it does not give more in one answer`,
		location: 'outputPane',
	});
}
