import type { ItemContext, Operation, OperationOutput } from '../../../shared/execution/operation';
import { limitFields, readLimit, searchField } from '../../../shared/fields/lists';
import { containsWords } from '../../../shared/fields/models';
import { listTextModels } from '../../../shared/gateway/catalogue';

/** Lists the text models, with the fields that the gateway gives (§4.4). */
export const getMany: Operation = {
	displayName: 'Get Many',
	action: 'Get many text models',
	description: 'List the text models with their context windows and prices',
	properties: [searchField, ...limitFields],
	async execute({ client, parameters }: ItemContext): Promise<OperationOutput[]> {
		const search = parameters.text('search');
		const limit = readLimit(parameters);
		const models = (await listTextModels(client)).filter(({ id }) => containsWords(id, search));
		return models.slice(0, limit).map(({ record }) => ({ json: record }));
	},
};
