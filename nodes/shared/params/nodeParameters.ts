import type { INode } from 'n8n-workflow';

import { InvalidInputError } from '../gateway/errors/errors';
import { asObject, fieldOf, someText } from '../gateway/util/json';
import { templateParts } from '../gateway/util/text';
import { EmptyExpressions, isEmptyText, valueOf, type Evaluator, type StoredText } from './emptyExpressions';
import { OBJECT_HINT } from './kinds';
import {
	isShown,
	isUnset,
	Location,
	OUTER,
	readValues,
	type Declarations,
	type Lookup,
	type Parameter,
	type Traits,
	type Values,
} from './parameter';

/** What JavaScript makes of objects in a text. */
const OBJECTS = /^(\[object Object\],?)+$/;

/** An expression in a field that is fixed, as the editor leaves one that is pasted: n8n does not resolve it. */
const UNRESOLVED = /\{\{\{?[^{}]*\$(?:json|input|node|vars|now|today|\()/;

interface ItemFunctions extends Evaluator {
	getNode(): Pick<INode, 'parameters' | 'type'>;
	getNodeParameter(name: string, index: number, fallback: null, options: object): unknown;
}

/** n8n's functions of a node that has none, such as a trigger. */
interface SingleFunctions {
	getNode(): Pick<INode, 'parameters' | 'type'>;
	getNodeParameter(name: string, fallback: null, options: object): unknown;
}

/** Resolving parameters is most of n8n's work for an item, so a parameter without an expression is read once. */
export class NodeParameters {
	/** Values of parameters without an expression, and what their display conditions have seen. */
	private readonly known = new Map<string, { value: unknown; seen: ReadonlyMap<string, unknown> }>();
	private readonly stored: INode['parameters'];
	/** As n8n decides it for the panel: the tool of an agent has a type of its own. */
	private readonly isTool: boolean;
	readonly emptyExpressions = new EmptyExpressions();

	constructor(private readonly context: ItemFunctions) {
		const { parameters, type } = context.getNode();
		this.stored = parameters;
		this.isTool = type.endsWith('Tool');
	}

	/** The values of an item. @throws {InvalidInputError} for the first that cannot be read */
	read<D extends Declarations>(declarations: D, index = 0): Values<D> {
		const outer: Lookup = (name) => name === '@tool' && this.isTool;
		return readValues(declarations, Object.keys(declarations), outer, (name, parameter, siblings) => {
			// For a parameter of the node itself, `/format` is one beside it.
			const current: Lookup = (other) => siblings(other.replace(/^\//, ''));
			const known = this.known.get(name);
			if (known && [...known.seen].every(([other, value]) => current(other) === value)) return known.value;
			const seen = new Map<string, unknown>();
			const lookup: Lookup = (other) => {
				const value = current(other);
				seen.set(other, value);
				return value;
			};
			const at = new Location(name, `'${parameter.label}'`);
			const stored = fieldOf(this.stored, name);
			const given = this.resolve(index, name, parameter);
			for (const text of textsIn(stored, given, at, parameter.traits, lookup)) this.check(index, text);
			const value = parameter.read(stored === undefined ? undefined : (given ?? null), at, lookup);
			if (!someText(stored, /^=/)) this.known.set(name, { value, seen });
			return value;
		});
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
	private check(index: number, text: FoundText): void {
		const { stored, expressions, around, value, at, traits } = text;
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
		if (traits.byUserOnly && /\$fromAI/i.test(stored)) {
			const hint = 'Tell the user to open the tool in n8n, and to enter an amount there.';
			throw new InvalidInputError(`The model of the agent may not set ${at.subject}`, hint, at.param);
		}
		const { mustBeSet: hint } = traits;
		const isMissing = (expression: string) =>
			(isEmptyText(text) ?? isUnset(evaluated(expression))) ||
			(String(value).includes('null') && valueOf(this.context, expression, index, 'null') === undefined);
		const missing = hint === undefined ? '' : expressions.filter(isMissing).join(', ');
		if (hint !== undefined && missing !== '')
			throw new InvalidInputError(`An expression is empty: ${missing} in ${at.subject}`, hint, at.param);
		this.emptyExpressions.add(index, text);
	}
}

/** The values of a node that has no items. */
export function readParameters<D extends Declarations>(context: SingleFunctions, declarations: D): Values<D> {
	const node = new NodeParameters({
		getNode: () => context.getNode(),
		getNodeParameter: (name, _index, ...more) => context.getNodeParameter(name, ...more),
	});
	return node.read(declarations);
}

/** With the traits of its parameter, or option. */
type FoundText = StoredText & { traits: Traits };

/** The texts of a parameter that the panel shows. Those of an option have its name. */
function* textsIn(
	given: unknown,
	value: unknown,
	at: Location,
	{ options, ...traits }: Traits,
	outer: Lookup,
): Generator<FoundText> {
	const stored = inner(given);
	if (typeof stored === 'string') yield { stored, ...templateParts(stored), value, at, traits };
	if (typeof stored !== 'object' || stored === null) return;
	const values = new Map(Object.entries(inner(value) ?? {}));
	const lookup: Lookup = (name) => (OUTER.test(name) ? outer(name) : values.get(name));
	for (const [name, child] of Object.entries(stored)) {
		const option = fieldOf(options, name);
		if (option && !isShown(option, lookup)) continue;
		const place = option ? new Location(name, `'${option.label}'`) : at;
		yield* textsIn(child, values.get(name), place, option?.traits ?? traits, lookup);
	}
}

/** The value of a locator, or those of a form: beside them, the editor stores what the catalogue says. */
function inner(value: unknown): unknown {
	const object = asObject(value);
	return object?.__rl === true || object?.mappingMode !== undefined ? object.value : value;
}
