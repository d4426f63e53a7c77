import type { INodeProperties } from 'n8n-workflow';

import type { Parameters } from '../execution/parameters';
import { InvalidInput } from '../gateway/failure';
import type { TextFormat } from '../gateway/formats/format';
import type { JsonObject } from '../gateway/json';
import { modelLocator } from './models';

// What every node that asks a text model has in common.

/** The choice between wire formats. */
export function formatField(formats: readonly TextFormat[]): INodeProperties {
	return {
		displayName: 'API Format',
		name: 'format',
		type: 'options',
		options: formats
			.map(({ label, name, description }) => ({ name: label, value: name, description }))
			.sort((a, b) => a.name.localeCompare(b.name)),
		default: 'chat',
		description:
			'How the gateway is asked and answers. Every model can be used with each; they differ in their options and in whether they report the cost.',
	};
}

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
 * @throws {InvalidInput} when it is none of `formats`
 */
export function readFormat(parameters: Parameters, formats: readonly TextFormat[]): TextFormat {
	const names = formats.map(({ name }) => name);
	const chosen = parameters.choice('format', 'API Format', names);
	const format = formats.find(({ name }) => name === chosen);
	if (!format)
		throw new InvalidInput(
			"'API Format' has an unknown value",
			`It takes one of: ${names.join(', ')}.`,
			'format',
		);
	return format;
}

/**
 * The fields that the user adds to the request.
 *
 * @param streamAdvice what to do instead of setting `stream`
 * @throws {InvalidInput} for what is no object, and for `stream`, which decides how the answer is read
 */
export function readExtraBody({ options }: Parameters, streamAdvice: string): JsonObject {
	const extra: JsonObject = options.object('extraBody', 'Extra Body (JSON)') ?? {};
	if (extra.stream !== undefined) {
		throw new InvalidInput(
			"'Extra Body (JSON)' must not hold 'stream'",
			`${streamAdvice} Nothing was sent.`,
			'extraBody',
		);
	}
	return extra;
}
