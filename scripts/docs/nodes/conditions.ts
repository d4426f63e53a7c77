import { isINodePropertiesList, isINodePropertyOptionsList, type INodeProperties } from 'n8n-workflow';

import { code, either } from '../markdown';

/** A resource's operation, as n8n's selectors name it; nothing for nodes without such. */
export interface Selection {
	resource?: string;
	operation?: string;
}

/** Where a condition finds the parameters that it is about. */
export interface Scope {
	/** Those of the panel. */
	panel: readonly INodeProperties[];
	/** Those beside the parameter: the panel's, or those of its collection. */
	beside: readonly INodeProperties[];
}

/** Key of the parameter that chooses the wire format, as options name it: a slash leads back to the panel. */
const FORMAT = '/format';

const SELECTORS = ['resource', 'operation'] as const;

type Conditions = Readonly<Record<string, readonly unknown[] | undefined>>;

const shows = ({ displayOptions }: INodeProperties): Conditions => displayOptions?.show ?? {};
const hides = ({ displayOptions }: INodeProperties): Conditions => displayOptions?.hide ?? {};

/** Whether a parameter belongs to an operation, whatever else it depends on. */
export function belongsTo(property: INodeProperties, selection: Selection): boolean {
	return SELECTORS.every((selector) => {
		const chosen = selection[selector];
		const shown = shows(property)[selector];
		return (shown?.includes(chosen) ?? true) && !hides(property)[selector]?.includes(chosen);
	});
}

/** When a parameter is shown, besides its resource, operation and format, e.g. "When Input is Prompt."; nothing for always. */
export function condition(property: INodeProperties, scope: Scope): string {
	const shown = told(shows(property), 'is', scope);
	const hidden = told(hides(property), 'is not', scope);
	const all = [...shown, ...hidden];
	return all.length === 0 ? '' : `When ${all.join(' and ')}.`;
}

/** The formats that an option is for, by label; `undefined` when it is for all. */
export function formatsOf(property: INodeProperties, { panel }: Scope): string[] | undefined {
	const format = panel.find(({ name }) => `/${name}` === FORMAT);
	const values = shows(property)[FORMAT];
	return values && format && values.map((value) => valueLabel(format, value));
}

function told(conditions: Conditions, verb: string, scope: Scope): string[] {
	return Object.entries(conditions).flatMap(([key, values = []]) => {
		if (SELECTORS.some((selector) => selector === key) || key === FORMAT) return [];
		const parameter = find(key, scope);
		return `${parameter.displayName} ${verb} ${either(values.map((value) => valueLabel(parameter, value)))}`;
	});
}

function find(key: string, { panel, beside }: Scope): INodeProperties {
	const [among, name] = key.startsWith('/') ? [panel, key.slice(1)] : [beside, key];
	const found = among.find((property) => property.name === name);
	if (!found) throw new Error(`A parameter depends on "${key}", which the panel does not show`);
	return found;
}

/**
 * A parameter's value as the panel shows it.
 *
 * @throws {Error} for a kind of condition that there are no words for
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
