import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import type { RequestSettings } from '../gateway/client/client';
import { Parameters } from '../params/parameters';

const DEFAULT_CONCURRENCY = 8;
const MAX_CONCURRENCY = 100;
const DEFAULT_MAX_RETRIES = 3;
const MAX_MAX_RETRIES = 10;
const MIN_TIMEOUT_SECONDS = 1;

/** How often a request is tried again. */
export const maxRetriesOption: INodeProperties = {
	displayName: 'Max Retries',
	name: 'maxRetries',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: MAX_MAX_RETRIES, numberPrecision: 0 },
	default: DEFAULT_MAX_RETRIES,
	description:
		'How often a request is sent again when the gateway is busy or fails for a moment, without charging anything twice. Defaults to 3.',
};

/**
 * The option for the longest time that a request takes.
 *
 * @param note what counts without it, and what else it bounds
 * @param seconds what it begins with
 */
function timeoutOption(note: string, seconds = 300): INodeProperties {
	return {
		displayName: 'Timeout (Seconds)',
		name: 'timeout',
		type: 'number',
		typeOptions: { minValue: MIN_TIMEOUT_SECONDS },
		default: seconds,
		description: `How long a single request may wait for the gateway. ${note}.`,
	};
}

/** For what asks a text model: answers may be streamed. */
export const textTimeoutOption = timeoutOption(
	'Defaults to 300, to 60 for catalogues. Also bounds a streamed answer as a whole, which may take 900 without this option',
);

/** For what makes media: tasks are looked at, and models looked up. */
export const mediaTimeoutOption = timeoutOption('Defaults to 300, to 60 for catalogues and task states');

/** For what asks for nothing but a catalogue. */
export const catalogueTimeoutOption = timeoutOption('Defaults to 60', 60);

/** Options that every operation of every action node has. */
export const runOptions: INodeProperties[] = [
	{
		displayName: 'Concurrency',
		name: 'concurrency',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: MAX_CONCURRENCY, numberPrecision: 0 },
		default: DEFAULT_CONCURRENCY,
		description: 'How many items are sent to the gateway at the same time. Defaults to 8.',
	},
	maxRetriesOption,
	timeoutOption('Defaults to 300'),
];

/**
 * Reads an item's request settings.
 *
 * @throws {InvalidInputError} for values out of range
 */
export function itemSettings(parameters: Parameters): RequestSettings {
	const { options } = parameters;
	const seconds = options.number('timeout', 'Timeout (Seconds)', { min: MIN_TIMEOUT_SECONDS });
	return {
		maxRetries:
			options.number('maxRetries', 'Max Retries', { min: 0, max: MAX_MAX_RETRIES, integer: true }) ??
			DEFAULT_MAX_RETRIES,
		timeoutMs: seconds === undefined ? undefined : Math.round(seconds * 1000),
	};
}

/**
 * How many items run at once. A setting of the node, not of an item: the first item's value counts.
 *
 * @throws {InvalidInputError} when it is no whole number from 1 to 100
 */
export function readConcurrency(context: IExecuteFunctions): number {
	const { options } = new Parameters(context, 0);
	const range = { min: 1, max: MAX_CONCURRENCY, integer: true };
	return options.number('concurrency', 'Concurrency', range) ?? DEFAULT_CONCURRENCY;
}
