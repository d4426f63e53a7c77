import { updateDisplayOptions, type INodeProperties, type INodePropertyOptions } from 'n8n-workflow';

import { collection } from '../params/groups';
import { declare, type Declarations, type ParameterSet } from '../params/parameter';
import type { Operation, Resource } from './operation';
import { runOptions } from './settings';

/** The text below the node's name on the canvas, in title case: "Create and Wait: Task". */
export const operationSubtitle =
	'={{ ($parameter["operation"].replace(/[A-Z]/g, " $&").toLowerCase() + ": " + $parameter["resource"]).toTitleCase() }}';

type Options = ReturnType<typeof optionsOf>;

function optionsOf({ options }: Operation, nodeOptions: Declarations) {
	return collection({ ...runOptions, ...nodeOptions, ...options } as typeof runOptions);
}

/** All parameters of an operation, its options among them. */
function parametersOf({ parameters }: Operation, options: Options) {
	return declare({ ...parameters, options });
}

/** An operation and its parameters. */
export interface RegisteredOperation {
	operation: Operation;
	parameters: ParameterSet<ReturnType<typeof parametersOf>['declarations']>;
}

/** A node's resources and operations. Selectors, parameters and dispatch derive from it. */
export class Registry {
	private readonly registered: Readonly<Record<string, Readonly<Record<string, RegisteredOperation>>>>;

	/** @param nodeOptions options of all operations of this node; they replace those of {@link runOptions} */
	constructor(
		private readonly resources: Readonly<Record<string, Resource>>,
		nodeOptions: Declarations = {},
	) {
		const shared = new Map<Declarations, Options>();
		const sharedOptions = (operation: Operation): Options => {
			const { options } = operation;
			const known = (options && shared.get(options)) ?? optionsOf(operation, nodeOptions);
			if (options) shared.set(options, known);
			return known;
		};
		this.registered = mapValues(resources, ({ operations }) =>
			mapValues(operations, (operation) => ({
				operation,
				parameters: parametersOf(operation, sharedOptions(operation)),
			})),
		);
	}

	/** The operation that the node's `resource` and `operation` name. */
	find(resource: string, name: string): RegisteredOperation | undefined {
		const operations = Object.hasOwn(this.registered, resource) ? this.registered[resource] : undefined;
		return operations && Object.hasOwn(operations, name) ? operations[name] : undefined;
	}

	/** The node's parameters: resource selector, operation selectors, and each operation's own. */
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
			...Object.entries(this.resources).flatMap(([resource, { operations }]) =>
				Object.entries(operations).map(([name, operation]) => toolDescription(resource, name, operation)),
			),
			...allProperties(this.registered),
		];
	}
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> {
	return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}

/** A selector, sorted by name. A new node starts with the first entry of the registry. */
function selector<T>(
	name: string,
	displayName: string,
	choices: Readonly<Record<string, T>>,
	describe: (choice: T) => Omit<INodePropertyOptions, 'value'>,
): INodeProperties {
	const options = Object.entries(choices).map(([value, choice]) => ({ ...describe(choice), value }));
	return {
		displayName,
		name,
		type: 'options',
		noDataExpression: true,
		default: firstValue(options),
		options: options.sort((a, b) => a.name.localeCompare(b.name)),
	};
}

function firstValue([first]: ReadonlyArray<{ value: string }>): string {
	return first?.value ?? '';
}

/**
 * What n8n tells an AI Agent about the node as its tool. n8n adds a parameter of this name to nodes without one, whose
 * text is only the action and the name of the node.
 */
function toolDescription(
	resource: string,
	name: string,
	{ description, toolDescription: text = `${description}.` }: Operation,
): INodeProperties {
	return {
		displayName: 'Tool Description',
		name: 'toolDescription',
		type: 'string',
		typeOptions: { rows: 3 },
		default: text,
		description: 'What the AI Agent is told about this tool: what it does, what it needs and what it returns',
		displayOptions: { show: { '@tool': [true], resource: [resource], operation: [name] } },
	};
}

/** A parameter, and for what the panel shows it. */
interface Shown {
	property: INodeProperties;
	resources: string[];
	operations: string[];
}

/**
 * The parameters of all resources. One that operations share is there once, shown for all of them; one that resources
 * share, too, if it is for operations of the same names.
 */
function allProperties(
	registered: Readonly<Record<string, Readonly<Record<string, RegisteredOperation>>>>,
): INodeProperties[] {
	const known: Shown[] = [];
	const lists = Object.entries(registered).map(([resource, operations]) =>
		resourceProperties(operations).map(({ property, users }) => {
			const isSame = (other: Shown) =>
				other.property === property && other.operations.join() === users.join();
			const shown = known.find(isSame) ?? { property, resources: [], operations: users };
			if (shown.resources.length === 0) known.push(shown);
			shown.resources.push(resource);
			return shown;
		}),
	);
	return mergedInOrder(lists).flatMap(({ property, resources, operations }) =>
		updateDisplayOptions({ show: { resource: resources, operation: operations } }, [property]),
	);
}

/** The parameters of a resource's operations, each with the operations that have it; options last. */
function resourceProperties(
	operations: Readonly<Record<string, RegisteredOperation>>,
): Array<{ property: INodeProperties; users: string[] }> {
	const lists = Object.entries(operations).map(([name, { parameters }]) => ({
		name,
		properties: parameters.properties,
	}));
	const withoutOptions = lists.map(({ properties }) => properties.filter(({ name }) => name !== 'options'));
	const options = lists.flatMap(({ properties }) => properties.filter(({ name }) => name === 'options'));
	return [...mergedInOrder(withoutOptions), ...new Set(options)].map((property) => ({
		property,
		users: lists.filter(({ properties }) => properties.includes(property)).map(({ name }) => name),
	}));
}

/**
 * Merges lists that share elements into one that keeps the order of each (a topological sort; otherwise elements
 * come in order of appearance).
 */
export function mergedInOrder<T>(lists: readonly T[][]): T[] {
	const left = new Set(lists.flat());
	const merged: T[] = [];
	const isFree = (element: T) =>
		lists.every((list) =>
			list.slice(0, Math.max(0, list.indexOf(element))).every((earlier) => !left.has(earlier)),
		);
	for (;;) {
		const candidates = [...left];
		// Lists that contradict each other leave no element free.
		const [next = candidates[0]] = candidates.filter(isFree);
		if (next === undefined) return merged;
		merged.push(next);
		left.delete(next);
	}
}
