import {
	updateDisplayOptions,
	type IBinaryKeyData,
	type IDataObject,
	type IExecuteFunctions,
	type INodeProperties,
	type INodePropertyOptions,
} from 'n8n-workflow';

import type { JsonObject } from '../gateway/util/json';
import type { GatewayClient } from '../gateway/client/client';
import type { Parameters } from '../params/parameters';
import type { RunContext } from './runContext';
import { runOptions } from './settings';

/** What an operation works with for one item. */
export interface ItemContext {
	readonly index: number;
	readonly parameters: Parameters;
	readonly client: GatewayClient;
	readonly run: RunContext;
	/** Whether *Retry On Fail* runs the node again: what the item asks for may exist already. */
	readonly isRetry: boolean;
	/** Says that a task exists and is paid for, so that its id is told when the node's output is lost. */
	readonly taskCreated: (taskId: string) => void;
	/** n8n's functions, for binary data. */
	readonly n8n: IExecuteFunctions;
}

/** One output item; the loop links it to its input item. */
export interface OperationOutput {
	json: IDataObject;
	binary?: IBinaryKeyData;
}

/** The rest of an item's work, done together with that of the others when every item has been started. */
export class Deferred {
	/** @param sleeper for work during which the execution may sleep */
	constructor(
		readonly finish: () => Promise<OperationOutput[]>,
		readonly sleeper?: Sleeper,
	) {}
}

/** Work that goes on elsewhere, so that the execution may sleep in n8n's database until somebody calls. */
export interface Sleeper {
	readonly taskId: string;
	/** Whether somebody calls when the work has ended. */
	readonly calls: boolean;
	/** The longest sleep, in Unix milliseconds. */
	readonly until: number;
	/** Looks once, and gives what is to be stored; nothing when the work has ended. */
	look(): Promise<SleepState | undefined>;
	/** Looks once more, when the execution sleeps, and wakes it when the call has come too early to be heard. */
	watch(): Promise<void>;
}

/** What is stored of an item while the execution sleeps. */
export interface SleepState {
	/** What the item says when nobody calls in time. */
	json: IDataObject;
	/** What the operation must know to go on: nothing else is left of the item. */
	memo: JsonObject;
}

/** An operation is one module: what the panel shows of it, and what it does with an item. */
export interface Operation {
	displayName: string;
	/** As the list of actions names it, without articles, e.g. "Create media task". */
	action: string;
	description: string;
	/** Parameters, without display conditions on resource and operation: the registry adds those. */
	properties: INodeProperties[];
	/** Options of this operation, besides those that every operation has; one of the same name replaces such. */
	options?: INodeProperties[];
	execute(item: ItemContext): Promise<OperationOutput[] | Deferred>;
	/**
	 * Goes on with an item for which the execution has slept. The item's parameters are not to be read: their
	 * expressions would see what was stored in place of the input.
	 *
	 * @param memo what {@link Sleeper.look} gave
	 * @param until the longest wait, in Unix milliseconds
	 */
	resume?(item: ItemContext, memo: JsonObject, until: number): Deferred;
}

export interface Resource {
	displayName: string;
	operations: Readonly<Record<string, Operation>>;
}

/** The one list of a node's resources and operations; selectors, parameters and dispatch derive from it. */
export type Registry = Readonly<Record<string, Resource>>;

/** What stands below the node's name on the canvas, in title case: "Create and Wait: Task". */
export const operationSubtitle =
	'={{ ($parameter["operation"].replace(/[A-Z]/g, " $&").toLowerCase() + ": " + $parameter["resource"]).toTitleCase() }}';

/**
 * The node's parameters: resource selector, operation selectors, and each operation's own.
 *
 * @param nodeOptions options of all operations of this node; they replace those of every node that have their names
 */
export function registryProperties(
	registry: Registry,
	nodeOptions: INodeProperties[] = [],
): INodeProperties[] {
	const common = replaced(runOptions, nodeOptions);
	return [
		resourceSelector(registry),
		...Object.entries(registry).map(([name, resource]) => operationSelector(name, resource)),
		...Object.entries(registry).flatMap(([name, resource]) => resourceProperties(name, resource, common)),
	];
}

function resourceSelector(registry: Registry): INodeProperties {
	const options = Object.entries(registry).map(([value, { displayName }]) => ({ name: displayName, value }));
	return {
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options: sorted(options),
		default: firstValue(options),
	};
}

function operationSelector(resource: string, { operations }: Resource): INodeProperties {
	const options: INodePropertyOptions[] = Object.entries(operations).map(
		([value, { displayName, action, description }]) => ({ name: displayName, value, action, description }),
	);
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [resource] } },
		options: sorted(options),
		default: firstValue(options),
	};
}

/** The order of n8n's lists. */
function sorted(options: INodePropertyOptions[]): INodePropertyOptions[] {
	return [...options].sort((a, b) => a.name.localeCompare(b.name));
}

/** What a selector shows when the node is new: what the registry names first. */
function firstValue(options: INodePropertyOptions[]): string {
	return String(options[0]?.value ?? '');
}

/** The parameters of a resource's operations; one that several share stands once, shown for all of them. */
function resourceProperties(
	resource: string,
	{ operations }: Resource,
	common: INodeProperties[],
): INodeProperties[] {
	const entries = Object.entries(operations);
	const shared = mergedInOrder(entries.map(([, { properties }]) => properties)).map((property) => {
		const users = entries.filter(([, { properties }]) => properties.includes(property)).map(([name]) => name);
		return shownFor(resource, users, property);
	});
	const collections = entries.map(([name, operation]) =>
		shownFor(resource, [name], optionsCollection(replaced(common, operation.options ?? []))),
	);
	return [...shared, ...collections];
}

/**
 * Joins lists that share elements into one in which each list keeps its order (a topological sort; elements that
 * may stand anywhere come in order of appearance).
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
		// Lists that contradict each other leave nothing free: then the first comes first.
		const [next = candidates[0]] = candidates.filter(isFree);
		if (next === undefined) return merged;
		merged.push(next);
		left.delete(next);
	}
}

function shownFor(resource: string, operations: string[], property: INodeProperties): INodeProperties {
	const [shown] = updateDisplayOptions({ show: { resource: [resource], operation: operations } }, [property]);
	return shown ?? property;
}

/** The common options and the own ones, which replace those of their names. */
function replaced(common: INodeProperties[], own: INodeProperties[]): INodeProperties[] {
	const names = new Set(own.map(({ name }) => name));
	return [...own, ...common.filter(({ name }) => !names.has(name))];
}

function optionsCollection(all: INodeProperties[]): INodeProperties {
	const options = [...all].sort((a, b) => a.displayName.localeCompare(b.displayName));
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options,
	};
}
