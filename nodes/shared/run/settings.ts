import type { NodeHint } from 'n8n-workflow';

import type { RequestSettings } from '../gateway/client/client';
import { decimal, integer, number } from '../params/kinds';
import type { Values } from '../params/parameter';

/** The most that an execution may cost, as decimal text in rubles. */
export const maxCostRub = decimal({
	displayName: 'Max Cost per Execution (₽)',
	default: 100,
	description:
		'The most that one execution may cost. A call that could exceed it is not sent. Texts without Max Tokens are then limited to 4,096 tokens. Sub-workflows count on their own.',
	traits: { changesRequest: false, byUserOnly: true },
}).requiredIfAdded();

/** Warns before a run with many items and without *Max Cost per Execution*; `charged` matches `resource operation`. */
export function noLimitHint(charged: RegExp): NodeHint {
	return {
		message: `The input has more than 20 items, and nothing limits what they cost. To set a limit, add the option '${maxCostRub.label}'.`,
		type: 'warning',
		location: 'outputPane',
		whenToDisplay: 'beforeExecution',
		displayCondition: `={{ ${charged}.test($parameter["resource"] + " " + $parameter["operation"]) && $parameter["options"]?.["maxCostRub"] === undefined && $parameter["options"]?.["dryRun"] !== true && $input.all().length > 20 }}`,
	};
}

export const requestOptions = {
	maxRetries: integer({
		displayName: 'Max Retries',
		min: 0,
		max: 10,
		default: 3,
		description:
			'How often to repeat a request that failed for a temporary reason. A call that may have been charged is not repeated, except a text after a status 500. Defaults to 3.',
		traits: { changesRequest: false },
	}),
	rateLimitWait: number({
		displayName: 'Rate Limit Wait (Minutes)',
		min: 0,
		max: 1440,
		decimals: 3,
		default: 15,
		description:
			'How long a request waits while the gateway rejects it because of the rate limit. Such rejections do not count as retries. Defaults to 15; with 0, the item fails at once.',
		traits: { changesRequest: false, forLongRuns: true },
	}),
	timeout: number({
		displayName: 'Timeout (Seconds)',
		min: 1,
		default: 315,
		description:
			'How long to wait for a complete response. Defaults to 315, to 60 for lists of models and task states, to 900 for a streamed response.',
		traits: { changesRequest: false },
	}),
};

export const runOptions = {
	concurrency: integer({
		displayName: 'Concurrency',
		min: 1,
		max: 100,
		default: 8,
		description: 'How many items to send to the gateway at the same time. Defaults to 8.',
		traits: { changesRequest: false, forLongRuns: true },
	}),
	...requestOptions,
};

/** @throws {InvalidInputError} for values out of range */
export function requestSettings(options: Values<typeof requestOptions>): RequestSettings {
	return {
		maxRetries: options.maxRetries,
		rateLimitWaitMs: Math.round(options.rateLimitWait * 60_000),
		// The initial value does not end a stream sooner.
		timeoutMs: options.timeout === 315 ? undefined : Math.round(options.timeout * 1000),
	};
}
