import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { collection } from '../params/groups';
import { notice, shownFor, text } from '../params/kinds';
import { propertiesOf, type Parameter } from '../params/parameter';
import type { Operation, Resource } from './operation';
import { runOptions } from './settings';

/** The text below the node's name on the canvas, in title case: "Create and Wait: Task". */
export const operationSubtitle =
	'={{ ($parameter["operation"].replace(/[A-Z]/g, " $&").toLowerCase() + ": " + $parameter["resource"]).toTitleCase() }}';

export type RegisteredOperation = ReturnType<typeof register>;

function register(resource: string, name: string, operation: Operation) {
	const isListed = ({ traits }: Parameter<unknown>) => !(operation.isSingleRequest && traits.forLongRuns);
	const options = collection({ ...runOptions, ...operation.options } as typeof runOptions, {}, isListed);
	const declared = { ...toolParameters(operation), options };
	const properties = propertiesOf(shownFor({ resource: [resource], operation: [name] }, declared));
	return {
		resource,
		name,
		operation,
		properties,
		declared,
		parameters: { ...operation.parameters, options },
	};
}

/** A node's resources and operations. Selectors, parameters and dispatch derive from it. */
export class Registry {
	readonly all: readonly RegisteredOperation[];

	constructor(private readonly resources: Readonly<Record<string, Resource>>) {
		this.all = Object.entries(resources).flatMap(([resource, { operations }]) =>
			Object.entries(operations).map(([name, operation]) => register(resource, name, operation)),
		);
	}

	find(resource: string, name: string): RegisteredOperation | undefined {
		return this.all.find((known) => known.resource === resource && known.name === name);
	}

	get properties(): INodeProperties[] {
		return [
			selector('resource', 'Resource', this.resources, ({ displayName }) => ({ name: displayName })),
			...Object.entries(this.resources).map(([resource, { operations, initial }]) => ({
				...selector(
					'operation',
					'Operation',
					operations,
					({ displayName, action, description }) => ({ name: displayName, action, description }),
					initial,
				),
				displayOptions: { show: { resource: [resource] } },
			})),
			...this.all.flatMap(({ properties }) => properties),
		];
	}
}

/** A selector in the registry's order. A new node starts with the first choice, or the given one. */
function selector<T>(
	name: string,
	displayName: string,
	choices: Readonly<Record<string, T>>,
	describe: (choice: T) => Omit<INodePropertyOptions, 'value'>,
	initial = Object.keys(choices)[0] ?? '',
): INodeProperties {
	return {
		displayName,
		name,
		type: 'options',
		noDataExpression: true,
		default: initial,
		options: Object.entries(choices).map(([value, choice]) => ({ ...describe(choice), value })),
	};
}

/** The parameters, with those of a tool: its description, and below a prompt how the model gets to write it. */
function toolParameters(operation: Operation): Operation['parameters'] {
	const { prompt } = operation.parameters;
	if (prompt?.description.default !== '')
		return { toolDescription: toolDescription(operation, SPARKLE), ...operation.parameters };
	const { show } = prompt.description.displayOptions ?? {};
	const promptNotice = notice(PROMPT_SPARKLE).shownIf({ ...show, '@tool': [true] });
	const entries = Object.entries(operation.parameters).flatMap(([name, parameter]) =>
		name === 'prompt' ? Object.entries({ prompt, promptNotice }) : [[name, parameter] as const],
	);
	return { toolDescription: toolDescription(operation), ...Object.fromEntries(entries) };
}

const PROMPT_SPARKLE = "To let the agent's model write the prompt, click the sparkle button beside it";
const SPARKLE = 'To let the model fill in a field, click the sparkle button beside it';

/** n8n adds a parameter of this name to nodes without one, whose text is only the action and the name of the node. */
function toolDescription(
	{ description, toolDescription: own = `${description}.` }: Operation,
	hint?: string,
) {
	return text({
		displayName: 'Tool Description',
		rows: 3,
		default: own,
		description: 'What the AI Agent reads about this tool: what it does, what it needs and what it returns',
		...(hint === undefined ? {} : { hint }),
		traits: { changesRequest: false },
	}).shownIf({ '@tool': [true] });
}
