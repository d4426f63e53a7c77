import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { collection } from '../params/groups';
import { shownFor, text } from '../params/kinds';
import { declare } from '../params/parameter';
import type { Operation, Resource } from './operation';
import { runOptions } from './settings';

/** The text below the node's name on the canvas, in title case: "Create and Wait: Task". */
export const operationSubtitle =
	'={{ ($parameter["operation"].replace(/[A-Z]/g, " $&").toLowerCase() + ": " + $parameter["resource"]).toTitleCase() }}';

/** What few users change stands below the options. */
const RANK: Readonly<Record<string, number>> = { options: 1, inputMode: 2, format: 2, downloadResults: 2 };

export type RegisteredOperation = ReturnType<typeof register>;

function register(resource: string, name: string, operation: Operation) {
	const unlisted = operation.isSingleRequest ? ['concurrency', 'rateLimitWait'] : [];
	const options = collection({ ...runOptions, ...operation.options } as typeof runOptions, {}, unlisted);
	const declared = { toolDescription: toolDescription(operation), ...operation.parameters, options };
	const rank = (one: string) => RANK[one] ?? 0;
	const ordered = Object.fromEntries(Object.entries(declared).sort(([a], [b]) => rank(a) - rank(b)));
	const parameters = declare(
		shownFor({ resource: [resource], operation: [name] }, ordered as typeof declared),
	);
	const always = Object.keys(operation.parameters).filter(
		(one) => !operation.parameters[one]?.description.displayOptions,
	);
	return { resource, name, operation, parameters, always };
}

/** A node's resources and operations. Selectors, parameters and dispatch derive from it. */
export class Registry {
	private readonly registered: readonly RegisteredOperation[];

	constructor(private readonly resources: Readonly<Record<string, Resource>>) {
		this.registered = Object.entries(resources).flatMap(([resource, { operations }]) =>
			Object.entries(operations).map(([name, operation]) => register(resource, name, operation)),
		);
	}

	find(resource: string, name: string): RegisteredOperation | undefined {
		return this.registered.find((known) => known.resource === resource && known.name === name);
	}

	get properties(): INodeProperties[] {
		return [
			selector('resource', 'Resource', this.resources, ({ displayName }) => ({ name: displayName })),
			...Object.entries(this.resources).map(([resource, { operations }]) => ({
				...selector('operation', 'Operation', operations, ({ displayName, action, description }) => ({
					name: displayName,
					action,
					description,
				})),
				displayOptions: { show: { resource: [resource] } },
			})),
			...this.registered.flatMap(({ parameters }) => parameters.properties),
		];
	}
}

/** A selector in the registry's order: what people use comes first, and a new node starts with it. */
function selector<T>(
	name: string,
	displayName: string,
	choices: Readonly<Record<string, T>>,
	describe: (choice: T) => Omit<INodePropertyOptions, 'value'>,
): INodeProperties {
	const [initial = ''] = Object.keys(choices);
	return {
		displayName,
		name,
		type: 'options',
		noDataExpression: true,
		default: initial,
		options: Object.entries(choices).map(([value, choice]) => ({ ...describe(choice), value })),
	};
}

/** n8n adds a parameter of this name to nodes without one, whose text is only the action and the name of the node. */
function toolDescription({ description, toolDescription: own = `${description}.` }: Operation) {
	return text({
		displayName: 'Tool Description',
		rows: 3,
		default: own,
		description: 'What the AI Agent reads about this tool: what it does, what it needs and what it returns',
		hint: 'To let the model fill in a field, click the sparkle button beside it',
		displayOptions: { show: { '@tool': [true] } },
	});
}
