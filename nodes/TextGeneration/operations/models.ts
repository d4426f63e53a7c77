import { limitParameters, searchParameter } from '../../shared/fields/results';
import { containsWords, modelParameter } from '../../shared/fields/models';
import { listTextModels } from '../../shared/gateway/endpoints/models';
import { InvalidInputError } from '../../shared/gateway/errors/errors';
import { defineOperation } from '../../shared/run/operation';

export const get = defineOperation({
	displayName: 'Get',
	action: 'Get text model',
	description: 'Retrieve a text model with its context window and prices',
	isRead: true,
	isSingleRequest: true,
	parameters: {
		model: modelParameter('searchTextModels', 'vendor/model-name', 'The model to look up in the catalogue'),
	},
	async execute({ client, params }) {
		const model = (await listTextModels(client)).find(({ id }) => id === params.model);
		if (model) return [{ json: model.record }];
		throw new InvalidInputError(
			`The catalogue has no text model "${params.model}"`,
			'Choose a model from the list: IDs change over time.',
			'model',
		);
	},
});

export const getMany = defineOperation({
	displayName: 'Get Many',
	action: 'Get many text models',
	description: 'Retrieve a list of text models with their context windows and prices',
	toolDescription:
		'Lists the language models of the gateway. Returns the ID, the context window in tokens and the prices in rubles of each.',
	isRead: true,
	isSingleRequest: true,
	parameters: { search: searchParameter('their ID'), ...limitParameters },
	async execute({ client, params }) {
		const models = (await listTextModels(client)).filter(({ id }) => containsWords(id, params.search));
		return models.slice(0, params.limit).map(({ record }) => ({ json: record }));
	},
});
