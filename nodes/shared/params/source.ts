import type { INode } from 'n8n-workflow';

import { asObject } from '../gateway/util/json';
import { partsThatFit } from '../gateway/util/text';
import { isUnset, OBJECT_HINT } from './kinds';
import { Location, type Parameter, type Source } from './parameter';

/** What JavaScript makes of objects in a text. */
const OBJECTS = /^(\[object Object\],?)+$/;

interface Options {
	extractValue: boolean;
}

interface ItemFunctions {
	getNode(): Pick<INode, 'parameters'>;
	getNodeParameter(name: string, index: number, fallback: null, options: Options): unknown;
}

/** n8n's functions of a node that has none, such as a trigger. */
interface SingleFunctions {
	getNode(): Pick<INode, 'parameters'>;
	getNodeParameter(name: string, fallback: null, options: Options): unknown;
}

/**
 * The parameters of a node, for each of its items. Resolving parameters is most of n8n's work for an item, so a
 * parameter without an expression is read once.
 */
export class NodeParameters {
	private readonly known = new Map<string, unknown>();
	private readonly stored: INode['parameters'];
	/** What an expression in a text gave nothing for, in words. */
	readonly gaps = new Set<string>();

	constructor(private readonly context: ItemFunctions) {
		this.stored = context.getNode().parameters;
	}

	item(index: number): Source {
		return <T>(name: string, parameter: Parameter<T>): T => {
			if (this.known.has(name)) return this.known.get(name) as T;
			const at = new Location(name, `'${parameter.label}'`);
			const value = this.resolve(index, name, parameter);
			const read = parameter.read(value, at);
			const stored = this.stored[name];
			if (!hasExpression(stored)) this.known.set(name, read);
			else {
				// An empty one is not sent, which models may take, and charge.
				const isInput = name === 'prompt' || parameter.description.type === 'resourceMapper';
				this.checkTexts(stored, value, at, isInput);
			}
			return read;
		};
	}

	/** Checks each text that has expressions. */
	private checkTexts(stored: unknown, value: unknown, at: Location, isInput: boolean): void {
		if (typeof stored === 'object' && stored !== null) {
			const values = new Map(Object.entries(value ?? {}));
			for (const [name, inner] of Object.entries(stored))
				this.checkTexts(inner, values.get(name), at, isInput);
			return;
		}
		if (typeof stored !== 'string' || !stored.startsWith('=')) return;
		if (isInput && isUnset(value)) this.gaps.add(`${stored.slice(1)} in ${at.subject}`);
		if (typeof value !== 'string') return;
		const [object] = partsThatFit(stored, value, OBJECTS);
		if (object !== undefined) throw at.error(`has an object in place of a text: ${object}`, OBJECT_HINT);
		partsThatFit(stored, value, /^$/).forEach((part) => this.gaps.add(`${part} in ${at.subject}`));
	}

	private resolve(index: number, name: string, { description }: Parameter<unknown>): unknown {
		// n8n removes the parameters that the panel does not show.
		if (!Object.hasOwn(this.stored, name)) return undefined;
		// Only for locators: n8n throws when it extracts the value of a parameter that the panel does not show.
		const options = { extractValue: description.type === 'resourceLocator' };
		const value = this.context.getNodeParameter(name, index, null, options) ?? null;
		// An expression may return a locator for any ID, and n8n extracts the value of declared ones only.
		const locator = asObject(value);
		return locator?.__rl === true ? locator.value : value;
	}
}

export function nodeParameters(context: SingleFunctions): Source {
	return new NodeParameters({
		getNode: () => context.getNode(),
		getNodeParameter: (name, _index, ...more) => context.getNodeParameter(name, ...more),
	}).item(0);
}

function hasExpression(value: unknown): boolean {
	if (typeof value === 'string') return value.startsWith('=');
	return typeof value === 'object' && value !== null && Object.values(value).some(hasExpression);
}
