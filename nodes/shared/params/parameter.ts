import type { INodeProperties } from 'n8n-workflow';

import { asError, InvalidInputError } from '../gateway/errors/errors';

/** n8n's description of a parameter, without its name. */
export type Description = Omit<INodeProperties, 'name'>;

/** The location of a value, for errors about it. */
export class Location {
	/**
	 * @param param name of the parameter, as workflows store it
	 * @param subject the subject of an error's sentence, e.g. `'Max Price'` or `The option 'Seed'`
	 * @param isTolerant whether an invalid value counts as not set
	 */
	constructor(
		readonly param: string,
		readonly subject: string,
		readonly isTolerant = false,
	) {}

	/** The location of a value inside this one. */
	inner(param: string, subject: string): Location {
		return new Location(param, subject, this.isTolerant);
	}

	/**
	 * The error for a value that cannot be sent.
	 *
	 * @param problem what follows the subject
	 * @param hint how to correct it
	 */
	error(problem: string, hint: string): InvalidInputError {
		return new InvalidInputError(`${this.subject} ${problem}`, `${hint}`, this.param);
	}
}

/** A parameter of a node, declared once: what the panel shows, and how its value is read. */
export class Parameter<out T> {
	/**
	 * @param description what the panel shows
	 * @param reader reads the value that n8n returns, `undefined` when the parameter is not there; throws also for
	 *   a tolerant location
	 * @param readsEmpty whether an option that is added and empty is read, and not taken for one that is not added
	 */
	constructor(
		readonly description: Description,
		readonly reader: (value: unknown, at: Location) => T,
		readonly readsEmpty = false,
	) {}

	get label(): string {
		return this.description.displayName;
	}

	/** n8n's description of the parameter with this name. */
	property(name: string): INodeProperties {
		return { ...this.description, name };
	}

	/** @throws {InvalidInputError} for a value that cannot be sent */
	read(value: unknown, at: Location): T {
		try {
			return this.reader(value, at);
		} catch (error) {
			if (at.isTolerant && error instanceof InvalidInputError) return this.reader(undefined, at);
			throw asError(error);
		}
	}

	/** A copy with some fields of the description replaced, e.g. the text or `displayOptions`. */
	with(description: Partial<Description>): Parameter<T> {
		return new Parameter({ ...this.description, ...description }, this.reader, this.readsEmpty);
	}
}

/** Parameters by the names that workflows store, in the order of the panel. */
export type Declarations = Readonly<Record<string, Parameter<unknown>>>;

/** The values of declared parameters. Each is read on access. */
export type Values<D extends Declarations> = {
	readonly [Name in keyof D]: D[Name] extends Parameter<infer T> ? T : never;
};

/** Where the values of declared parameters come from. */
export interface Source {
	read<T>(name: string, parameter: Parameter<T>): T;
}

const SOURCE = Symbol('source');

/** Declared parameters: n8n's properties, and typed values. */
export class ParameterSet<D extends Declarations> {
	private readonly prototype = {};

	constructor(readonly declarations: D) {
		for (const [name, parameter] of Object.entries(declarations)) {
			Object.defineProperty(this.prototype, name, {
				get(this: { [SOURCE]: Source }) {
					return this[SOURCE].read(name, parameter);
				},
			});
		}
	}

	get properties(): INodeProperties[] {
		return Object.entries(this.declarations).map(([name, parameter]) => parameter.property(name));
	}

	/** Returns an object whose values are read, and checked, on access. */
	read(source: Source): Values<D> {
		return Object.create(this.prototype, { [SOURCE]: { value: source } }) as Values<D>;
	}
}

/** Declares parameters; see {@link ParameterSet}. */
export function declare<D extends Declarations>(declarations: D): ParameterSet<D> {
	return new ParameterSet(declarations);
}
