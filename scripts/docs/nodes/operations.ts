import {
	isINodePropertyOptionsList,
	type INodeProperties,
	type INodePropertyOptions,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { belongsTo } from './conditions';

/** Operations whose response the specification does not show (§4.13, §4.17). */
export const NOT_SHOWN: ReadonlySet<string | undefined> = new Set([
	'task/getMany',
	'session/create',
	'file/getMany',
]);

export interface OperationSection {
	/** `resource/operation`, as workflows store it. */
	key: string;
	resource: INodePropertyOptions;
	operation: INodePropertyOptions;
	/** The parameters that its panel shows, in order, without the selectors. */
	panel: INodeProperties[];
	/** What an AI Agent reads of it as its tool. */
	toolDescription: string | undefined;
}

const isForTools = ({ displayOptions }: INodeProperties) => displayOptions?.show?.['@tool'] !== undefined;

const isSelector = ({ name }: INodeProperties) => name === 'resource' || name === 'operation';

/** A node's operations, the default one first, the others in the order of the selectors; empty for nodes without operations. */
export function operationsOf({ properties }: INodeTypeDescription): OperationSection[] {
	return choicesOf(properties, 'resource', {}).flatMap((resource) =>
		choicesOf(properties, 'operation', { resource: String(resource.value) }).map((operation) => {
			const selection = { resource: String(resource.value), operation: String(operation.value) };
			const own = properties.filter((property) => !isSelector(property) && belongsTo(property, selection));
			return {
				key: `${selection.resource}/${selection.operation}`,
				resource,
				operation,
				panel: own.filter((property) => !isForTools(property)),
				toolDescription: own
					.filter(isForTools)
					.flatMap(({ default: text }) => (typeof text === 'string' ? text : []))[0],
			};
		}),
	);
}

function choicesOf(
	properties: readonly INodeProperties[],
	selector: string,
	selection: { resource?: string },
): INodePropertyOptions[] {
	const found = properties.find((property) => property.name === selector && belongsTo(property, selection));
	if (!isINodePropertyOptionsList(found?.options)) return [];
	const isFirst = ({ value }: INodePropertyOptions) => value === found.default;
	return [...found.options.filter(isFirst), ...found.options.filter((choice) => !isFirst(choice))];
}

/** The collection of options in a panel. */
export function optionsOf(panel: readonly INodeProperties[]): INodeProperties | undefined {
	return panel.find(({ type, name }) => type === 'collection' && name === 'options');
}
