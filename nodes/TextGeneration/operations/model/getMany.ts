import { limitOf, limitParameters, searchParameter } from '../../../shared/fields/results';
import { containsWords } from '../../../shared/fields/models';
import { listTextModels } from '../../../shared/gateway/endpoints/models';
import { defineOperation } from '../../../shared/run/operation';

export const getMany = defineOperation({
	displayName: 'Get Many',
	action: 'Get many text models',
	description: 'Retrieve a list of text models with their context windows and prices',
	toolDescription:
		'Lists the language models of the gateway. Returns the ID, the context window in tokens and the prices in rubles of each.',
	isLight: true,
	parameters: { search: searchParameter('their ID'), ...limitParameters },
	async execute({ client, params }) {
		const models = (await listTextModels(client)).filter(({ id }) => containsWords(id, params.search));
		return models.slice(0, limitOf(params)).map(({ record }) => ({ json: record }));
	},
});
