import type { IExecuteFunctions } from 'n8n-workflow';

import { InvalidInputError } from '../gateway/errors/errors';
import { asObject, asText } from '../gateway/util/json';
import { counted, excerpt } from '../gateway/util/text';
import { MAX_SHOWN } from './kinds';
import { isUnset, type Location } from './parameter';

/** A text of a parameter, and what n8n makes of it for an item. */
export interface StoredText {
	/** With `=` before a template. */
	stored: string;
	/** With their braces. */
	expressions: string[];
	around: string;
	value: unknown;
	at: Location;
}

interface Found {
	expression: string;
	at: Location;
	/** Whether it is the whole text. */
	isAlone: boolean;
	/** The items whose texts say that it is empty; for one that is alone, that it is undefined. */
	empty: Set<number>;
}

/** What evaluates an expression of an item; a trigger has no items. */
export type Evaluator = Partial<Pick<IExecuteFunctions, 'evaluateExpression'>>;

type Context = Evaluator & Pick<IExecuteFunctions, 'getInputData' | 'getMode' | 'getNode' | 'getParentNodes'>;

/** The most fields of the input that an error lists. */
const MAX_FIELDS = 20;

/** It says itself that it may be empty, or a model may leave it out. */
const MEANT = /\$fromAI|\bundefined\b|(?:\?\?|\|\|)\s*(?:''|""|``)\s*\}\}$/i;

/** A value that an expression refers to, such as `$json.product` or `$('Form').item.json["a b"]`. */
const REFERENCE =
	/\$\w*(?:\((?:'[^']*'|"[^"]*")\))?(?:\??\.[\p{L}_$][\p{L}\d_$]*(?:\([^()]*\))?(?![\p{L}\d_$(])|\[(?:'[^']*'|"[^"]*"|\d+)\])+/gu;

/** Stands in place of a value that is not there. */
const GAP = '\uE000';

const FIELD = /^\{\{\s*\$json(?:\.([\p{L}_$][\p{L}\d_$]*)|\[(["'])([^"'\\\]]+)\2\])\s*\}\}$/u;

/** Whether n8n has made nothing of all expressions of a text; `undefined` if its value does not say. */
export function isEmptyText({ expressions, around, value }: StoredText): boolean | undefined {
	if (isUnset(value) || value === around) return true;
	return typeof value === 'string' && (expressions.length > 1 || value.includes('undefined'))
		? undefined
		: false;
}

/**
 * The value of an expression for an item: `undefined` also for a text that is joined with a value that is not there. An
 * expression that cannot be evaluated stands for itself.
 *
 * @param word what JavaScript makes of such a value in a text
 */
export function valueOf(
	context: Evaluator,
	expression: string,
	index: number,
	word: 'undefined' | 'null' = 'undefined',
): unknown {
	if (!context.evaluateExpression || /\$fromAI/i.test(expression)) return expression;
	try {
		const value: unknown = context.evaluateExpression(expression, index);
		if (typeof value !== 'string' || !value.includes(word)) return value;
		const marked = expression.replace(REFERENCE, `($& ?? '${GAP}')`);
		const text = String(context.evaluateExpression(marked, index));
		return text !== value && text.replaceAll(GAP, word) === value ? undefined : value;
	} catch {
		// n8n has an error of its own for it.
		return expression;
	}
}

/** The expressions that gave nothing in a run of a node. */
export class EmptyExpressions {
	private readonly found = new Map<string, Found>();

	add(index: number, text: StoredText): void {
		const { expressions, around, value, at } = text;
		const isKnownEmpty = isEmptyText(text);
		if (isKnownEmpty === false) return;
		const isAlone = expressions.length === 1 && around.trim() === '';
		for (const expression of expressions.filter((one) => !MEANT.test(one))) {
			const key = `${expression} in ${at.subject}`;
			const found = this.found.get(key) ?? { expression, at, isAlone, empty: new Set() };
			this.found.set(key, found);
			found.isAlone &&= isAlone;
			if (value === undefined || (isKnownEmpty && !isAlone)) found.empty.add(index);
		}
	}

	/**
	 * The error for an expression that is `undefined` in all items: n8n evaluates it until one has a value. A published
	 * workflow goes on with a hint where there is one item, or where the expression is a whole text, which is left out.
	 *
	 * @param isOpen whether nothing else is wrong with an item
	 * @param pause is called after each item, so that others of the process may work
	 */
	async undefinedInAll(
		context: Context,
		isOpen: (index: number) => boolean,
		pause: () => Promise<void>,
	): Promise<InvalidInputError | undefined> {
		const indexes = [...context.getInputData().keys()].filter(isOpen);
		if (indexes.length === 0) return undefined;
		for (const { expression, at, isAlone, empty } of this.found.values()) {
			const isUndefined = (index: number) =>
				(isAlone && empty.has(index)) || valueOf(context, expression, index) === undefined;
			if (!(await isTrueOfAll(indexes, isUndefined, pause))) continue;
			if (context.getMode() === 'manual' || (indexes.length > 1 && !isAlone))
				return undefinedError(context, expression, at, indexes);
			for (const index of indexes) empty.add(index);
		}
		return undefined;
	}

	/** @param count of all items */
	hints(count: number): string[] {
		return [...this.found.values()].flatMap(({ expression, at, empty }) => {
			const [first] = empty;
			if (first === undefined) return [];
			const where = count === 1 ? '' : ` in ${empty.size} of ${count} items (first: item ${first})`;
			return [`${excerpt(expression, MAX_SHOWN)} in ${at.subject} is empty${where}.`];
		});
	}
}

async function isTrueOfAll(
	indexes: readonly number[],
	isTrue: (index: number) => boolean,
	pause: () => Promise<void>,
): Promise<boolean> {
	for (const index of indexes) {
		if (!isTrue(index)) return false;
		await pause();
	}
	return true;
}

function undefinedError(
	context: Context,
	expression: string,
	{ param, subject }: Location,
	indexes: readonly number[],
): InvalidInputError {
	const [, plain, , quoted] = FIELD.exec(expression) ?? [];
	const name = plain ?? quoted;
	const isOne = indexes.length === 1;
	if (name === undefined) {
		const message = `${expression} in ${subject} is undefined${isOne ? '' : ` in all ${indexes.length} items`}`;
		const filled = expression.replace(REFERENCE, "($& ?? '')");
		const advice = filled === expression ? '' : ` If it may be missing: ${filled}.`;
		return new InvalidInputError(message, `Check the names in it.${advice}`, param);
	}
	const items = context.getInputData();
	const fields = [...new Set(indexes.flatMap((index) => Object.keys(items[index]?.json ?? {})))];
	const more = fields.length > MAX_FIELDS ? ` and ${counted(fields.length - MAX_FIELDS, 'other')}` : '';
	const has = fields.length > 0 ? `${fields.slice(0, MAX_FIELDS).join(', ')}${more}` : 'no fields';
	const node = nodeWithField(context, name, indexes[0] ?? 0) ?? 'Name of the Node';
	return new InvalidInputError(
		`${isOne ? 'The item does not have' : 'No item has'} the field "${name}", which ${subject} refers to`,
		`The input has ${has}. For a field of an earlier node: {{ ${fieldExpression(node, name)} }}. If it may be missing: {{ ${expression.slice(2, -2).trim()} ?? '' }}.`,
		param,
	);
}

function fieldExpression(node: string, name: string): string {
	const quoted = `'${node.replace(/[\\']/g, '\\$&')}'`;
	return `$(${quoted}).item.json${/^[\p{L}_$][\p{L}\d_$]*$/u.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`}`;
}

/** An earlier node whose item has the field. */
function nodeWithField(context: Context, name: string, index: number): string | undefined {
	const nodes = context
		.getParentNodes(context.getNode().name)
		.map((node) => asText(asObject(node)?.name) ?? '');
	return nodes.find((node) => {
		try {
			return context.evaluateExpression?.(`{{ ${fieldExpression(node, name)} }}`, index) !== undefined;
		} catch {
			return false;
		}
	});
}
