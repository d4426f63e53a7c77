import type { IExecuteFunctions, INode } from 'n8n-workflow';

import { asObject } from '../gateway/util/json';
import { Location, type Parameter, type Source } from './parameter';

/** n8n's functions of a node that has items. */
type ItemFunctions = Pick<IExecuteFunctions, 'getNodeParameter'> & { getNode(): Pick<INode, 'parameters'> };

/** n8n's functions of a node that has none, such as a trigger. */
interface SingleFunctions {
	getNode(): Pick<INode, 'parameters'>;
	getNodeParameter(name: string, fallback?: unknown, options?: { extractValue: boolean }): unknown;
}

/**
 * The parameters of a node, for each of its items. Resolving parameters is most of n8n's work for an item, so a
 * parameter without an expression is read once.
 */
export class NodeParameters {
	private readonly known = new Map<string, unknown>();
	private readonly isFixed = new Map<string, boolean>();
	private readonly stored: INode['parameters'];

	constructor(private readonly context: ItemFunctions) {
		this.stored = context.getNode().parameters;
	}

	/** The parameters of an item. */
	item(index: number): Source {
		const own = new Map<string, unknown>();
		return {
			read: <T>(name: string, parameter: Parameter<T>): T => {
				const known = this.hasNoExpression(name) ? this.known : own;
				if (known.has(name)) return known.get(name) as T;
				const value = valueOf(this.stored, name, () =>
					this.context.getNodeParameter(name, index, null, options(parameter)),
				);
				const read = parameter.read(value, locationOf(name, parameter));
				known.set(name, read);
				return read;
			},
		};
	}

	private hasNoExpression(name: string): boolean {
		const isFixed = this.isFixed.get(name) ?? !hasExpression(this.stored[name]);
		this.isFixed.set(name, isFixed);
		return isFixed;
	}
}

/**
 * The parameters of a node without items.
 *
 * @param options.isTolerant whether an invalid value counts as not set
 */
export function nodeParameters(context: SingleFunctions, { isTolerant = false } = {}): Source {
	const stored = context.getNode().parameters;
	return {
		read: (name, parameter) => {
			const value = valueOf(stored, name, () => context.getNodeParameter(name, null, options(parameter)));
			return parameter.read(value, locationOf(name, parameter, isTolerant));
		},
	};
}

/** `undefined` for a parameter that the panel does not show: n8n removes it from the stored ones. */
function valueOf(stored: INode['parameters'], name: string, resolve: () => unknown): unknown {
	return Object.hasOwn(stored, name) ? withoutLocator(resolve() ?? null) : undefined;
}

/** Only for locators: n8n throws when it extracts the value of a parameter that the panel does not show. */
function options({ description }: Parameter<unknown>): { extractValue: boolean } {
	return { extractValue: description.type === 'resourceLocator' };
}

function locationOf(name: string, { label }: Parameter<unknown>, isTolerant = false): Location {
	return new Location(name, `'${label}'`, isTolerant);
}

/** n8n extracts the value of declared locators only, but an expression may return one for any ID. */
function withoutLocator(value: unknown): unknown {
	const locator = asObject(value);
	return locator?.__rl === true ? locator.value : value;
}

function hasExpression(value: unknown): boolean {
	if (typeof value === 'string') return value.startsWith('=');
	return typeof value === 'object' && value !== null && Object.values(value).some(hasExpression);
}
