import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

import { connect, EDITOR_SETTINGS } from '../n8n/client';
import { toNodeError } from '../run/nodeError';
import { locator } from '../params/kinds';
import type { Parameter } from '../params/parameter';
import { listMediaModels, listTextModels, type TextModel } from '../gateway/endpoints/models';
import { inputForm, takesUrls } from '../gateway/media/inputSchema';
import { taskPrice, type MediaModel, type MediaType } from '../gateway/media/price';
import { compareDecimals, millionTokenPrice, rubles } from '../gateway/util/money';
import type { GatewayClient } from '../gateway/client/client';
import { editorLabel, editorValue } from './editorText';

/** A model picker: from the live catalogue, or by ID. Its value is the ID. */
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

export async function inEditor<T>(
	context: ILoadOptionsFunctions,
	load: (client: GatewayClient) => Promise<T>,
): Promise<T> {
	try {
		return await load(await connect(context, EDITOR_SETTINGS));
	} catch (error) {
		throw toNodeError(context.getNode(), error, 0);
	}
}

type ListSearch = (this: ILoadOptionsFunctions, filter?: string) => Promise<INodeListSearchResult>;

function listSearch(load: (client: GatewayClient) => Promise<INodeListSearchItems[]>): ListSearch {
	return async function (filter) {
		const entries = await inEditor(this, load);
		return { results: entries.filter(({ name }) => containsWords(name, filter)) };
	};
}

export function containsWords(text: string, filter = ''): boolean {
	const lower = text.toLowerCase();
	return filter
		.toLowerCase()
		.split(/\s+/)
		.every((word) => lower.includes(word));
}

export const searchTextModels = listSearch(async (client) =>
	(await listTextModels(client)).map(textEntry).sort((a, b) => a.name.localeCompare(b.name)),
);

/** The media models with their prices, of one type or with their types; with `takesFiles`, those first that probably do. */
function mediaSearch(type?: MediaType, takesFiles = false): ListSearch {
	const isLast = ({ inputSchema }: MediaModel) =>
		takesFiles && !inputForm(inputSchema).fields.some(takesUrls);
	return listSearch(async (client) => {
		const models = (await listMediaModels(client)).filter((model) => !type || model.mediaType === type);
		const sorted = models.sort((a, b) => Number(isLast(a)) - Number(isLast(b)) || a.id.localeCompare(b.id));
		return sorted.map((model) => entry(model.id, mediaPrice(model), type ? undefined : model.mediaType));
	});
}

/** All media models, and those of one type; §2.2 calls speech `audio`. */
export const mediaSearches = {
	searchMediaModels: mediaSearch(),
	searchImageModels: mediaSearch('image'),
	searchImageEditModels: mediaSearch('image', true),
	searchVideoModels: mediaSearch('video'),
	searchMusicModels: mediaSearch('music'),
	searchSpeechModels: mediaSearch('audio'),
};

function textEntry({ id, contextLength, costContext, costCompletion }: TextModel): INodeListSearchItems {
	const input = millionTokenPrice(costContext);
	const output = millionTokenPrice(costCompletion);
	const price = input && output && `${rubles(input)} in, ${rubles(output)} out per 1M`;
	return entry(id, price, contextLength === undefined ? undefined : TOKENS.format(contextLength));
}

/** 128K, 1M. */
const TOKENS = new Intl.NumberFormat('en', { notation: 'compact' });

/** The price of a task with the defaults of the model, and the lowest of several. */
function mediaPrice(model: MediaModel): string | undefined {
	const prices = model.tiers.flatMap(({ price }) => price ?? []);
	const [lowest, ...others] = prices.sort((a, b) => compareDecimals(a, b) ?? 0);
	if (lowest === undefined) return undefined;
	const highest = others.at(-1) ?? lowest;
	if (compareDecimals(lowest, highest) === 0) return rubles(lowest);
	const { rub } = taskPrice(model, {});
	return [rub && rubles(rub), `from ${rubles(lowest)}`].filter(Boolean).join(' · ');
}

/** An entry of a picker, which cuts off long ones: the price comes first. */
function entry(id: string, ...details: Array<string | undefined>): INodeListSearchItems {
	return { name: editorLabel([id, ...details].filter(Boolean).join(' · ')), value: editorValue(id) };
}
