import type { INodeProperties } from 'n8n-workflow';

import type { Parameters } from '../params/parameters';
import { InvalidInputError } from '../gateway/errors/errors';

/**
 * Narrows a list.
 *
 * @param place where the words are looked for
 */
export function searchField(place: string): INodeProperties {
	return {
		displayName: 'Search',
		name: 'search',
		type: 'string',
		default: '',
		placeholder: 'e.g. vendor mini',
		description: `Only models with all of these words in ${place}. Leave empty for all.`,
	};
}

/** How much of a list is put out. */
export const limitFields: INodeProperties[] = [
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: 50,
		description: 'Max number of results to return',
		displayOptions: { show: { returnAll: [false] } },
	},
];

/**
 * How many results to put out; infinite for all.
 *
 * @throws {InvalidInputError} for a limit below 1
 */
export function readLimit(parameters: Parameters): number {
	if (parameters.flag('returnAll', 'Return All')) return Infinity;
	const limit = Number(parameters.text('limit', 'Limit'));
	if (Number.isInteger(limit) && limit >= 1) return limit;
	throw new InvalidInputError(
		"'Limit' is not a whole number of at least 1",
		'Enter a number such as 50.',
		'limit',
	);
}
