import { collection } from '../../nodes/shared/params/groups';
import type { Parameter } from '../../nodes/shared/params/parameter';
import { readParameters } from '../../nodes/shared/params/nodeParameters';

/** Sets the parameter to this value and reads it. */
export function readParameter<T>(parameter: Parameter<T>, value: unknown): T {
	return readParameters(nodeWith({ field: value }), { field: parameter }).field;
}

/** Sets an option of a collection to this value and reads it. */
export function readOption(parameter: Parameter<unknown>, value: unknown): unknown {
	return readParameter(collection({ field: parameter }), { field: value }).field;
}

/** A node without items. n8n removes a parameter that the panel hides: give it as `undefined`. */
function nodeWith(values: Record<string, unknown>, request = (name: string) => values[name]) {
	const shown = Object.keys(values).filter((name) => values[name] !== undefined);
	const parameters = Object.fromEntries(shown.map((name) => [name, '={{ $json.value }}']));
	return { getNode: () => ({ parameters, type: 'node' }), getNodeParameter: request };
}
