import type { INodeProperties, NodeParameterValueType, NodePropertyTypes } from 'n8n-workflow';

import { code } from '../markdown';
import { valueLabel } from './conditions';

// The kinds of parameters, in words.

const WORDS: Partial<Record<NodePropertyTypes, string>> = {
	boolean: 'toggle',
	collection: 'options, added one by one',
	fixedCollection: 'rows',
	json: 'JSON',
	multiOptions: 'multiple options',
	number: 'number',
	options: 'options',
	resourceLocator: 'from a list, or by ID',
	resourceMapper: 'form',
	string: 'text',
};

/**
 * The kind of a parameter, with its range, whether it is required, and whether it accepts expressions.
 *
 * @throws {Error} for an unknown type
 */
export function kind(property: INodeProperties): string {
	return [
		word(property),
		...(property.required ? ['**required**'] : []),
		...(property.noDataExpression ? ['no expression'] : []),
	].join(', ');
}

function word({ type, name, typeOptions }: INodeProperties): string {
	const found = WORDS[type];
	if (found === undefined) throw new Error(`There is no word for the type "${type}" of "${name}"`);
	if (type === 'number')
		return `${typeOptions?.numberPrecision === 0 ? 'whole number' : found}${range(typeOptions)}`;
	if (type === 'options' && typeOptions?.loadOptionsMethod) return `${found} from the gateway`;
	if (type === 'string' && typeOptions?.multipleValues) return 'texts';
	return found;
}

function range({ minValue: min, maxValue: max }: INodeProperties['typeOptions'] = {}): string {
	if (min !== undefined && max !== undefined) return `, ${min} to ${max}`;
	if (min !== undefined) return `, ${min} or more`;
	return max === undefined ? '' : `, ${max} or less`;
}

/** Longer defaults are below the table. */
const LONGEST_DEFAULT = 40;

/** A default that does not fit into a table. */
export function longDefault({ default: value, type }: INodeProperties): string | undefined {
	return type === 'json' && typeof value === 'string' && code(value).length > LONGEST_DEFAULT
		? value
		: undefined;
}

/** A parameter's default, as the panel shows it; empty without one. */
export function defaultOf(property: INodeProperties): string {
	const { default: value, type } = property;
	if (longDefault(property) !== undefined) return 'see below';
	if (type === 'resourceLocator' || type === 'resourceMapper' || type === 'collection') return '';
	if (type === 'fixedCollection') return rows(value);
	if (Array.isArray(value)) return value.map((one) => valueLabel(property, one)).join(', ');
	if (typeof value === 'string') return value === '' ? '' : text(property, value);
	return valueLabel(property, value);
}

function text(property: INodeProperties, value: string): string {
	// The "=" of a stored expression is not shown to users.
	if (value.startsWith('=')) return `expression ${code(value.slice(1))}`;
	return property.type === 'options' ? valueLabel(property, value) : code(value);
}

function rows(value: NodeParameterValueType): string {
	const lists = Object.values(value ?? {}).filter((list) => Array.isArray(list));
	const count = lists.reduce((sum, list) => sum + list.length, 0);
	if (count === 0) return '';
	return count === 1 ? '1 row' : `${count} rows`;
}
