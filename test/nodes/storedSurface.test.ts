import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';

import { descriptions } from '../helpers/panel';

// Names, types, defaults and display conditions of parameters, without texts. A change here breaks stored workflows.

/** Workflows do not store the order of a panel. */
const inOrder = (parts: unknown[]) =>
	parts
		.map((part) => ({ part, key: JSON.stringify(part) }))
		.sort((a, b) => (a.key < b.key ? -1 : 1))
		.map(({ part }) => part);

type Choice = INodeProperties | INodePropertyOptions | INodePropertyCollection;

function surface({
	name,
	type,
	default: value,
	displayOptions,
	options,
	modes,
	typeOptions,
}: INodeProperties) {
	return {
		name,
		type,
		default: value,
		...(displayOptions ? { displayOptions } : {}),
		...(options ? { options: inOrder(options.map(choice)) } : {}),
		...(modes ? { modes: modes.map((mode) => mode.name) } : {}),
		...(typeOptions?.multipleValues ? { multipleValues: true } : {}),
	};
}

function choice(option: Choice): unknown {
	if ('values' in option) return { name: option.name, values: inOrder(option.values.map(surface)) };
	if ('type' in option) return surface(option);
	return 'value' in option ? option.value : option;
}

/** The properties, each with the operations that have it: whether it is there for each of them is not stored. */
function grouped(properties: INodeProperties[]): unknown[] {
	const users = new Map<string, string[]>();
	for (const property of properties) {
		const { displayOptions, ...stored } = surface(property);
		const { resource, operation = ['*'], ...show } = displayOptions?.show ?? {};
		const key = JSON.stringify({ ...stored, displayOptions: { ...displayOptions, show } });
		const own = resource?.flatMap((of) =>
			operation.map((name) => [of, name].filter((part) => typeof part === 'string').join(': ')),
		);
		users.set(key, [...(users.get(key) ?? []), ...(own ?? [])]);
	}
	return [...users].map(([key, operations]) => {
		return { ...(JSON.parse(key) as object), operations: operations.sort() };
	});
}

test.each(descriptions)('$name stores what it has always stored', (description) => {
	const { name, version, group, inputs, outputs, credentials, webhooks, properties } = description;
	expect({
		name,
		version,
		group,
		inputs,
		outputs,
		credentials: credentials?.map(({ name: credential, required }) => ({ name: credential, required })),
		webhooks,
		properties: inOrder(grouped(properties)),
	}).toMatchSnapshot();
});
