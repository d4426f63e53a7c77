import type { JsonObject } from '../util/json';

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
