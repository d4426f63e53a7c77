import { modelParameter } from '../../../shared/fields/models';
import { listTextModels } from '../../../shared/gateway/endpoints/models';
import { ApiError } from '../../../shared/gateway/errors/errors';
import { similarIds } from '../../../shared/gateway/text/unknownModel';
import { defineOperation } from '../../../shared/run/operation';

/** Returns a text model of the catalogue (§4.4), with the fields that the gateway returns. */
export const get = defineOperation({
	displayName: 'Get',
	action: 'Get a text model',
	description: 'Retrieve a text model with its context window and prices',
	parameters: {
		model: modelParameter('searchTextModels', 'vendor/model-name', 'The model to look up in the catalogue'),
	},
	async execute({ client, params }) {
		const id = params.model;
		const models = await listTextModels(client);
		const model = models.find((candidate) => candidate.id === id);
		if (model) return [{ json: model.record }];
		throw notInCatalogue(
			id,
			models.map((candidate) => candidate.id),
		);
	},
});

function notInCatalogue(id: string, ids: string[]): ApiError {
	const close = similarIds(id, ids);
	return new ApiError({
		message: `The catalogue has no text model "${id}"`,
		description:
			close.length > 0
				? `Similar models: ${close.join(', ')}.`
				: 'Choose a model from the list: IDs change over time.',
		outcome: 'rejected',
		kind: 'read',
		code: 'model_not_found',
		retryable: false,
	});
}
