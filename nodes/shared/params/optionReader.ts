import { InvalidInputError } from '../gateway/errors/errors';
import { asArray, asNumber, parseJson, type Json } from '../gateway/util/json';
import { ValueReader } from './valueReader';

/** Reads the values of an Options collection; what the user did not add is unset. */
export class OptionReader extends ValueReader {
	constructor(private readonly values: Readonly<Record<string, unknown>>) {
		super();
	}

	protected value(name: string): unknown {
		return this.values[name];
	}

	protected refusal(name: string, label: string, problem: string, hint: string): InvalidInputError {
		return new InvalidInputError(`The option '${label}' ${problem}`, `${hint} Nothing was sent.`, name);
	}

	/** Several texts: a list, JSON text of one, or a single text. */
	texts(name: string, label: string): string[] | undefined {
		const value = this.values[name];
		const parsed =
			typeof value === 'string' && value.trimStart().startsWith('[') ? (parseJson(value) ?? value) : value;
		// A row of the panel whose expression gives a list counts as its rows.
		const list = [parsed].flat(2).flatMap((element) => {
			if (typeof element === 'object' && element !== null) {
				throw this.notAllowed(name, label, element, 'It takes texts.');
			}
			return element === undefined || element === null || element === '' ? [] : [String(element)];
		});
		return list.length > 0 ? list : undefined;
	}

	/** A JSON list, as text or from an expression. */
	list(name: string, label: string): Json[] | undefined {
		const value = this.setValue(name);
		if (value === undefined) return undefined;
		const list = typeof value === 'string' ? parseJson(value) : value;
		if (Array.isArray(list)) return asArray(list);
		throw this.notAllowed(name, label, value, 'It takes a JSON list such as [{ "type": "…" }].');
	}

	/**
	 * A number, also when an expression gave it as text.
	 *
	 * @param range inclusive bounds
	 */
	number(name: string, label: string, range: Range = {}): number | undefined {
		const value = this.setValue(name);
		if (value === undefined) return undefined;
		const number = asNumber(value);
		const { min = -Infinity, max = Infinity, integer = false } = range;
		if (number === undefined || number < min || number > max || (integer && !Number.isInteger(number))) {
			const kind = integer ? 'a whole number' : 'a number';
			throw this.notAllowed(name, label, value, `Enter ${kind}${rangeText(range)}.`);
		}
		return number;
	}
}

/** Bounds of a number, inclusive. */
interface Range {
	min?: number | undefined;
	max?: number | undefined;
	integer?: boolean;
}

function rangeText({ min, max }: Range): string {
	if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
	if (min !== undefined) return ` of at least ${min}`;
	return max === undefined ? '' : ` of at most ${max}`;
}
