import { flag, text, integer } from '../params/kinds';
import type { Values } from '../params/parameter';
import type { List } from '../gateway/endpoints/lists';
import type { JsonObject } from '../gateway/util/json';
import type { ItemContext } from '../run/operation';

export const simplify = flag({
	displayName: 'Simplify',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
	traits: { changesRequest: false },
});

export const downloadResults = flag({
	displayName: 'Download Results',
	default: true,
	description:
		'Whether to download the generated files into binary fields, in addition to returning their URLs, which work for 7 days',
	traits: { changesRequest: false },
}).notForTools();

export const binaryPropertyName = text({
	displayName: 'Put Output File in Field',
	default: 'data',
	placeholder: 'e.g. data',
	description:
		"The name of the output binary field to put the file in. Further files get _1, _2 … appended. Defaults to 'data'.",
	traits: { changesRequest: false },
});

export const includeInput = flag({
	displayName: 'Include Input Fields',
	noDataExpression: true,
	default: true,
	description:
		'Whether to output the fields and files of the input item, too. Those that the result also has are in a field named input.',
	traits: { changesRequest: false },
})
	.requiredIfAdded()
	.notForTools();

export function searchParameter(place: string) {
	return text({
		displayName: 'Search',
		placeholder: 'e.g. vendor mini',
		description: `Only models with all of these words in ${place}. Leave empty for all.`,
	});
}

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
	}).shownIf({ returnAll: [false] }),
};

/** The wanted records of a list. No query for further pages is known (§4.13, §4.17): a hint says if there are more. */
export function pageOf(
	{ records, hasMore }: List,
	{ params, run }: ItemContext<Values<typeof limitParameters>>,
): JsonObject[] {
	const { limit = Infinity } = params;
	if (hasMore && limit > records.length)
		run.hints.add(`The gateway has more than these ${records.length}: only its first page is known.`);
	return records.slice(0, limit);
}
