import { collection } from '../../nodes/shared/params/groups';
import { declare, type Parameter } from '../../nodes/shared/params/parameter';
import { nodeParameters } from '../../nodes/shared/params/source';

/** Sets the parameter to this value and reads it. */
export function readParameter<T>(parameter: Parameter<T>, value: unknown, isTolerant = false): T {
	return nodeParameters(nodeWith({ field: value }), { isTolerant }).read('field', parameter);
}

/** Sets an option of a collection to this value and reads it. */
export function readOption(parameter: Parameter<unknown>, value: unknown, isTolerant = false): unknown {
	const options = collection({ field: parameter });
	return declare({ options: options }).read(
		nodeParameters(nodeWith({ options: { field: value } }), { isTolerant }),
	).options.field;
}

/** A node without items. n8n removes a parameter that the panel hides: give it as `undefined`. */
export function nodeWith(values: Record<string, unknown>, request = (name: string) => values[name]) {
	const shown = Object.keys(values).filter((name) => values[name] !== undefined);
	const parameters = Object.fromEntries(shown.map((name) => [name, '={{ $json.value }}']));
	return { getNode: () => ({ parameters }), getNodeParameter: request };
}

/** A value is read in the same way in both places. */
export const places = [
	['a parameter', readParameter],
	['an option', readOption],
] as const;
