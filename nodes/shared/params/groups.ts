import type { INodeProperties } from 'n8n-workflow';

import { InvalidInputError } from '../gateway/errors/errors';
import { asArray, asObject, type JsonObject } from '../gateway/util/json';
import { isUnset } from './kinds';
import {
	declare,
	Parameter,
	type Declarations,
	type Description,
	type Location,
	type Source,
	type Values,
} from './parameter';

/** Reads each value of an object once. */
class ObjectSource implements Source {
	private readonly known = new Map<string, unknown>();

	/** @param locate returns the location of a value */
	constructor(
		private readonly values: JsonObject,
		private readonly locate: (name: string, label: string) => Location,
	) {}

	read<T>(name: string, parameter: Parameter<T>): T {
		if (this.known.has(name)) return this.known.get(name) as T;
		// An expression may return nothing: that is an empty value, not a missing one.
		const given = Object.hasOwn(this.values, name) ? (this.values[name] ?? null) : undefined;
		const value = parameter.read(given, this.locate(name, parameter.label));
		this.known.set(name, value);
		return value;
	}
}

/** Options that the user adds one by one; see {@link Parameter} for empty ones. The panel sorts them by label. */
export function collection<D extends Declarations>(
	declarations: D,
	description: Partial<INodeProperties> = {},
): Parameter<Values<D>> {
	const set = declare(declarations);
	const options = [...set.properties].sort((a, b) => a.displayName.localeCompare(b.displayName));
	return new Parameter<Values<D>>(
		{
			displayName: 'Options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			...description,
			options,
		},
		(value, at) =>
			set.read(
				new ObjectSource(added(value, declarations), (name, label) =>
					at.inner(name, `The option '${label}'`),
				),
			),
	);
}

/** Options that belong together: one entry of a {@link collection}, which shows all of them when it is added. */
export function group<D extends Declarations>(displayName: string, declarations: D): Parameter<Values<D>> {
	const name = 'values';
	const description: Description = {
		displayName,
		type: 'fixedCollection',
		default: { [name]: {} },
		options: [{ displayName, name, values: declare(declarations).properties }],
	};
	const { reader } = collection(declarations);
	return new Parameter(description, (value, at) => reader(asObject(value)?.[name], at));
}

function added(value: unknown, declarations: Declarations): JsonObject {
	const options = Object.entries(asObject(value) ?? {});
	return Object.fromEntries(
		options.filter(([name, option]) => !isUnset(option) || declarations[name]?.readsEmpty === true),
	);
}

/** One row of a parameter that repeats. */
export interface Row<D extends Declarations> {
	values: Values<D>;
	/** Names the row in errors about it. */
	at: Location;
}

/**
 * A parameter that repeats: rows of fields.
 *
 * @param spec.group the name under which workflows store the rows
 * @param spec.groupLabel the panel's label of a row
 */
export function rows<D extends Declarations>(
	spec: Omit<INodeProperties, 'name' | 'type' | 'options' | 'default'> & {
		group: string;
		groupLabel: string;
		fields: D;
		default?: INodeProperties['default'];
	},
): Parameter<Array<Row<D>>> {
	const { group, groupLabel, fields, default: value = {}, ...rest } = spec;
	const set = declare(fields);
	return new Parameter<Array<Row<D>>>(
		{
			...rest,
			type: 'fixedCollection',
			typeOptions: { multipleValues: true, ...rest.typeOptions },
			default: value,
			options: [{ displayName: groupLabel, name: group, values: set.properties }],
		},
		(given, at) =>
			storedRows(given, at).map((values, index) => {
				const row = at.inner(at.param, `${at.subject}, row ${index + 1}:`);
				const locate = (_: string, label: string) => at.inner(at.param, `${row.subject} '${label}'`);
				return { values: set.read(new ObjectSource(values, locate)), at: row };
			}),
	);
}

/** The rows as n8n stores them: lists in groups. */
function storedRows(value: unknown, at: Location): JsonObject[] {
	const groups = asObject(value ?? {});
	const stored = Object.values(groups ?? {}).flatMap((group) => asArray(group));
	const read = stored.map(asObject).filter((row) => row !== undefined);
	if (groups && read.length === stored.length) return read;
	throw new InvalidInputError(`${at.subject} is not a list of rows`, 'Add the rows in the panel.', at.param);
}
