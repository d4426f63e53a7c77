import { InvalidInputError } from '../gateway/errors/errors';
import { textFormats } from '../gateway/text/formats';
import { asText, type JsonObject } from '../gateway/util/json';
import { choice, flag, jsonObject, optional, texts } from '../params/kinds';
import { modelParameter } from './models';
import { shownForFormats } from './textOptions';

// Parameters of every node that uses a text model.

export const format = choice({
	displayName: 'API Format',
	options: textFormats
		.map(({ label, name, description }) => ({ name: label, value: name, description }))
		.sort((a, b) => (a.name < b.name ? -1 : 1)),
	default: textFormats[0].name,
	description:
		'The API of the gateway to use. They differ in their options, and in whether the gateway reports the cost or the node computes it.',
});

export const textModel = modelParameter(
	'searchTextModels',
	'vendor/model-name',
	'The model to use. The list shows its context window in tokens, and your price for a million input / output tokens.',
);

export const fallbackModels = optional(
	texts({
		displayName: 'Fallback Models',
		default: [],
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Model' },
		placeholder: 'e.g. vendor/model-name',
		description:
			'IDs of models to try, in this order, when a call is rejected before it is charged, e.g. because of the rate limit, a long input or an unavailable model',
	}),
);

export const cachePrompt = optional(
	flag({
		displayName: 'Cache Prompt',
		default: true,
		description:
			'Whether the provider caches instructions, long texts and conversations, if the model supports it. Requests with the same beginning then cost less; the first may cost more.',
		...shownForFormats(({ hasCachePoints }) => hasCachePoints),
	}),
);

export const extraBody = optional(
	jsonObject({
		displayName: 'Extra Body (JSON)',
		rows: 4,
		default: '{}',
		example: '{ "name": "value" }',
		description:
			'Fields to add to the request that have no option here. Objects are merged; other values replace those of the other parameters.',
	}),
);

/** The fields that the user adds to the request. `stream` decides how the response is read, so it is not one of them. */
export function checkExtraBody(extra: JsonObject | undefined, streamHint: string): JsonObject {
	if (extra?.stream === undefined) return extra ?? {};
	throw new InvalidInputError("'Extra Body (JSON)' must not contain 'stream'", streamHint, 'extraBody');
}

/** The model that a call asks: *Extra Body (JSON)* may name another one than the list. */
export function askedModel(model: string, extraBody: JsonObject): string {
	return asText(extraBody.model) ?? model;
}
