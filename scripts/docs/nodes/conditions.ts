import { isINodePropertiesList, isINodePropertyOptionsList, type INodeProperties } from 'n8n-workflow';

import { code, either } from '../markdown';

/** A resource's operation, by the values of n8n's selectors; empty for nodes without operations. */
export interface Selection {
	resource?: string;
	operation?: string;
}

/** The parameters that a condition can refer to. */
export interface Scope {
	/** The parameters of the panel. */
	panel: readonly INodeProperties[];
	/** The siblings of the parameter, in the panel or in its collection. */
	siblings: readonly INodeProperties[];
}

/** The key of the format parameter in display conditions of options; the slash refers to the panel. */
const FORMAT = '/format';

const SELECTORS = ['resource', 'operation'] as const;

type Conditions = Readonly<Record<string, readonly unknown[] | undefined>>;

const shows = ({ displayOptions }: INodeProperties): Conditions => displayOptions?.show ?? {};
const hides = ({ displayOptions }: INodeProperties): Conditions => displayOptions?.hide ?? {};

/** Whether a parameter belongs to an operation, apart from its other conditions. */
export function belongsTo(property: INodeProperties, selection: Selection): boolean {
	return SELECTORS.every((selector) => {
		const chosen = selection[selector];
		const shown = shows(property)[selector];
		return (shown?.includes(chosen) ?? true) && !hides(property)[selector]?.includes(chosen);
	});
}

/** The conditions of a parameter besides resource, operation and format, e.g. "When Input is Prompt."; empty for always. */
export function condition(property: INodeProperties, scope: Scope): string {
	const shown = sentences(shows(property), 'is', scope);
	const hidden = sentences(hides(property), 'is not', scope);
	const all = [...shown, ...hidden];
	return all.length === 0 ? '' : `When ${all.join(' and ')}.`;
}

/** The formats of an option, by label; `undefined` for all. */
export function formatsOf(property: INodeProperties, { panel }: Scope): string[] | undefined {
	const format = panel.find(({ name }) => `/${name}` === FORMAT);
	const values = shows(property)[FORMAT];
	return values && format && values.map((value) => valueLabel(format, value));
}

function sentences(conditions: Conditions, verb: string, scope: Scope): string[] {
	return Object.entries(conditions).flatMap(([key, values = []]) => {
		const isLeftOut = SELECTORS.some((selector) => selector === key) || key === FORMAT || key === '@tool';
		if (isLeftOut) return [];
		const parameter = find(key, scope);
		return `${parameter.displayName} ${verb} ${either(values.map((value) => valueLabel(parameter, value)))}`;
	});
}

function find(key: string, { panel, siblings }: Scope): INodeProperties {
	const [among, name] = key.startsWith('/') ? [panel, key.slice(1)] : [siblings, key];
	const found = among.find((property) => property.name === name);
	if (!found) throw new Error(`A parameter depends on "${key}", which the panel does not show`);
	return found;
}

/**
 * A parameter's value as the panel shows it.
 *
 * @throws {Error} for an unknown kind of condition
 */
export function valueLabel({ options, name }: INodeProperties, value: unknown): string {
	if (typeof value === 'boolean') return value ? 'on' : 'off';
	if (typeof value !== 'string' && typeof value !== 'number')
		throw new Error(`"${name}" has no words for ${JSON.stringify(value)}`);
	const list = isINodePropertyOptionsList(options) ? options : [];
	return list.find((option) => option.value === value)?.name ?? code(String(value));
}

/** The parameters in a collection. */
export function collected({ options }: INodeProperties): INodeProperties[] {
	return isINodePropertiesList(options) ? options : [];
}
