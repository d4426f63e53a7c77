import type { MediaModel, PriceTier } from './mediaModel';
import { inputForm } from './inputSchema';
import { asNumber, canonicalJson, type Json, type JsonObject } from '../util/json';
import { compareDecimals } from '../util/money';

/** Values of an input field that a reason lists. */
const MAX_SHOWN_VALUES = 12;

/** The price of a task (§2.2). If it is unknown, `price` is null and `reason` says why. */
export type TaskPrice =
	| { price: string; currency: string; matched: JsonObject; reason?: undefined }
	| { price: null; currency: string; matched: null; reason: string };

/**
 * Finds the price tier of an input (§2.2): a tier fits if all its `params` equal the input's values or the schema's
 * defaults; of several that fit, the one with the most params applies. Numbers and booleans equal their text.
 */
export function taskPrice(model: MediaModel, input: JsonObject): TaskPrice {
	const { tiers, currency } = model;
	const none = (reason: string): TaskPrice => ({ price: null, currency, matched: null, reason });
	if (tiers.length === 0) return none('The catalogue has no price for this model.');
	const complete = withDefaults(input, model.inputSchema);
	const fitting = tiers.filter((tier) => fits(tier, complete));
	const most = Math.max(...fitting.map(specificity));
	const [best, ...others] = fitting.filter((tier) => specificity(tier) === most);
	if (!best) return none(`No price tier fits these values. ${dependsOn(tiers)}`);
	if (others.some(({ price }) => compareDecimals(price, best.price) !== 0)) {
		return none(`Several price tiers fit these values. ${dependsOn(tiers)}`);
	}
	return { price: best.price, currency, matched: best.params };
}

/** The price in rubles as decimal text; `undefined` if it is unknown or in another currency. */
export function rublePrice({ price, currency }: TaskPrice): string | undefined {
	return currency === 'RUB' ? (price ?? undefined) : undefined;
}

/** The price in rubles, rounded by floating point; `undefined` if it is unknown or in another currency. */
export function priceInRubles({ price, currency }: TaskPrice): number | undefined {
	return currency === 'RUB' ? asNumber(price) : undefined;
}

function withDefaults(input: JsonObject, schema: JsonObject): JsonObject {
	const complete = { ...input };
	for (const { name, default: value } of inputForm(schema).fields) {
		complete[name] ??= value;
	}
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

function specificity({ params }: PriceTier): number {
	return Object.keys(params).length;
}

/** "There are prices for: quality draft, high; size 512x512". */
function dependsOn(tiers: readonly PriceTier[]): string {
	const names = [...new Set(tiers.flatMap(({ params }) => Object.keys(params)))];
	const known = names.map((name) => {
		const values = tiers.flatMap(({ params }) =>
			Object.hasOwn(params, name) ? [valueText(params[name])] : [],
		);
		return `'${name}' ${[...new Set(values)].slice(0, MAX_SHOWN_VALUES).join(', ')}`;
	});
	return `There are prices for: ${known.join('; ')}.`;
}

function valueText(value: Json | undefined): string {
	return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
