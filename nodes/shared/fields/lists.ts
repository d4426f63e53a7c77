import { flag, integer, text } from '../params/kinds';

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
