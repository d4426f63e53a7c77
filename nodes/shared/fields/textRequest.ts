import { InvalidInputError } from '../gateway/errors/errors';
import { textFormats } from '../gateway/text/formats';
import type { JsonObject } from '../gateway/util/json';
import { choice, jsonObject, optional } from '../params/kinds';
import { modelParameter } from './models';

// Parameters of every node that uses a text model.

/** The wire format. */
export const format = choice({
	displayName: 'API Format',
	options: textFormats
		.map(({ label, name, description }) => ({ name: label, value: name, description }))
		.sort((a, b) => a.name.localeCompare(b.name)),
	default: textFormats[0].name,
	description:
		'How the gateway is asked and responds. Every model can be used with each; they differ in their options and in whether they report the cost, which otherwise is computed.',
});

/** The text model. */
export const textModel = modelParameter(
	'searchTextModels',
	'vendor/model-name',
	'The model to ask. The list shows its context window in tokens and your price for a million input / output tokens.',
);

/** Fields of the request for which there is no option. */
export const extraBody = optional(
	jsonObject({
		displayName: 'Extra Body (JSON)',
		rows: 4,
		default: '{}',
		example: '{ "name": "value" }',
		description:
			'Fields to add to the request, for what has no option here. Objects are merged; everything else replaces what the other parameters set.',
	}),
);

/**
 * Checks the fields that the user adds to the request.
 *
 * @param streamHint what to do instead of setting `stream`
 * @throws {InvalidInputError} for `stream`, which decides how the response is read
 */
export function checkExtraBody(extra: JsonObject | undefined, streamHint: string): JsonObject {
	if (extra?.stream === undefined) return extra ?? {};
	throw new InvalidInputError(
		"'Extra Body (JSON)' must not hold 'stream'",
		`${streamHint} Nothing was sent.`,
		'extraBody',
	);
}
