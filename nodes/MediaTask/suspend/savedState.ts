import type { IDataObject } from 'n8n-workflow';

import type { RequestSettings } from '../../shared/gateway/client/client';
import { asNumber, asObject, asObjects, asText, type JsonObject } from '../../shared/gateway/util/json';
import { readResultSettings, type ResultSettings } from '../operations/task/result';

/** What is stored with a suspended execution. Types, not interfaces: n8n stores plain data. */
export type SavedState = {
	/** Identifies this suspension of the execution. */
	id: string;
	/** When the execution resumes without a callback, in Unix milliseconds. */
	until: number;
	/** The concurrency of the run. */
	concurrency: number;
	/** The items with unfinished tasks. */
	items: SavedItem[];
	/** The tasks that are paid for, by item, also those of finished items. */
	tasks: Record<string, string>;
};

/** An item with an unfinished task. */
export type SavedItem = SavedTask & {
	index: number;
	/** Whether the gateway sends a callback when the task has ended. */
	hasCallback: boolean;
	/** The request settings of the item. */
	requests: RequestSettings;
};

/** What the resumed execution needs to know of a task. */
export type SavedTask = {
	taskId: string;
	settings: ResultSettings;
	priceRub?: number | undefined;
	/** The item's output if the execution resumes without a callback and the task has not ended. */
	timedOutOutput: IDataObject;
};

/**
 * Reads a saved state. Another version of the package may have stored it, and a missing field must not cost an
 * item its result.
 */
export function readSavedState(value: unknown): SavedState | undefined {
	const stored = asObject(value);
	const id = asText(stored?.id);
	const items = asObjects(stored?.items).map(readItem);
	if (!stored || id === undefined || items.length === 0) return undefined;
	const tasks = Object.entries(asObject(stored.tasks) ?? {}).flatMap(([index, taskId]) =>
		typeof taskId === 'string' && taskId !== '' ? [[index, taskId] as const] : [],
	);
	return {
		id,
		until: asNumber(stored.until) ?? 0,
		concurrency: Math.max(asNumber(stored.concurrency) ?? 1, 1),
		items,
		tasks: Object.fromEntries(tasks),
	};
}

function readItem(stored: JsonObject): SavedItem {
	const { maxRetries, timeoutMs, rateLimitWaitMs, requestsPerMinute } = asObject(stored.requests) ?? {};
	return {
		index: Number(stored.index),
		taskId: asText(stored.taskId) ?? '',
		hasCallback: stored.hasCallback === true,
		requests: {
			maxRetries: asNumber(maxRetries) ?? 0,
			timeoutMs: asNumber(timeoutMs),
			rateLimitWaitMs: asNumber(rateLimitWaitMs),
			requestsPerMinute: asNumber(requestsPerMinute),
		},
		settings: readResultSettings(stored.settings),
		priceRub: asNumber(stored.priceRub),
		timedOutOutput: asObject(stored.timedOutOutput) ?? {},
	};
}
