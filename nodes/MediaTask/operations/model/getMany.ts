import { limitParameters, searchParameter } from '../../../shared/fields/results';
import { containsWords } from '../../../shared/fields/models';
import { listMediaModels } from '../../../shared/gateway/endpoints/models';
import { omit } from '../../../shared/gateway/util/json';
import { defineOperation } from '../../../shared/run/operation';

export const getMany = defineOperation({
	displayName: 'Get Many',
	action: 'Get many media models',
	description: 'Retrieve a list of media models with their prices and input schemas',
	toolDescription:
		'Lists the models that generate images, videos, music or speech. Returns the ID, the media type and the prices in rubles of each.',
	isRead: true,
	isSingleRequest: true,
	parameters: {
		search: searchParameter('their ID, owner or media type'),
		...limitParameters,
	},
	async execute({ params, run, client }) {
		const models = (await listMediaModels(client)).filter(({ id, ownedBy, mediaType }) =>
			containsWords([id, ownedBy, mediaType].join(' '), params.search),
		);
		// An input schema is too long for an AI Agent.
		return models
			.slice(0, params.limit)
			.map(({ record }) => ({ json: run.isTool ? omit(record, 'input_schema') : record }));
	},
});
