import type { INodeProperties } from 'n8n-workflow';

import { asObject, asObjects, canonicalJson, fieldOf, type JsonObject } from '../gateway/util/json';
import { declare, isUnset, Location, Parameter, type Declarations, type Values } from './parameter';

/** Options that the user adds one by one, sorted by label; see {@link Parameter} for empty ones. */
export function collection<D extends Declarations>(
	declarations: D,
	description: Partial<INodeProperties> = {},
	unlisted: readonly string[] = [],
): Parameter<Values<D>> {
	const { properties, read } = declare(declarations);
	const listed = properties.filter(({ name }) => !unlisted.includes(name));
	return new Parameter<Values<D>>(
		{
			displayName: 'Options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			...description,
			options: listed.sort((a, b) => (a.displayName < b.displayName ? -1 : 1)),
		},
		(value) => {
			const stored = asObject(value) ?? {};
			return read((name, option) => {
				const isAdded = !isUnset(fieldOf(stored, name)) || (option.isRequired && Object.hasOwn(stored, name));
				const at = new Location(name, `The option '${option.label}'`);
				return option.read(isAdded ? (fieldOf(stored, name) ?? null) : undefined, at);
			});
		},
	);
}

/**
 * A parameter that repeats: rows of fields, which workflows store under `group`. `at` names a row in errors about it.
 * `forExpressions` says where an expression can give what the rows do; `unique` is a field whose values differ.
 */
export function rows<D extends Declarations>(
	spec: Omit<INodeProperties, 'name' | 'type' | 'options' | 'default'> & {
		group: string;
		groupLabel: string;
		fields: D;
		forExpressions?: string;
		unique?: keyof D;
		default?: INodeProperties['default'];
	},
) {
	const { group, groupLabel, fields, forExpressions = '', unique, default: value = {}, ...rest } = spec;
	const { properties, read } = declare(fields);
	return new Parameter(
		{
			...rest,
			type: 'fixedCollection',
			typeOptions: { multipleValues: true, ...rest.typeOptions },
			default: value,
			options: [{ displayName: groupLabel, name: group, values: properties }],
		},
		(given, at) => {
			const list = storedRows(given, at);
			if (list.length > 1 && list.every((stored) => isInitial(stored, fields)))
				throw at.error(
					`has ${list.length} rows, all with the initial values, as n8n makes them from an expression`,
					`Add the rows in the panel. ${forExpressions}`.trim(),
				);
			const known = new Set<unknown>();
			return list.map((stored, index) => {
				const row = new Location(at.param, `${at.subject}, row ${index + 1}:`);
				const values = read((name, field) => {
					// An expression may return nothing: that is an empty value, not a missing one.
					const found = Object.hasOwn(stored, name) ? (fieldOf(stored, name) ?? null) : undefined;
					return field.read(found, new Location(at.param, `${row.subject} '${field.label}'`));
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
