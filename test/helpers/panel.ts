import type {
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';

import { packageNodes } from './packageNodes.ts';

const nodes: INodeType[] = Object.values(packageNodes);

/** The nodes by the names that workflows store. */
export const nodesByName: Readonly<Record<string, INodeType>> = Object.fromEntries(
	nodes.map((node) => [node.description.name, node]),
);

export const descriptions: INodeTypeDescription[] = nodes.map(({ description }) => description);

/** A field of a panel, at the top or nested. */
export interface Field {
	/** Its path, for the message of a failing test. */
	place: string;
	node: INodeTypeDescription;
	property: INodeProperties;
	/** The operations for which it is shown; empty for all. */
	operations: string[];
}

/** One of the choices of a list. */
export interface Choice extends Omit<Field, 'property'> {
	choice: INodePropertyOptions;
}

/** All fields of all panels: those at the top, in collections and in rows. */
export const fields: Field[] = descriptions.flatMap((node) =>
	node.properties.flatMap((property) => withInner(node, property, node.displayName)),
);

/** All choices of all lists. */
export const choices: Choice[] = fields.flatMap(({ property, ...field }) =>
	choicesOf(property).map((choice) => ({ ...field, place: `${field.place} > ${choice.name}`, choice })),
);

function withInner(node: INodeTypeDescription, property: INodeProperties, above: string): Field[] {
	const operations = property.displayOptions?.show?.operation?.map(String) ?? [];
	const shownFor = operations.length === 1 ? ` (${operations[0] ?? ''})` : '';
	const place = `${above} > ${property.displayName}${shownFor}`;
	const inner = (property.options ?? []).flatMap((option) => {
		if (isRows(option)) {
			return option.values.flatMap((value) => withInner(node, value, `${place} > ${option.displayName}`));
		}
		return isProperty(option) ? withInner(node, option, place) : [];
	});
	return [{ place, node, property, operations }, ...inner.map((field) => ({ ...field, operations }))];
}

/** The places of those for which a rule does not hold. */
export function wrong<P extends { place: string }>(found: P[], isRight: (one: P) => boolean): string[] {
	if (found.length === 0) throw new Error('There is nothing to look at');
	return found.filter((one) => !isRight(one)).map(({ place }) => place);
}

/** The choices of a list; none for other fields. */
export function choicesOf(property: Pick<INodeProperties, 'options'>): INodePropertyOptions[] {
	return (property.options ?? []).filter(isChoice);
}

/** The fields of a collection, in order; none for other fields. */
export function collected(property: INodeProperties): INodeProperties[] {
	return (property.options ?? []).filter(isProperty);
}

type Option = INodePropertyOptions | INodeProperties | INodePropertyCollection;

function isRows(option: Option): option is INodePropertyCollection {
	return 'values' in option;
}

function isChoice(option: Option): option is INodePropertyOptions {
	return !isRows(option) && !isProperty(option);
}

function isProperty(option: Option): option is INodeProperties {
	return 'type' in option;
}
