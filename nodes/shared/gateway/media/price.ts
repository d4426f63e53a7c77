import { asNumber, fieldOf, type Json, type JsonObject } from '../util/json';
import { inputForm } from './inputSchema';
import { compareDecimals } from '../util/money';
import { listed } from '../util/text';

/** §2.2: the kinds of media that models generate. */
export const MEDIA_TYPES = ['image', 'video', 'music', 'audio'] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];

/** A price of a media model and the input values that it applies to (§2.2). */
export interface PriceTier {
	params: JsonObject;
	/** Decimal string in rubles; null if the catalogue has none for these values, or a negative one. */
	price: string | null;
}

/** A media model of the catalogue (§2.2). */
export interface MediaModel {
	id: string;
	ownedBy?: string | undefined;
	mediaType?: MediaType | undefined;
	/** Prices per task; empty if the catalogue has none in rubles. */
	tiers: PriceTier[];
	inputSchema: JsonObject;
	record: JsonObject;
}

/** The maximum of combinations of a price, or a field that it depends on, and an alternative of the schema. */
const MAX_COMBINATIONS = 100_000;

/** The price of a task as decimal text in rubles (§2.2), or why it is unknown. */
export type TaskPrice = { rub: string; reason?: undefined } | { rub?: undefined; reason: string };

/**
 * Finds the price tier of an input (§2.2): a tier fits if all its `params` equal the input's values or the schema's
 * defaults; of several that fit, the one with the most params applies. Numbers and booleans equal their text. If the
 * schema is a union whose alternatives have other defaults, the price is known only if it is the same with each. It is not
 * known if a tier may fit whose `params` have a list or an object: the specification does not say what that means.
 */
export function taskPrice(model: MediaModel, input: JsonObject): TaskPrice {
	const { tiers } = model;
	if (tiers.length === 0) return { reason: 'The catalogue has no price per task in rubles for this model.' };
	const { defaults, isWhole } = inputForm(model.inputSchema);
	const params = tiers.flatMap((tier) => Object.keys(tier.params));
	if (!isWhole || (tiers.length + params.length) * defaults.length > MAX_COMBINATIONS)
		return { reason: 'The catalogue says too much of this model to find its price. Choose another model.' };
	// Null means the default, too.
	const entries = Object.entries(input).filter(([, value]) => value !== undefined && value !== null);
	const given = Object.fromEntries(entries);
	const fitting = defaults.map((values) => tiers.filter((tier) => fits(tier, { ...values, ...given })));
	const unread = fitting
		.flat()
		.flatMap(({ params }) => Object.keys(params).filter((name) => !isPlain(fieldOf(params, name))));
	if (unread.length > 0)
		return { reason: `The price depends on ${quotedNames(unread)} in a way that this node cannot read.` };
	const count = (tier: PriceTier) => Object.keys(tier.params).length;
	const found = fitting.map((all) => {
		const most = all.reduce((highest, tier) => Math.max(highest, count(tier)), 0);
		return all.filter((tier) => count(tier) === most);
	});
	const [price = null, ...others] = found.flat().map((tier) => tier.price);
	const isSingle = others.every((other) => compareDecimals(other ?? '', price ?? '') === 0);
	if (price !== null && isSingle && found.every(({ length }) => length > 0)) return { rub: price };
	const advice = params.length > 0 ? ` Prices depend on ${quotedNames(params)}.` : '';
	return { reason: `The catalogue has no single price for these values.${advice}` };
}

function quotedNames(names: string[]): string {
	return listed([...new Set(names)].map((name) => `'${name}'`));
}

/** Whether it applies, or may apply. */
function fits({ params }: PriceTier, input: JsonObject): boolean {
	return Object.entries(params).every(
		([name, wanted]) => !isPlain(wanted) || isSame(fieldOf(input, name), wanted),
	);
}

function isPlain(value: Json | undefined): boolean {
	return typeof value !== 'object' || value === null;
}

function isSame(value: Json | undefined, wanted: Json | undefined): boolean {
	const [given, sought] = [value ?? null, wanted ?? null];
	if (typeof given === 'object' || sought === null) return given === sought;
	const number = asNumber(given);
	return number === undefined ? String(given) === String(sought) : number === asNumber(sought);
}
