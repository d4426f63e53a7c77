import { modelParameter } from '../../../shared/fields/models';
import { listTextModels } from '../../../shared/gateway/endpoints/models';
import { InvalidInputError } from '../../../shared/gateway/errors/errors';
import { defineOperation } from '../../../shared/run/operation';

export const get = defineOperation({
	displayName: 'Get',
	action: 'Get a text model',
	description: 'Retrieve a text model with its context window and prices',
	isLight: true,
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
