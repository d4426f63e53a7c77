import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { Parameters } from './parameters';

const DEFAULT_CONCURRENCY = 8;
const MAX_CONCURRENCY = 100;
const DEFAULT_MAX_RETRIES = 3;
const MAX_MAX_RETRIES = 10;

/** How single requests behave. */
export const requestOptions: INodeProperties[] = [
	{
		displayName: 'Max Retries',
		name: 'maxRetries',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: MAX_MAX_RETRIES, numberPrecision: 0 },
		default: DEFAULT_MAX_RETRIES,
		description:
			'How often a request is sent again when the gateway is busy or fails for a moment, without charging anything twice. Defaults to 3.',
	},
	{
		displayName: 'Timeout (Seconds)',
		name: 'timeout',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 300,
		description:
			'How long to wait for the gateway to answer. Defaults to 300, to 60 for catalogues and the state of tasks, and to 900 for the whole of a streamed answer.',
	},
];

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
	...requestOptions,
];

/** How one item's requests behave. */
export interface ItemSettings {
	maxRetries: number;
	/** Milliseconds; `undefined` leaves each request its own timeout. */
	timeoutMs: number | undefined;
}

/**
 * Reads an item's request settings.
 *
 * @throws {InvalidInput} for values out of range
 */
export function itemSettings(parameters: Parameters): ItemSettings {
	const { options } = parameters;
	const seconds = options.number('timeout', 'Timeout (Seconds)', { min: 0.001 });
	return {
		maxRetries:
			options.number('maxRetries', 'Max Retries', { min: 0, max: MAX_MAX_RETRIES }) ?? DEFAULT_MAX_RETRIES,
		timeoutMs: seconds === undefined ? undefined : Math.round(seconds * 1000),
	};
}

/**
 * How many items run at once. A setting of the node, not of an item: the first item's value counts.
 *
 * @throws {InvalidInput} when it is no number from 1 to 100
 */
export function readConcurrency(context: IExecuteFunctions): number {
	const { options } = new Parameters(context, 0);
	const concurrency = options.number('concurrency', 'Concurrency', { min: 1, max: MAX_CONCURRENCY });
	return Math.floor(concurrency ?? DEFAULT_CONCURRENCY);
}
