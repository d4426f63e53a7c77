import type { MediaModel, PriceTier } from './mediaModel';
import { inputForm } from './inputSchema';
import { asNumber, canonicalJson, type Json, type JsonObject } from '../util/json';

/** The price of a task (§2.2). If it is unknown, `price` is null and `reason` says why. */
export type TaskPrice =
	| { price: string; currency: string; matched: JsonObject; reason?: undefined }
	| { price: null; currency: string; matched: null; reason: string };

/**
 * Finds the price tier of an input (§2.2): a tier fits if all its `params` equal the input's values or the schema's
 * defaults; of several that fit, the one with the most params applies. Numbers and booleans equal their text. If the
 * schema is a union whose alternatives have other defaults, the price is known only if it is the same with each.
 */
export function taskPrice(model: MediaModel, input: JsonObject): TaskPrice {
	const { tiers, currency } = model;
	const none = (reason: string): TaskPrice => ({ price: null, currency, matched: null, reason });
	if (tiers.length === 0) return none('The catalogue has no price per task for this model.');
	const { defaults } = inputForm(model.inputSchema);
	const found = defaults.map((values) => bestTiers(tiers, withDefaults(input, values)));
	const [best, ...others] = found.flat();
	if (!best || found.some((fitting) => fitting.length === 0)) {
		return none(`No price tier fits these values. ${dependsOn(tiers)}`);
	}
	if (others.some(({ price }) => price !== best.price)) {
		return none(`Several price tiers fit these values. ${dependsOn(tiers)}`);
	}
	if (best.price === null) return none('The catalogue has no price for these values.');
	return { price: best.price, currency, matched: best.params };
}

/** The tiers that fit the input and have the most params. */
function bestTiers(tiers: readonly PriceTier[], input: JsonObject): PriceTier[] {
	const fitting = tiers.filter((tier) => fits(tier, input));
	const count = ({ params }: PriceTier) => Object.keys(params).length;
	const most = Math.max(...fitting.map(count));
	return fitting.filter((tier) => count(tier) === most);
}

/** The price in rubles as decimal text; `undefined` if it is unknown or in another currency. */
export function rublePrice({ price, currency }: TaskPrice): string | undefined {
	return currency === 'RUB' ? (price ?? undefined) : undefined;
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

/** "The prices depend on 'quality', 'size'." */
function dependsOn(tiers: readonly PriceTier[]): string {
	const names = new Set(tiers.flatMap(({ params }) => Object.keys(params)));
	return `The prices depend on ${[...names].map((name) => `'${name}'`).join(', ')}.`;
}
