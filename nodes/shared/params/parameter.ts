import type { INodeProperties } from 'n8n-workflow';

import { InvalidInputError } from '../gateway/errors/errors';
import { fieldOf, omit } from '../gateway/util/json';

/** What the panel shows of a parameter; conditions are added by {@link Parameter.shownIf}, which makes the value optional. */
export type Shown = Omit<INodeProperties, 'name' | 'displayOptions'> & { traits?: Traits };

type Conditions = NonNullable<NonNullable<INodeProperties['displayOptions']>['show']>;

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

/** The value of another parameter, by its name in a display condition: `role`, outside of a group `/format`, or `@tool`. */
export type Lookup = (name: string) => unknown;

/** A name that stands outside of a group. */
export const OUTER = /^[/@]/;

/** Reads the value that n8n returns, `undefined` when the parameter is not there. */
type Reader<T> = (value: unknown, at: Location, lookup: Lookup) => T;

/** Facts of a parameter beside its panel and its value. */
export interface Traits {
	/** `false`: another value changes no request that was accepted, so what is paid for is kept. */
	changesRequest?: false;
	/** An expression must not leave it empty. The text says why, and what to do. */
	mustBeSet?: string;
	/** It limits what an agent spends, so the agent's model must not set it. */
	byUserOnly?: true;
	/** An option that is added must have a value; otherwise, an empty one counts as not added. */
	isRequired?: true;
	/** Not listed where an operation is one quick request that costs nothing. */
	forLongRuns?: true;
	/** Its path in the body of a request, such as `reasoning.effort`, by the formats that have it. */
	wire?: Readonly<Record<string, string>>;
	/** The options of a collection. */
	options?: Declarations;
}

/** A parameter of a node, declared once: what the panel shows, how its value is read, and its traits. */
export class Parameter<out T> {
	constructor(
		readonly description: Shown & Pick<INodeProperties, 'displayOptions'>,
		readonly read: Reader<T>,
	) {}

	get label(): string {
		return this.description.displayName;
	}

	get traits(): Traits {
		return this.description.traits ?? {};
	}

	/** A copy with another panel, and with these traits, too. */
	with(description: Partial<Shown>): Parameter<T> {
		const traits = { ...this.traits, ...description.traits };
		return new Parameter({ ...this.description, ...description, traits }, this.read);
	}

	/** A copy that the panel shows, and that is read, only where these conditions are met, too. */
	shownIf(conditions: Conditions): Parameter<T | undefined> {
		const { displayOptions } = this.description;
		const show = { ...displayOptions?.show, ...conditions };
		return new Parameter({ ...this.description, displayOptions: { ...displayOptions, show } }, this.read);
	}

	/** A copy that a tool of an agent does not have. */
	notForTools(): Parameter<T | undefined> {
		const displayOptions = { ...this.description.displayOptions, hide: { '@tool': [true] } };
		return new Parameter({ ...this.description, displayOptions }, this.read);
	}

	/** A copy that is read in another way. */
	reading<U>(read: Reader<U>): Parameter<U> {
		return new Parameter(this.description, read);
	}

	/** A copy that makes another value of the one that is read. */
	map<U>(next: (value: T, at: Location, lookup: Lookup) => U): Parameter<U> {
		return this.reading((value, ...more) => next(this.read(value, ...more), ...more));
	}

	/** A copy that is `undefined` when the user sets none; `default` is then only the panel's initial value. */
	optional(): Parameter<T | undefined> {
		return this.reading((value, ...more) => (isUnset(value) ? undefined : this.read(value, ...more)));
	}

	/** An option that is `undefined` unless added, and must not be empty then: leaving it out could cost money. */
	requiredIfAdded(): Parameter<T | undefined> {
		const { read } = this;
		return this.with({ traits: { isRequired: true } }).reading((value, ...more) =>
			value === undefined ? undefined : read(value, ...more),
		);
	}

	/** A copy for which a value that cannot be read counts as not set. */
	orNotSet(): Parameter<T> {
		return this.reading((value, ...more) => {
			try {
				return this.read(value, ...more);
			} catch {
				return this.read(undefined, ...more);
			}
		});
	}
}

/** Parameters by the names that workflows store, in the order of the panel. */
export type Declarations = Readonly<Record<string, Parameter<unknown>>>;

export type ValueOf<P> = P extends Parameter<infer T> ? T : never;

/** The values of declared parameters; `undefined` for one that the panel does not show. */
export type Values<D extends Declarations> = { readonly [Name in keyof D]: ValueOf<D[Name]> };

export function propertiesOf(declarations: Declarations): INodeProperties[] {
	return Object.entries(declarations).map(([name, { description }]) => ({
		...omit(description, 'traits'),
		name,
	}));
}

/** Whether the panel shows a parameter. */
export function isShown({ description }: Parameter<unknown>, lookup: Lookup): boolean {
	const { show = {}, hide = {} } = description.displayOptions ?? {};
	const fits = ([name, values]: [string, readonly unknown[] | undefined]) => values?.includes(lookup(name));
	return Object.entries(show).every(fits) && !Object.entries(hide).some(fits);
}

/**
 * Reads the parameters that the panel shows, in its order, and before each one those on which it depends.
 *
 * @param names those to read; others are read for conditions only
 * @param outer for names that stand outside
 */
export function readValues<D extends Declarations>(
	declarations: D,
	names: readonly string[],
	outer: Lookup,
	read: (name: string, parameter: Parameter<unknown>, lookup: Lookup) => unknown,
): Values<D> {
	const values = new Map<string, unknown>();
	const lookup: Lookup = (name) => {
		if (OUTER.test(name)) return outer(name);
		const parameter = values.has(name) ? undefined : fieldOf(declarations, name);
		if (parameter) values.set(name, isShown(parameter, lookup) ? read(name, parameter, lookup) : undefined);
		return values.get(name);
	};
	names.forEach(lookup);
	return Object.fromEntries(values) as Values<D>;
}
