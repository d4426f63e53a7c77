import type { IDataObject } from 'n8n-workflow';

import { asArray, asNumber, asObject, asObjects, asText } from '../../shared/gateway/util/json';

/** What is stored with a suspended execution. A type, not an interface: n8n stores plain data. */
export type SavedState = {
	/** Identifies this suspension of the execution. */
	id: string;
	/** When the execution resumes without a callback, in Unix milliseconds. */
	until: number;
	/** The tasks of the run by item, also those that have ended. */
	tasks: Record<string, string>;
	/** The items for whose tasks the gateway sends a callback. */
	callbacks: number[];
	/** The JSON data of the node's input items, in whose place its outputs are stored. */
	input: IDataObject[];
};

/** Reads a saved state, which another version of the package may have stored. */
export function readSavedState(value: unknown): SavedState | undefined {
	const { id, until, tasks, callbacks, input } = asObject(value) ?? {};
	const stateId = asText(id);
	if (stateId === undefined) return undefined;
	const known = Object.entries(asObject(tasks) ?? {}).flatMap(([index, taskId]) =>
		typeof taskId === 'string' ? [[index, taskId] as const] : [],
	);
	return {
		id: stateId,
		until: asNumber(until) ?? 0,
		tasks: Object.fromEntries(known),
		callbacks: asArray(callbacks).flatMap((index) => asNumber(index) ?? []),
		input: asObjects(input),
	};
}
