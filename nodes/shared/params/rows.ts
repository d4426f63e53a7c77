import { InvalidInputError } from '../gateway/errors/errors';
import { asArray, asObject, type Json, type JsonObject } from '../gateway/util/json';
import type { FileParameter } from '../n8n/binary';
import { ValueReader } from './valueReader';

/** One row of a parameter that repeats. */
export class Row extends ValueReader {
	/**
	 * @param number counted from 1, as a user does
	 * @param param the parameter that has the rows, by the name that workflows store
	 * @param label what the panel calls the parameter
	 */
	constructor(
		readonly number: number,
		private readonly values: JsonObject,
		private readonly param: string,
		private readonly label: string,
	) {
		super();
	}

	protected value(name: string): Json | undefined {
		return this.values[name];
	}

	protected refusal(_: string, label: string, problem: string, hint: string): InvalidInputError {
		return this.invalid(`'${label}' ${problem}`, hint);
	}

	/** A field that stands for a file of the item. */
	file(name: string): FileParameter {
		return { value: this.values[name], refuse: (problem, hint) => this.invalid(problem, hint) };
	}

	/** The error for a row that cannot be sent; names the parameter and the row. */
	invalid(problem: string, hint: string): InvalidInputError {
		return new InvalidInputError(
			`'${this.label}', row ${this.number}: ${problem}`,
			`${hint} Nothing was sent.`,
			this.param,
		);
	}
}

/**
 * The rows of a parameter that repeats, as n8n stores them: lists in groups.
 *
 * @param label what the panel calls it
 * @throws {InvalidInputError} for anything else
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

function notRows(name: string, label: string): InvalidInputError {
	return new InvalidInputError(
		`'${label}' is not a list of rows`,
		'Add the rows in the panel. Nothing was sent.',
		name,
	);
}
