import type { IExecuteFunctions } from 'n8n-workflow';

import { InvalidInputError } from '../gateway/errors/errors';
import { asObject, objectIn, parseJson, type Json, type JsonObject } from '../gateway/util/json';
import type { FileParameter } from '../n8n/binary';
import { OptionReader } from './optionReader';
import { readRows, type Row } from './rows';
import { ValueReader } from './valueReader';

/** Reads one item's parameters into typed values. Nothing below an operation's first lines knows parameter names. */
export class Parameters extends ValueReader {
	/** Read once: all expressions of the collection are resolved each time. */
	private optionReader: OptionReader | undefined;

	constructor(
		private readonly context: Pick<IExecuteFunctions, 'getNodeParameter'>,
		private readonly itemIndex: number,
	) {
		super();
	}

	/** The value as n8n gives it, expressions resolved and locators reduced to their value. */
	protected value(name: string): unknown {
		const value: unknown = this.context.getNodeParameter(name, this.itemIndex, null, { extractValue: true });
		// n8n reduces locators only for parameters that are declared as such; an id may be given as one, too.
		const locator = asObject(value);
		return locator?.__rl === true ? locator.value : value;
	}

	protected refusal(name: string, label: string, problem: string, hint: string): InvalidInputError {
		return new InvalidInputError(`'${label}' ${problem}`, `${hint} Nothing was sent.`, name);
	}

	/**
	 * Text that must not be empty.
	 *
	 * @param label what the panel calls it
	 * @param advice what to do when it is missing
	 */
	requiredText(name: string, label: string, hint: string): string {
		const value = this.text(name, label);
		if (value.trim() === '') throw new InvalidInputError(`'${label}' is empty`, hint, name);
		return value;
	}

	/** As {@link requiredText}, for an id or a name: white space around it is none of it. */
	requiredId(name: string, label: string, hint: string): string {
		return this.requiredText(name, label, hint).trim();
	}

	/**
	 * A parameter that stands for a file of the item.
	 *
	 * @param label what the panel calls it
	 */
	file(name: string, label: string): FileParameter {
		return {
			value: this.value(name),
			refuse: (problem, hint) =>
				new InvalidInputError(`'${label}': ${problem}`, `${hint} Nothing was sent.`, name),
		};
	}

	/**
	 * A JSON object, given as text or by an expression.
	 *
	 * @param label what the panel calls it
	 * @param example what it looks like
	 */
	jsonObject(name: string, label: string, example: string): JsonObject {
		const value = this.value(name);
		const object = objectIn(value);
		if (!object) {
			throw new InvalidInputError(
				`'${label}' is not a JSON object`,
				`It looks like ${example}. Check quotes, commas and braces; for a value from another node that may hold quotes or line breaks, use {{ JSON.stringify($json.text) }} without quotes around it.`,
				name,
			);
		}
		return object;
	}

	/**
	 * Any JSON value, given as text or by an expression.
	 *
	 * @param label what the panel calls it
	 * @param example what it looks like
	 */
	json(name: string, label: string, example: string): Json {
		const value = this.value(name);
		const parsed = typeof value === 'string' ? parseJson(value) : (value as Json | undefined);
		if (parsed === undefined || parsed === null) {
			throw new InvalidInputError(
				`'${label}' is not valid JSON`,
				`It looks like ${example}. Check quotes, commas and brackets; for a value from another node that may hold quotes or line breaks, use {{ JSON.stringify($json.text) }} without quotes around it. Nothing was sent.`,
				name,
			);
		}
		return parsed;
	}

	/**
	 * The rows of a parameter that repeats; none when it is empty.
	 *
	 * @param label what the panel calls it
	 */
	rows(name: string, label: string): Row[] {
		return readRows(name, label, this.value(name));
	}

	/** The value of a compound parameter, such as a form or rows; `undefined` when unset. */
	compound(name: string): JsonObject | undefined {
		return asObject(this.value(name));
	}

	/** The Options collection of the item. */
	get options(): OptionReader {
		this.optionReader ??= new OptionReader(asObject(this.value('options')) ?? {});
		return this.optionReader;
	}
}
