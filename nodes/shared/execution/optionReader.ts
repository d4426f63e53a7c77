import { excerpt } from '../gateway/excerpt';
import { InvalidInput } from '../gateway/failure';
import { asNumber, asText, objectIn, parseJson, type Json, type JsonObject } from '../gateway/json';

/** Values are shown up to this length. */
const MAX_SHOWN = 100;

/** Reads the values of an Options collection; what the user did not add is `undefined`. */
export class OptionReader {
	constructor(private readonly values: JsonObject) {}

	/**
	 * Text; a number or a boolean that an expression gives is taken as the text it looks like.
	 *
	 * @param label what the panel calls it
	 */
	text(name: string, label: string): string | undefined {
		const value = this.values[name];
		if (typeof value === 'object' && value !== null) {
			throw new InvalidInput(
				`The option '${label}' is not text`,
				'Its expression gives an object. Choose one of the object’s fields. Nothing was sent.',
				name,
			);
		}
		return value === undefined || value === null ? undefined : asText(String(value));
	}

	/** A boolean, also when an expression gave it as text. */
	boolean(name: string, label: string): boolean | undefined {
		const value = this.values[name];
		if (value === undefined || value === null || value === '') return undefined;
		if (value === true || value === 'true') return true;
		if (value === false || value === 'false') return false;
		throw notAllowed(name, label, value, 'It is true or false.');
	}

	/**
	 * One of some words.
	 *
	 * @param label what the panel calls it
	 */
	choice<const Choice extends string>(
		name: string,
		label: string,
		choices: readonly Choice[],
	): Choice | undefined {
		const value = this.text(name, label);
		const choice = choices.find((candidate) => candidate === value);
		if (value === undefined || choice !== undefined) return choice;
		throw notAllowed(name, label, value, `It takes one of: ${choices.join(', ')}.`);
	}

	/**
	 * Several texts: a list, JSON text of one, or a single text.
	 *
	 * @param label what the panel calls it
	 */
	texts(name: string, label: string): string[] | undefined {
		const value = this.values[name];
		const parsed =
			typeof value === 'string' && value.trimStart().startsWith('[') ? (parseJson(value) ?? value) : value;
		// A row of the panel whose expression gives a list counts as its rows.
		const list = (Array.isArray(parsed) ? (parsed as Json[]).flat() : [parsed]).flatMap((element) => {
			if (typeof element === 'object' && element !== null) {
				throw notAllowed(name, label, element, 'It takes texts.');
			}
			return element === undefined || element === null || element === '' ? [] : [String(element)];
		});
		return list.length > 0 ? list : undefined;
	}

	/**
	 * A JSON object, as text or from an expression.
	 *
	 * @param label what the panel calls it
	 */
	object(name: string, label: string): JsonObject | undefined {
		const value = this.values[name];
		if (value === undefined || value === null || value === '') return undefined;
		const object = objectIn(value);
		if (object) return object;
		throw notAllowed(name, label, value, 'It takes a JSON object such as { "name": "value" }.');
	}

	/**
	 * A JSON list, as text or from an expression.
	 *
	 * @param label what the panel calls it
	 */
	list(name: string, label: string): Json[] | undefined {
		const value = this.values[name];
		if (value === undefined || value === null || value === '') return undefined;
		const list = typeof value === 'string' ? parseJson(value) : value;
		if (Array.isArray(list)) return list;
		throw notAllowed(name, label, value, 'It takes a JSON list such as [{ "type": "…" }].');
	}

	/**
	 * A number, also when an expression gave it as text.
	 *
	 * @param label what the panel calls it
	 * @param range inclusive bounds
	 */
	number(name: string, label: string, range: Range = {}): number | undefined {
		const value = this.values[name];
		if (value === undefined || value === null || value === '') return undefined;
		const number = asNumber(value);
		const { min = -Infinity, max = Infinity, integer = false } = range;
		if (number === undefined || number < min || number > max || (integer && !Number.isInteger(number))) {
			const kind = integer ? 'a whole number' : 'a number';
			throw notAllowed(name, label, value, `Enter ${kind}${rangeText(range)}.`);
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

function notAllowed(name: string, label: string, value: unknown, advice: string): InvalidInput {
	return new InvalidInput(
		`The option '${label}' has a value that is not allowed: ${excerpt(JSON.stringify(value), MAX_SHOWN)}`,
		`${advice} Nothing was sent.`,
		name,
	);
}

function rangeText({ min, max }: Range): string {
	if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
	if (min !== undefined) return ` of at least ${min}`;
	return max === undefined ? '' : ` of at most ${max}`;
}
