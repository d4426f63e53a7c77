import type { INodeProperties } from 'n8n-workflow';

import { InvalidInputError } from '../gateway/errors/errors';

export type Description = Omit<INodeProperties, 'name'>;

export class Location {
	/** @param subject the subject of an error's sentence, e.g. `'Max Price'` or `The option 'Seed'` */
	constructor(
		readonly param: string,
		readonly subject: string,
	) {}

	/** The error for a value that cannot be sent: what follows the subject, and how to correct it. */
	error(problem: string, hint: string): InvalidInputError {
		return new InvalidInputError(`${this.subject} ${problem}`, hint, this.param);
	}
}

export function isUnset(value: unknown): value is undefined | null | '' {
	return value === undefined || value === null || value === '';
}

/** A parameter of a node, declared once: what the panel shows, and how its value is read. */
export class Parameter<out T> {
	/**
	 * @param read reads the value that n8n returns, `undefined` when the parameter is not there
	 * @param isRequired whether an option that is added must have a value; otherwise, an empty one counts as not added
	 */
	constructor(
		readonly description: Description,
		readonly read: (value: unknown, at: Location) => T,
		readonly isRequired = false,
	) {}

	get label(): string {
		return this.description.displayName;
	}

	property(name: string): INodeProperties {
		return { ...this.description, name };
	}

	with(description: Partial<Description>): Parameter<T> {
		return new Parameter({ ...this.description, ...description }, this.read, this.isRequired);
	}

	/** A copy that makes another value of the one that is read. */
	map<U>(next: (value: T, at: Location) => U): Parameter<U> {
		return new Parameter(this.description, (value, at) => next(this.read(value, at), at), this.isRequired);
	}

	/** A copy that is `undefined` when the user sets none; `default` is then only the panel's initial value. */
	optional(): Parameter<T | undefined> {
		return new Parameter(this.description, (value, at) =>
			isUnset(value) ? undefined : this.read(value, at),
		);
	}

	/** An option that is `undefined` unless added, and must not be empty then: leaving it out could cost money. */
	requiredIfAdded(): Parameter<T | undefined> {
		const read = (value: unknown, at: Location) => (value === undefined ? undefined : this.read(value, at));
		return new Parameter(this.description, read, true);
	}

	/** A copy for which a value that cannot be read counts as not set. */
	orNotSet(): Parameter<T> {
		return new Parameter(this.description, (value, at) => {
			try {
				return this.read(value, at);
			} catch {
				return this.read(undefined, at);
			}
		});
	}
}

/** Parameters by the names that workflows store, in the order of the panel. */
export type Declarations = Readonly<Record<string, Parameter<unknown>>>;

/** The values of declared parameters. Each is read, and checked, on its first access. */
export type Values<D extends Declarations> = {
	readonly [Name in keyof D]: D[Name] extends Parameter<infer T> ? T : never;
};

export type Source = <T>(name: string, parameter: Parameter<T>) => T;

const SOURCE = Symbol('source');

export function declare<D extends Declarations>(declarations: D) {
	const prototype = {};
	for (const [name, parameter] of Object.entries(declarations)) {
		Object.defineProperty(prototype, name, {
			get(this: { [SOURCE]: Source }) {
				const value = this[SOURCE](name, parameter);
				Object.defineProperty(this, name, { value, enumerable: true });
				return value;
			},
		});
	}
	return {
		declarations,
		properties: Object.entries(declarations).map(([name, parameter]) => parameter.property(name)),
		read: (source: Source) => Object.create(prototype, { [SOURCE]: { value: source } }) as Values<D>,
	};
}
