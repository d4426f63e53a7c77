import type { INodeProperties } from 'n8n-workflow';

import type { ItemContext, Operation, OperationOutput } from '../../../shared/run/operation';
import { limitFields, readLimit, searchField } from '../../../shared/fields/lists';
import { containsWords } from '../../../shared/fields/models';
import { listMediaModels, MEDIA_TYPES, type MediaModel } from '../../../shared/gateway/endpoints/models';
import type { JsonObject } from '../../../shared/gateway/util/json';

const ALL = 'all';

const properties: INodeProperties[] = [
	searchField('their ID, owner or media type'),
	{
		displayName: 'Media Type',
		name: 'mediaType',
		type: 'options',
		options: [
			{ name: 'All', value: ALL },
			{ name: 'Audio', value: 'audio' },
			{ name: 'Image', value: 'image' },
			{ name: 'Music', value: 'music' },
			{ name: 'Video', value: 'video' },
		],
		default: ALL,
		description: 'What the models make',
	},
	...limitFields,
];

/** Lists the media models (§4.5), one item each, as the catalogue gives them. */
export const getMany: Operation = {
	displayName: 'Get Many',
	action: 'Get many media models',
	description: 'Retrieve a list of media models with their prices and input schemas',
	properties,
	async execute(item: ItemContext): Promise<OperationOutput[]> {
		const { parameters, run } = item;
		const mediaType = parameters.choice('mediaType', 'Media Type', [ALL, ...MEDIA_TYPES]);
		const search = parameters.text('search', 'Search');
		const limit = readLimit(parameters);
		const models = (await listMediaModels(item.client)).filter(
			(model) => (mediaType === ALL || model.mediaType === mediaType) && hasWords(model, search),
		);
		return models.slice(0, limit).map(({ record }) => ({ json: run.isTool ? small(record) : record }));
	},
};

function hasWords({ id, ownedBy, mediaType }: MediaModel, search: string): boolean {
	return containsWords([id, ownedBy, mediaType].join(' '), search);
}

/** A record without its input schema, which would fill an AI Agent's memory. */
function small(record: JsonObject): JsonObject {
	const short = { ...record };
	delete short.input_schema;
	return short;
}
