import type { INode, INodeProperties } from 'n8n-workflow';

import { InvalidInputError } from '../gateway/errors/errors';
import { asObject, fieldOf, someText } from '../gateway/util/json';
import { templateParts } from '../gateway/util/text';
import { EmptyExpressions, isEmpty, valueOf, type Evaluator, type StoredText } from './emptyExpressions';
import { OBJECT_HINT } from './kinds';
import { isUnset, Location, type Parameter, type Source } from './parameter';

const ITS_LIMIT = 'The option would have no effect. Take a value that each item has.';

/** What to do about an option that an expression leaves empty, although it must have a value. */
const NEEDED: Readonly<Record<string, string>> = {
	callbackUrl:
		'The gateway would call nobody when the task has ended. Enter the URL, or take a value that each item has.',
	idempotencyKey:
		'All items without that value would have one key, and get the task of the first. Take one that each item has.',
	maxTokens: `${ITS_LIMIT} For no limit, let the expression return 0.`,
	maxToolCalls: ITS_LIMIT,
	reasoningMaxTokens: ITS_LIMIT,
};

/** The options that limit what an agent spends: its model does not set them. */
const LIMITS: readonly string[] = ['maxCostRub', 'maxPriceRub'];

/** What JavaScript makes of objects in a text. */
const OBJECTS = /^(\[object Object\],?)+$/;

/** An expression in a field that is fixed, as the editor leaves one that is pasted: n8n does not resolve it. */
const UNRESOLVED = /\{\{\{?[^{}]*\$(?:json|input|node|vars|now|today|\()/;

interface ItemFunctions extends Evaluator {
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
			for (const text of textsIn(stored, value, at, parameter.description)) this.check(index, text);
			const read = parameter.read(stored === undefined ? undefined : (value ?? null), at);
			if (!someText(stored, /^=/)) this.known.set(name, read);
			return read;
		};
	}

	private resolve(index: number, name: string, { description }: Parameter<unknown>): unknown {
		// n8n removes the parameters that the panel does not show.
		if (!Object.hasOwn(this.stored, name)) return undefined;
		// Only for locators: n8n throws when it extracts the value of a parameter that the panel does not show.
		const options = { extractValue: description.type === 'resourceLocator' };
		const value = this.context.getNodeParameter(name, index, null, options);
		// An expression may return a locator for any ID, and n8n extracts the value of declared ones only.
		const locator = asObject(value);
		return locator?.__rl === true ? locator.value : value;
	}

	/** Throws for a text that cannot be sent, and for an option that an expression must not leave empty. */
	private check(index: number, text: StoredText): void {
		const { stored, expressions, around, value, at } = text;
		if (!stored.startsWith('=')) {
			const unresolved = expressions.find((one) => UNRESOLVED.test(one));
			if (unresolved === undefined) return;
			const hint =
				'Switch the field from Fixed to Expression. To send it as it is, put a space between the braces.';
			throw at.error(`contains ${unresolved} as text`, hint);
		}
		const evaluated = (expression: string) => valueOf(this.context, expression, index);
		if (typeof value === 'string' && value.includes('[object Object]')) {
			const isObject = (given: unknown) => typeof given === 'object' && OBJECTS.test(String(given));
			const isOnly = expressions.length === 1 && value.replace('[object Object]', '') === around;
			const object = expressions.find((one) => isOnly || isObject(evaluated(one)));
			if (object !== undefined) throw at.error(`has an object in place of a text: ${object}`, OBJECT_HINT);
		}
		if (LIMITS.includes(at.param) && /\$fromAI/i.test(stored)) {
			const hint = 'Tell the user to open the tool in n8n, and to enter an amount there.';
			throw new InvalidInputError(`The model of the agent may not set ${at.subject}`, hint, at.param);
		}
		const hint = fieldOf(NEEDED, at.param);
		const isMissing = (expression: string) =>
			(isEmpty(text) ?? isUnset(evaluated(expression))) ||
			(String(value).includes('null') && valueOf(this.context, expression, index, 'null') === undefined);
		const missing = hint === undefined ? '' : expressions.filter(isMissing).join(', ');
		if (hint !== undefined && missing !== '')
			throw new InvalidInputError(`An expression is empty: ${missing} in ${at.subject}`, hint, at.param);
		this.emptyExpressions.add(index, text);
	}
}

export function nodeParameters(context: SingleFunctions): Source {
	return new NodeParameters({
		getNode: () => context.getNode(),
		getNodeParameter: (name, _index, ...more) => context.getNodeParameter(name, ...more),
	}).item(0);
}

/** The texts of a parameter. Those of an option have its name. */
function* textsIn(
	given: unknown,
	value: unknown,
	at: Location,
	{ type, options = [] }: Partial<INodeProperties> = {},
): Generator<StoredText> {
	const stored = inner(given);
	if (typeof stored === 'string') yield { stored, ...templateParts(stored), value, at };
	if (typeof stored !== 'object' || stored === null) return;
	const values = new Map(Object.entries(inner(value) ?? {}));
	for (const [name, child] of Object.entries(stored)) {
		const found = type === 'collection' ? options.find((one) => one.name === name) : undefined;
		const option = found && 'type' in found ? found : undefined;
		const place = option ? new Location(name, `'${option.displayName}'`) : at;
		yield* textsIn(child, values.get(name), place, option);
	}
}

/** The value of a locator, or those of a form: beside them, the editor stores what the catalogue says. */
function inner(value: unknown): unknown {
	const object = asObject(value);
	return object?.__rl === true || object?.mappingMode !== undefined ? object.value : value;
}
