import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

import { connect, EDITOR_SETTINGS } from '../n8n/client';
import { toNodeError } from '../run/nodeError';
import { locator } from '../params/kinds';
import type { Parameter } from '../params/parameter';
import { listMediaModels, listTextModels, type TextModel } from '../gateway/endpoints/models';
import { inputForm, takesUrls } from '../gateway/media/inputSchema';
import type { MediaModel, MediaType } from '../gateway/media/mediaModel';
import { taskPrice } from '../gateway/media/price';
import { millionTokenPrice } from '../gateway/util/money';
import type { GatewayClient } from '../gateway/client/client';

/**
 * A model picker: from the live catalogue, or by ID. Its value is the ID.
 *
 * @param listMethod the node's list search
 * @param example an ID for the placeholder
 * @param description says what the entries of the list show
 */
export function modelParameter(listMethod: string, example: string, description: string): Parameter<string> {
	return locator({
		displayName: 'Model',
		required: true,
		description,
		whenEmpty: 'Choose a model from the list, or enter its ID.',
		builderHint: {
			propertyHint:
				'The gateway decides which models exist. Take the ID from what the user says, with mode id; otherwise leave the value empty, for the user to choose.',
		},
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder: 'Select a model…',
				typeOptions: { searchListMethod: listMethod, searchable: true },
			},
			{
				displayName: 'By ID',
				name: 'id',
				type: 'string',
				placeholder: `e.g. ${example}`,
				hint: 'The ID exactly as the catalogue shows it',
			},
		],
	});
}

/** n8n's function for a list search. */
type ListSearch = (this: ILoadOptionsFunctions, filter?: string) => Promise<INodeListSearchResult>;

/** List search: the text models with their context windows and prices. */
export const searchTextModels: ListSearch = async function (filter) {
	return await searchCatalogue(this, filter, async (client) => (await listTextModels(client)).map(textEntry));
};

/**
 * Makes a list search: the media models with their prices; with their types, unless it is for one.
 *
 * @param takesFiles whether to leave out models without a field for a file
 */
function searchMediaModelsOf(mediaType: MediaType | undefined, takesFiles = false): ListSearch {
	return async function (filter) {
		return await searchCatalogue(this, filter, async (client) => {
			const models = await listMediaModels(client);
			if (mediaType === undefined) return models.map((model) => mediaEntry(model, [model.mediaType ?? '']));
			const takes = ({ inputSchema }: MediaModel) => inputForm(inputSchema).fields.some(takesUrls);
			const shown = models.filter((model) => model.mediaType === mediaType && (!takesFiles || takes(model)));
			return shown.map((model) => mediaEntry(model));
		});
	};
}

/** All media models, and those of one type; §2.2 calls speech `audio`. */
export const mediaSearches = {
	searchMediaModels: searchMediaModelsOf(undefined),
	searchImageModels: searchMediaModelsOf('image'),
	searchImageEditModels: searchMediaModelsOf('image', true),
	searchVideoModels: searchMediaModelsOf('video'),
	searchMusicModels: searchMediaModelsOf('music'),
	searchSpeechModels: searchMediaModelsOf('audio'),
};

async function searchCatalogue(
	context: ILoadOptionsFunctions,
	filter: string | undefined,
	load: (client: GatewayClient) => Promise<INodeListSearchItems[]>,
): Promise<INodeListSearchResult> {
	try {
		const entries = await load(await connect(context, EDITOR_SETTINGS));
		return {
			results: entries
				.filter(({ name, value }) => containsWords(`${name} ${String(value)}`, filter))
				.sort((a, b) => a.name.localeCompare(b.name)),
		};
	} catch (error) {
		throw toNodeError(context.getNode(), error, 0);
	}
}

/** Whether the text contains every word of the filter. */
export function containsWords(text: string, filter = ''): boolean {
	const lower = text.toLowerCase();
	return filter
		.toLowerCase()
		.split(/\s+/)
		.every((word) => lower.includes(word));
}

function textEntry(model: TextModel): INodeListSearchItems {
	const context = model.contextLength === undefined ? '' : `${shortTokens(model.contextLength)} context`;
	return entry(model.id, textPrice(model), context);
}

function textPrice({ costContext, costCompletion }: TextModel): string {
	const input = millionTokenPrice(costContext);
	const output = millionTokenPrice(costCompletion);
	if (input === undefined || output === undefined) return '';
	// The picker cuts off long entries: the parameter's description explains the two prices.
	return `₽${input} / ₽${output} per 1M tokens`;
}

/** Formats a number of tokens: 128K, 1M. */
function shortTokens(tokens: number): string {
	if (tokens >= 1_000_000) return `${Math.round(tokens / 100_000) / 10}M`;
	return tokens >= 1_000 ? `${Math.round(tokens / 1_000)}K` : String(tokens);
}

function mediaEntry(model: MediaModel, details: string[] = []): INodeListSearchItems {
	return entry(model.id, mediaPrice(model), ...details);
}

/** The price of a task with the defaults of the model; where they have none, the lowest. */
function mediaPrice(model: MediaModel): string {
	const { rub: usual } = taskPrice(model, {});
	if (usual !== undefined) return `₽${usual} per task`;
	const prices = model.tiers.flatMap(({ price }) => price ?? []);
	const [cheapest] = prices.sort((price, other) => Number(price) - Number(other));
	return cheapest === undefined ? '' : `from ₽${cheapest} per task`;
}

/** An entry of a picker, which cuts off long ones: the price comes first. */
function entry(id: string, ...details: string[]): INodeListSearchItems {
	return { name: [id, ...details].filter((part) => part !== '').join(' · '), value: id };
}
