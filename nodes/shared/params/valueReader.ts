import { excerpt } from '../gateway/util/excerpt';
import type { InvalidInputError } from '../gateway/errors/errors';
import { asText, objectIn, type JsonObject } from '../gateway/util/json';

/** Values are shown up to this length. */
const MAX_SHOWN = 100;

/**
 * Reads values that a user sets, of parameters, of options or of rows: what the panel gives, or an expression in its
 * place. Labels are what the panel calls the fields.
 */
export abstract class ValueReader {
	/** The value as it was given; `undefined`, null and an empty text are unset ones. */
	protected abstract value(name: string): unknown;

	/**
	 * The error for a value that cannot be sent.
	 *
	 * @param problem what follows the field's name
	 */
	protected abstract refusal(name: string, label: string, problem: string, hint: string): InvalidInputError;

	/** Text, as it was given: `2024` stays the text it was typed as. Empty when unset. */
	text(name: string, label: string): string {
		return this.optionalText(name, label) ?? '';
	}

	/** Text; a number or a boolean that an expression gives is taken as the text it looks like. */
	optionalText(name: string, label: string): string | undefined {
		const value = this.value(name);
		if (value === undefined || value === null) return undefined;
		if (typeof value === 'object') {
			throw this.refusal(
				name,
				label,
				'is not text',
				'Its expression gives an object. Choose one of the object’s fields, or turn it into text with toJsonString().',
			);
		}
		return asText(String(value as string | number | boolean));
	}

	/** One of some words. */
	choice<const Choice extends string>(name: string, label: string, choices: readonly Choice[]): Choice {
		const value = this.text(name, label);
		const choice = choices.find((candidate) => candidate === value);
		if (choice !== undefined) return choice;
		throw this.notAllowed(name, label, value, `It takes one of: ${choices.join(', ')}.`);
	}

	/** One of some words, or nothing. */
	optionalChoice<const Choice extends string>(
		name: string,
		label: string,
		choices: readonly Choice[],
	): Choice | undefined {
		return this.optionalText(name, label) === undefined ? undefined : this.choice(name, label, choices);
	}

	/** A switch; off when unset. */
	flag(name: string, label: string): boolean {
		return this.boolean(name, label) ?? false;
	}

	/** A boolean, also when an expression gave it as text. */
	boolean(name: string, label: string): boolean | undefined {
		const value = this.setValue(name);
		if (value === undefined) return undefined;
		if (value === true || value === 'true') return true;
		if (value === false || value === 'false') return false;
		throw this.notAllowed(name, label, value, 'It is true or false.');
	}

	/** A JSON object, as text or from an expression. */
	object(name: string, label: string): JsonObject | undefined {
		const value = this.setValue(name);
		if (value === undefined) return undefined;
		const object = objectIn(value);
		if (object) return object;
		throw this.notAllowed(name, label, value, 'It takes a JSON object such as { "name": "value" }.');
	}

	/** The value; `undefined` when it is unset. */
	protected setValue(name: string): unknown {
		const value = this.value(name);
		return value === null || value === '' ? undefined : value;
	}

	protected notAllowed(name: string, label: string, value: unknown, hint: string): InvalidInputError {
		const shown = excerpt(JSON.stringify(value), MAX_SHOWN);
		return this.refusal(name, label, `has a value that is not allowed: ${shown}`, hint);
	}
}
