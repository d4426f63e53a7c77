import type { INodeProperties } from 'n8n-workflow';

import { asObject, asObjects, canonicalJson, fieldOf, type JsonObject } from '../gateway/util/json';
import type { Spec } from './kinds';
import {
	isUnset,
	Location,
	Parameter,
	propertiesOf,
	readValues,
	type Declarations,
	type Lookup,
	type Shown,
	type Values,
} from './parameter';

/** Options that the user adds one by one, sorted by label; see {@link Traits.isRequired} for empty ones. */
export function collection<D extends Declarations>(
	declarations: D,
	description: Partial<Shown> = {},
	isListed: (option: Parameter<unknown>) => boolean = () => true,
): Parameter<Values<D>> {
	const listed = Object.entries(declarations).filter(([, option]) => isListed(option));
	const read = (stored: JsonObject, outer: Lookup, names: readonly string[]) =>
		readValues(declarations, names, outer, (name, option, lookup) => {
			const value = fieldOf(stored, name) ?? null;
			const isAdded = !isUnset(value) || (option.traits.isRequired && Object.hasOwn(stored, name));
			const at = new Location(name, `The option '${option.label}'`);
			return option.read(isAdded ? value : undefined, at, lookup);
		});
	/** What the others have; `undefined` for one with a condition. */
	let notAdded: Values<D> | undefined;
	return new Parameter<Values<D>>(
		{
			displayName: 'Options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			...description,
			options: propertiesOf(Object.fromEntries(listed)).sort((a, b) =>
				a.displayName < b.displayName ? -1 : 1,
			),
			traits: { ...description.traits, options: declarations },
		},
		(value, _at, outer) => {
			const stored = asObject(value) ?? {};
			notAdded ??= read({}, () => undefined, Object.keys(declarations));
			return { ...notAdded, ...read(stored, outer, Object.keys(stored)) };
		},
	);
}

/**
 * A parameter that repeats: rows of fields, which workflows store under `group`. `at` names a row in errors about it.
 * `forExpressions` says where an expression can give what the rows do; `unique` is a field whose values differ.
 */
export function rows<D extends Declarations>(
	spec: Spec<{
		group: string;
		groupLabel: string;
		fields: D;
		forExpressions?: string;
		unique?: keyof D;
		default?: INodeProperties['default'];
	}>,
) {
	const { group, groupLabel, fields, forExpressions = '', unique, default: value = {}, ...rest } = spec;
	return new Parameter(
		{
			...rest,
			type: 'fixedCollection',
			typeOptions: { multipleValues: true, ...rest.typeOptions },
			default: value,
			options: [{ displayName: groupLabel, name: group, values: propertiesOf(fields) }],
		},
		(given, at, outer) => {
			const list = storedRows(given, at);
			if (list.length > 1 && list.every((stored) => isInitial(stored, fields)))
				throw at.error(
					`has ${list.length} rows, all with the initial values, as n8n makes them from an expression`,
					`Add the rows in the panel. ${forExpressions}`.trim(),
				);
			const known = new Set<unknown>();
			return list.map((stored, index) => {
				const row = new Location(at.param, `${at.subject}, row ${index + 1}:`);
				const values = readValues(fields, Object.keys(fields), outer, (name, field, lookup) => {
					// An expression may return nothing: that is an empty value, not a missing one.
					const found = Object.hasOwn(stored, name) ? (fieldOf(stored, name) ?? null) : undefined;
					return field.read(found, new Location(at.param, `${row.subject} '${field.label}'`), lookup);
				});
				const key = unique && values[unique];
				if (key !== undefined && known.has(key))
					throw row.error(
						`${JSON.stringify(key)} is in another row, too`,
						'Enter another name, or remove the row.',
					);
				known.add(key);
				return { values, at: row };
			});
		},
	);
}

function isInitial(row: JsonObject, fields: Declarations): boolean {
	return Object.entries(row).every(
		([name, value]) => canonicalJson(value) === canonicalJson(fieldOf(fields, name)?.description.default),
	);
}

function storedRows(value: unknown, at: Location): JsonObject[] {
	const groups = asObject(value ?? {});
	if (groups) return Object.values(groups).flatMap(asObjects);
	throw at.error('is not a list of rows', 'Add the rows in the panel.');
}
