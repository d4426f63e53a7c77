import type { RecordList } from '../gateway/endpoints/lists';
import type { JsonObject } from '../gateway/util/json';
import { flag, integer, text } from '../params/kinds';
import type { ItemContext, OperationOutput } from '../run/operation';

/**
 * The search words for a list.
 *
 * @param place where they are searched, as part of a sentence
 */
export function searchParameter(place: string) {
	return text({
		displayName: 'Search',
		placeholder: 'e.g. vendor mini',
		description: `Only models with all of these words in ${place}. Leave empty for all.`,
	});
}

/** The limit of a list. */
export const limitParameters = {
	returnAll: flag({
		displayName: 'Return All',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
	}),
	limit: integer({
		displayName: 'Limit',
		min: 1,
		default: 50,
		description: 'Max number of results to return',
		displayOptions: { show: { returnAll: [false] } },
	}),
};

/** How many results to return; infinite for all. */
export function limitOf(params: { readonly returnAll: boolean; readonly limit: number }): number {
	return params.returnAll ? Infinity : params.limit;
}

/** What an item gets of a list. */
interface ListOutput {
	/** The word for the records, in the plural. */
	words: string;
	/** Whether a record passes the filters; all by default. */
	isWanted?: (record: JsonObject) => boolean;
	toJson: (record: JsonObject) => OperationOutput['json'];
}

/**
 * The records of a list, filtered, up to the limit; the response as received if nothing in it looks like a list. A hint
 * says when the gateway has more: the specification does not show how to request the rest.
 */
export function listOutput(
	{ params, run }: ItemContext<{ readonly returnAll: boolean; readonly limit: number }>,
	{ body, records, total = 0 }: RecordList,
	{ words, isWanted = () => true, toJson }: ListOutput,
): OperationOutput[] {
	if (!records) return [{ json: Array.isArray(body) ? { list: body } : body }];
	const limit = limitOf(params);
	const wanted = records.filter(isWanted).slice(0, limit);
	if (wanted.length < limit && total > records.length) {
		run.hint(
			`The gateway has returned ${records.length} of ${total} ${words}: it does not return more in one response`,
		);
	}
	return wanted.map((record) => ({ json: toJson(record) }));
}
