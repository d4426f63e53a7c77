import type { INode } from 'n8n-workflow';

import { InvalidInputError } from '../gateway/errors/errors';
import { asObject, fieldOf, someText } from '../gateway/util/json';
import { excerpt, partsThatFit, templateParts } from '../gateway/util/text';
import { MAX_SHOWN, OBJECT_HINT } from './kinds';
import { EmptyExpressions, type EmptyExpression } from './emptyExpressions';
import { isUnset, Location, type Parameter, type Source } from './parameter';

/** What JavaScript makes of objects in a text. */
const OBJECTS = /^(\[object Object\],?)+$/;

/** One expression that joins texts, and does not name what JavaScript makes of a value that is not there. */
const JOINED = /^\{\{(?=[^]*[+`])(?:(?!undefined|\}\})[^])*\}\}$/;

const ITS_LIMIT = 'The option would have no effect. Take a value that each item has.';

/** The options that an expression must not leave empty: their labels, and what to do. */
const NEEDED: Readonly<Record<string, readonly [label: string, hint: string]>> = {
	callbackUrl: [
		'Callback URL',
		'The gateway would call nobody when the task has ended. Enter the URL, or take a value that each item has.',
	],
	idempotencyKey: [
		'Idempotency Key',
		'All items without that value would have one key, and get the task of the first. Take one that each item has.',
	],
	maxTokens: ['Max Tokens', `${ITS_LIMIT} For no limit, let the expression return 0.`],
	maxToolCalls: ['Max Calls of Built-In Tools', ITS_LIMIT],
	reasoningMaxTokens: ['Reasoning Max Tokens', ITS_LIMIT],
};

/** The options that limit what an agent spends, with their labels: its model does not set them. */
const LIMITS: Readonly<Record<string, string>> = {
	maxCostRub: 'Max Cost per Execution (₽)',
	maxPriceRub: 'Max Price (₽)',
};

/** An expression in a field that is fixed, as the editor leaves one that is pasted: n8n does not resolve it. */
const UNRESOLVED = /(?:^\{?|\{\{)[^{}]*\$(?:json|input|node|vars|now|today|\()/;

interface ItemFunctions {
	getNode(): Pick<INode, 'parameters'>;
	getNodeParameter(name: string, index: number, fallback: null, options: object): unknown;
}

/** n8n's functions of a node that has none, such as a trigger. */
interface SingleFunctions {
	getNode(): Pick<INode, 'parameters'>;
	getNodeParameter(name: string, fallback: null, options: object): unknown;
}

/** Resolving parameters is most of n8n's work for an item, so a parameter without an expression is read once. */
export class NodeParameters {
	private readonly known = new Map<string, unknown>();
	private readonly stored: INode['parameters'];
	readonly emptyExpressions = new EmptyExpressions();

	constructor(private readonly context: ItemFunctions) {
		this.stored = context.getNode().parameters;
	}

	item(index: number): Source {
		return <T>(name: string, parameter: Parameter<T>): T => {
			if (this.known.has(name)) return this.known.get(name) as T;
			const at = new Location(name, `'${parameter.label}'`);
			const stored = fieldOf(this.stored, name);
			const value = this.resolve(index, name, parameter);
			for (const empty of emptyExpressionsIn(stored, value, at, name !== 'options'))
				this.emptyExpressions.add(index, empty);
			const read = parameter.read(value, at);
			if (!someText(stored, /^=/)) this.known.set(name, read);
			return read;
		};
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

/**
 * The empty expressions in the texts of a parameter. Throws for texts that cannot be sent. A text that is one expression
 * counts only with `isInput`: many options are left out so.
 */
function emptyExpressionsIn(
	stored: unknown,
	value: unknown,
	at: Location,
	isInput: boolean,
): EmptyExpression[] {
	const object = asObject(stored);
	if (object?.__rl === true) return emptyExpressionsIn(object.value, value, at, isInput);
	// Beside the values of a form, the editor stores what the catalogue says of them.
	if (object?.mappingMode !== undefined)
		return emptyExpressionsIn(object.value, asObject(value)?.value, at, isInput);
	if (typeof stored === 'object' && stored !== null) {
		const values = new Map(Object.entries(value ?? {}));
		return Object.entries(stored).flatMap(([name, inner]) => {
			const [label, hint] = (at.param === 'options' ? fieldOf(NEEDED, name) : undefined) ?? [];
			const limit = at.param === 'options' ? fieldOf(LIMITS, name) : undefined;
			if (limit !== undefined && someText(inner, /\$fromAI/i))
				throw new InvalidInputError(
					`The model of the agent may not set '${limit}'`,
					'Tell the user to open the tool in n8n, and to enter an amount there.',
					name,
				);
			const place = label === undefined ? at : new Location('options', `'${label}'`);
			const emptyExpressions = emptyExpressionsIn(
				inner,
				values.get(name),
				place,
				isInput || hint !== undefined,
			);
			if (hint !== undefined && emptyExpressions.length > 0)
				throw new InvalidInputError(
					`An expression is empty: ${emptyExpressions.map(({ expression }) => expression).join(', ')} in ${place.subject}`,
					hint,
					name,
				);
			return emptyExpressions;
		});
	}
	if (typeof stored !== 'string') return [];
	if (!stored.startsWith('=')) {
		const expressions = templateParts(stored).filter((_, index) => index % 2 === 1);
		const unresolved = expressions.find((expression) => UNRESOLVED.test(expression));
		if (unresolved === undefined) return [];
		const hint =
			'Switch the field from Fixed to Expression. To send it as it is, put a space between the braces.';
		throw at.error(`contains {{${unresolved}}} as text`, hint);
	}
	// Switched to Expression, and left as it is.
	if (stored.trim() === '=') return [];
	const whole = stored.slice(1);
	const empty =
		isInput && isUnset(value) ? [{ expression: excerpt(whole, MAX_SHOWN), at, isPart: false }] : [];
	if (typeof value !== 'string') return empty;
	const [ofObject] = partsThatFit(stored, value, OBJECTS);
	if (ofObject !== undefined) throw at.error(`has an object in place of a text: ${ofObject}`, OBJECT_HINT);
	const joined = [whole.trim(), ...partsThatFit(stored, value, /undefined/)].filter((part) =>
		JOINED.test(part),
	);
	const parts = [...partsThatFit(stored, value, /^$/), ...(value.includes('undefined') ? joined : [])];
	return [...empty, ...parts.map((expression) => ({ expression, at, isPart: true }))];
}
