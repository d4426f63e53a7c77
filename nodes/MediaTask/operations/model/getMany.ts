import type { INodeProperties } from 'n8n-workflow';

import type { ItemContext, Operation, OperationOutput } from '../../../shared/execution/operation';
import { listMediaModels, MEDIA_TYPES, type MediaModel } from '../../../shared/gateway/catalogue';
import type { JsonObject } from '../../../shared/gateway/json';

const ALL = 'all';

const properties: INodeProperties[] = [
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
		typeOptions: { minValue: 1 },
		default: 50,
		displayOptions: { show: { returnAll: [false] } },
		description: 'Max number of results to return',
	},
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
	{
		displayName: 'Search',
		name: 'search',
		type: 'string',
		default: '',
		placeholder: 'e.g. vendor name',
		description: 'Words that stand in the ID or the owner of the model. Leave empty for all models.',
	},
];

/** Lists the media models (§4.5), one item each, as the catalogue gives them. */
export const getMany: Operation = {
	displayName: 'Get Many',
	action: 'Get many media models',
	description: 'Get the models of the catalogue with their prices and input schemas',
	properties,
	async execute(item: ItemContext): Promise<OperationOutput[]> {
		const { parameters, run } = item;
		const mediaType = parameters.choice('mediaType', [ALL, ...MEDIA_TYPES]);
		const words = parameters.text('search').toLowerCase().split(/\s+/);
		const limit = parameters.flag('returnAll') ? Infinity : parameters.count('limit', 'Limit');
		const models = (await listMediaModels(item.client)).filter(
			(model) => (mediaType === ALL || model.mediaType === mediaType) && hasWords(model, words),
		);
		return models.slice(0, limit).map(({ record }) => ({ json: run.isTool ? small(record) : record }));
	},
};

function hasWords({ id, ownedBy, mediaType }: MediaModel, words: readonly string[]): boolean {
	const text = [id, ownedBy, mediaType].join(' ').toLowerCase();
	return words.every((word) => text.includes(word));
}

/** A record without its input schema, which would fill an AI Agent's memory. */
function small(record: JsonObject): JsonObject {
	const short = { ...record };
	delete short.input_schema;
	return short;
}
