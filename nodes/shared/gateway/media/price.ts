import type { MediaModel, PriceTier } from './mediaModel';
import { inputForm } from './inputSchema';
import { asNumber, canonicalJson, type Json, type JsonObject } from '../util/json';

/** The price of a task as decimal text in rubles (§2.2), or why it is unknown. */
export type TaskPrice = { rub: string; reason?: undefined } | { rub?: undefined; reason: string };

/**
 * Finds the price tier of an input (§2.2): a tier fits if all its `params` equal the input's values or the schema's
 * defaults; of several that fit, the one with the most params applies. Numbers and booleans equal their text. If the
 * schema is a union whose alternatives have other defaults, the price is known only if it is the same with each.
 */
export function taskPrice(model: MediaModel, input: JsonObject): TaskPrice {
	const { tiers } = model;
	if (tiers.length === 0) return { reason: 'The catalogue has no price per task in rubles for this model.' };
	const { defaults } = inputForm(model.inputSchema);
	const found = defaults.map((values) => bestTiers(tiers, withDefaults(input, values)));
	const [price = null, ...others] = new Set(found.flat().map((tier) => tier.price));
	const isKnown = price !== null && others.length === 0 && found.every(({ length }) => length > 0);
	if (isKnown) return { rub: price };
	const names = new Set(tiers.flatMap(({ params }) => Object.keys(params).map((name) => `'${name}'`)));
	const advice = names.size > 0 ? ` Prices depend on ${[...names].join(', ')}.` : '';
	return { reason: `The catalogue has no single price for these values.${advice}` };
}

/** The tiers that fit the input and have the most params. */
function bestTiers(tiers: readonly PriceTier[], input: JsonObject): PriceTier[] {
	const fitting = tiers.filter((tier) => fits(tier, input));
	const count = ({ params }: PriceTier) => Object.keys(params).length;
	const most = Math.max(...fitting.map(count));
	return fitting.filter((tier) => count(tier) === most);
}

/** Null means the default, too. */
function withDefaults(input: JsonObject, defaults: JsonObject): JsonObject {
	const complete = { ...input };
	for (const [name, value] of Object.entries(defaults)) complete[name] ??= value;
	return complete;
}

function fits({ params }: PriceTier, input: JsonObject): boolean {
	return Object.entries(params).every(([name, wanted]) => isSame(input[name], wanted));
}

function isSame(value: Json | undefined, wanted: Json | undefined): boolean {
	const [given, sought] = [value ?? null, wanted ?? null];
	if (typeof given === 'object' || typeof sought === 'object') {
		return canonicalJson(given) === canonicalJson(sought);
	}
	const number = asNumber(given);
	return number === undefined ? String(given) === String(sought) : number === asNumber(sought);
}
