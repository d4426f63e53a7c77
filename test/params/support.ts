import { collection } from '../../nodes/shared/params/groups';
import { declare, type Parameter } from '../../nodes/shared/params/parameter';
import { nodeParameters } from '../../nodes/shared/params/source';

/** Gives a parameter this value, and reads it. */
export function readParameter<T>(parameter: Parameter<T>, value: unknown, isTolerant = false): T {
	return nodeParameters({ getNodeParameter: () => value }, { isTolerant }).read('field', parameter);
}

/** Gives an option of a collection this value, and reads it. */
export function readOption(parameter: Parameter<unknown>, value: unknown, isTolerant = false): unknown {
	const options = collection({ field: parameter });
	return declare({ options: options }).read(
		nodeParameters({ getNodeParameter: () => ({ field: value }) }, { isTolerant }),
	).options.field;
}

/** A value of any kind is read alike in both places. */
export const places = [
	['a parameter', readParameter],
	['an option', readOption],
] as const;
