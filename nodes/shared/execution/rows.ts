import { InvalidInput } from '../gateway/failure';
import { asArray, asObject, objectIn, type JsonObject } from '../gateway/json';
import type { FileParameter } from './binary';

/** One row of a parameter that repeats. */
export class Row {
	/**
	 * @param number counted from 1, as a user does
	 * @param param the parameter that has the rows, by the name that workflows store
	 * @param label what the panel calls the parameter
	 */
	constructor(
		readonly number: number,
		readonly values: JsonObject,
		private readonly param: string,
		private readonly label: string,
	) {}

	/**
	 * Text; a number or boolean that an expression gives is the text it looks like. Empty when unset.
	 *
	 * @param label what the panel calls the field
	 */
	text(name: string, label: string): string {
		const value = this.values[name];
		if (typeof value === 'object' && value !== null) {
			throw this.invalid(
				`'${label}' is not text`,
				'Its expression gives an object: choose one of the object’s fields.',
			);
		}
		return value === undefined || value === null ? '' : String(value);
	}

	/** A field that stands for a file of the item. */
	file(name: string): FileParameter {
		return { value: this.values[name], refuse: (problem, advice) => this.invalid(problem, advice) };
	}

	flag(name: string): boolean {
		return this.values[name] === true || this.values[name] === 'true';
	}

	/** A JSON object, as text or from an expression; `undefined` when it is empty. */
	object(name: string, label: string): JsonObject | undefined {
		const value = this.values[name];
		if (value === undefined || value === null || value === '') return undefined;
		const object = objectIn(value);
		if (object) return object;
		throw this.invalid(`'${label}' is not a JSON object`, 'Check quotes, commas and braces.');
	}

	/**
	 * One of some words.
	 *
	 * @param label what the panel calls the field
	 */
	choice<const Choice extends string>(name: string, label: string, choices: readonly Choice[]): Choice {
		const value = this.text(name, label);
		const found = choices.find((candidate) => candidate === value);
		if (found !== undefined) return found;
		throw this.invalid(
			`'${label}' has the unknown value "${value}"`,
			`It takes one of: ${choices.join(', ')}.`,
		);
	}

	/** The error for a row that cannot be sent; names the parameter and the row. */
	invalid(problem: string, advice: string): InvalidInput {
		return new InvalidInput(
			`'${this.label}', row ${this.number}: ${problem}`,
			`${advice} Nothing was sent.`,
			this.param,
		);
	}
}

/**
 * The rows of a parameter that repeats, as n8n stores them: lists in groups.
 *
 * @param label what the panel calls it
 * @throws {InvalidInput} for anything else
 */
export function readRows(name: string, label: string, value: unknown): Row[] {
	const groups = asObject(value ?? {});
	if (!groups) throw notRows(name, label);
	return Object.values(groups)
		.flatMap((group) => asArray(group))
		.map((row, index) => {
			const values = asObject(row);
			if (!values) throw notRows(name, label);
			return new Row(index + 1, values, name, label);
		});
}

function notRows(name: string, label: string): InvalidInput {
	return new InvalidInput(
		`'${label}' is not a list of rows`,
		'Add the rows in the panel. Nothing was sent.',
		name,
	);
}
