import type { ItemContext, Operation, OperationOutput } from '../../../shared/run/operation';
import { catalogueTimeoutOption } from '../../../shared/run/settings';
import { limitFields, readLimit, searchField } from '../../../shared/fields/lists';
import { containsWords } from '../../../shared/fields/models';
import { listTextModels } from '../../../shared/gateway/endpoints/models';

/** Lists the text models, with the fields that the gateway gives (§4.4). */
export const getMany: Operation = {
	displayName: 'Get Many',
	action: 'Get many text models',
	description: 'Retrieve a list of text models with their context windows and prices',
	properties: [searchField('their ID'), ...limitFields],
	options: [catalogueTimeoutOption],
	async execute({ client, parameters }: ItemContext): Promise<OperationOutput[]> {
		const search = parameters.text('search', 'Search');
		const limit = readLimit(parameters);
		const models = (await listTextModels(client)).filter(({ id }) => containsWords(id, search));
		return models.slice(0, limit).map(({ record }) => ({ json: record }));
	},
};
