import type { IExecuteFunctions } from 'n8n-workflow';

import { InvalidInputError } from '../gateway/errors/errors';
import { asObject, asText } from '../gateway/util/json';
import { counted } from '../gateway/util/text';
import type { Location } from './parameter';

/** An expression of a text that gave nothing, or the word "undefined", for an item. */
export interface EmptyExpression {
	/** With its braces. */
	expression: string;
	at: Location;
	/** Whether it may not be left empty: optional fields are left out so. */
	isPart: boolean;
}

interface Found extends EmptyExpression {
	items: Set<number>;
}

type Context = Pick<
	IExecuteFunctions,
	'evaluateExpression' | 'getInputData' | 'getMode' | 'getNode' | 'getParentNodes'
>;

/** The most fields of the input that an error lists. */
const MAX_FIELDS = 20;

/** It says itself what stands in place of a value that is not there. */
const MAY_BE_EMPTY = /(\?\?|\|\|)\s*(''|""|``)\s*\}\}$/;

const FIELD = /^\{\{\s*\$json(?:\.([\p{L}_$][\p{L}\d_$]*)|\[(["'])([^"'\\\]]+)\2\])\s*\}\}$/u;

/** What gave nothing in a run of a node: n8n makes an empty text of a field that is not there. */
export class EmptyExpressions {
	private readonly found = new Map<string, Found>();

	add(index: number, empty: EmptyExpression): void {
		if (MAY_BE_EMPTY.test(empty.expression)) return;
		const key = `${empty.expression} in ${empty.at.subject}`;
		const known = this.found.get(key) ?? { ...empty, items: new Set() };
		this.found.set(key, known);
		known.items.add(index);
	}

	/**
	 * The error for an expression inside a text that is `undefined` in all items. Of one item, it is an error when somebody
	 * executes the workflow by hand: a published one that has worked goes on, with a hint.
	 *
	 * @param isOpen whether nothing else is wrong with an item
	 */
	undefinedInAll(context: Context, isOpen: (index: number) => boolean): InvalidInputError | undefined {
		const indexes = [...context.getInputData().keys()].filter(isOpen);
		if (indexes.length === 0 || (indexes.length === 1 && context.getMode() !== 'manual')) return undefined;
		for (const { expression, at, isPart, items } of this.found.values()) {
			// What a model leaves out of the input of a tool is no mistake.
			if (!isPart || /\$fromAI/i.test(expression)) continue;
			const isUndefined = (index: number) => items.has(index) && givesUndefined(context, expression, index);
			if (indexes.every(isUndefined)) return undefinedError(context, expression, at, indexes);
		}
		return undefined;
	}

	/** @param count of all items */
	hints(count: number): string[] {
		return [...this.found.values()].map(({ expression, at, items }) => {
			const [first = 0] = items;
			const where = count === 1 ? '' : ` in ${items.size} of ${count} items (first: item ${first})`;
			return `${expression} in ${at.subject} is empty${where}.`;
		});
	}
}

function givesUndefined(context: Context, expression: string, index: number): boolean {
	try {
		const value: unknown = context.evaluateExpression(expression, index);
		const isWord = typeof value === 'string' && value.includes('undefined');
		const isInData = isWord && JSON.stringify(context.getInputData()[index]?.json).includes('undefined');
		return value === undefined || (isWord && !isInData);
	} catch {
		// n8n has an error of its own for it.
		return false;
	}
}

function undefinedError(
	context: Context,
	expression: string,
	{ param, subject }: Location,
	indexes: readonly number[],
): InvalidInputError {
	const [, plain, , quoted] = FIELD.exec(expression) ?? [];
	const name = plain ?? quoted;
	const inner = expression.slice(2, -2).trim();
	const mayMiss = `If it may be missing: {{ ${inner} ?? '' }}.`;
	const isOne = indexes.length === 1;
	if (name === undefined) {
		const message = `${expression} in ${subject} is undefined${isOne ? '' : ` in all ${indexes.length} items`}`;
		return new InvalidInputError(message, `Check the names in it. ${mayMiss}`, param);
	}
	const items = context.getInputData();
	const fields = [...new Set(indexes.flatMap((index) => Object.keys(items[index]?.json ?? {})))];
	const more = fields.length > MAX_FIELDS ? ` and ${counted(fields.length - MAX_FIELDS, 'other')}` : '';
	const has = fields.length > 0 ? `${fields.slice(0, MAX_FIELDS).join(', ')}${more}` : 'no fields';
	const node = nodeWithField(context, name, indexes[0] ?? 0) ?? 'Name of the Node';
	return new InvalidInputError(
		`${isOne ? 'The item does not have' : 'No item has'} the field "${name}", which ${subject} refers to`,
		`The input has ${has}. For a field of an earlier node: {{ ${fieldExpression(node, name)} }}. ${mayMiss}`,
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
			return context.evaluateExpression(`{{ ${fieldExpression(node, name)} }}`, index) !== undefined;
		} catch {
			return false;
		}
	});
}
