import type { INodeProperties } from 'n8n-workflow';

import type { Parameters } from '../params/parameters';
import { InvalidInputError } from '../gateway/errors/errors';
import { textFormat, textFormats } from '../gateway/text/formats';
import type { TextFormat } from '../gateway/text/formats/format';
import type { JsonObject } from '../gateway/util/json';
import { modelLocator } from './models';

// What every node that asks a text model has in common.

/** The choice between wire formats. */
export const formatField: INodeProperties = {
	displayName: 'API Format',
	name: 'format',
	type: 'options',
	options: textFormats
		.map(({ label, name, description }) => ({ name: label, value: name, description }))
		.sort((a, b) => a.name.localeCompare(b.name)),
	default: 'chat',
	description:
		'How the gateway is asked and answers. Every model can be used with each; they differ in their options and in whether they report the cost.',
};

/** The text model to ask. */
export const textModelField: INodeProperties = modelLocator(
	'searchTextModels',
	'vendor/model-name',
	'The model to ask. The list shows its context window in tokens and your price for a million input / output tokens.',
);

/** The option for what has no option. */
export const extraBodyField: INodeProperties = {
	displayName: 'Extra Body (JSON)',
	name: 'extraBody',
	type: 'json',
	typeOptions: { rows: 4 },
	default: '{}',
	description:
		'Fields to add to the request, for what has no option here. Objects are merged; everything else replaces what the other parameters set.',
};

/**
 * The chosen wire format.
 *
 * @throws {InvalidInputError} when there is no such format
 */
export function readFormat(parameters: Parameters): TextFormat {
	const names = textFormats.map(({ name }) => name);
	return textFormat(parameters.choice('format', 'API Format', names));
}

/**
 * The fields that the user adds to the request.
 *
 * @param streamAdvice what to do instead of setting `stream`
 * @throws {InvalidInputError} for what is no object, and for `stream`, which decides how the answer is read
 */
export function readExtraBody({ options }: Parameters, streamAdvice: string): JsonObject {
	const extra: JsonObject = options.object('extraBody', 'Extra Body (JSON)') ?? {};
	if (extra.stream !== undefined) {
		throw new InvalidInputError(
			"'Extra Body (JSON)' must not hold 'stream'",
			`${streamAdvice} Nothing was sent.`,
			'extraBody',
		);
	}
	return extra;
}
