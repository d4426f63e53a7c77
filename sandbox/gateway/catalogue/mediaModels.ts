/** The media models (§2.2), with their input schemas and prices. */
import { accountPrice, formatRubles, parseRubles, type Nano } from '../money';
import * as schemas from './mediaSchemas';
import type { JsonSchema } from '../jsonSchema';

export type MediaType = 'image' | 'video' | 'music' | 'audio';

export interface Tier {
	/** Input values that must all be equal; the tier with the most of them wins. */
	params: Record<string, string | number | boolean>;
	price: Nano;
}

export interface MediaModel {
	id: string;
	ownedBy: string;
	mediaType: MediaType;
	tiers: Tier[];
	inputSchema: JsonSchema;
}

function tier(price: string, params: Tier['params'] = {}): Tier {
	return { params, price: parseRubles(price) };
}

function model(id: string, mediaType: MediaType, inputSchema: JsonSchema, ...tiers: Tier[]): MediaModel {
	return { id, ownedBy: id.split('/')[0] ?? '', mediaType, tiers, inputSchema };
}

export const mediaModels: readonly MediaModel[] = [
	model(
		'aurora/canvas-1',
		'image',
		schemas.canvas,
		tier('2.00', { quality: 'draft' }),
		tier('4.50', { quality: 'standard', size: '512x512' }),
		tier('6.00', { quality: 'standard' }),
		tier('12.00', { quality: 'high' }),
		tier('18.50', { quality: 'high', size: '1536x1024' }),
	),
	model('aurora/retouch-1', 'image', schemas.retouch, tier('7.50'), tier('10.00', { strength: 'strong' })),
	model(
		'aurora/remix-1',
		'image',
		schemas.remix,
		tier('3.00', { mode: 'draw' }),
		tier('5.00', { mode: 'change' }),
	),
	model(
		'lumen/motion-2',
		'video',
		schemas.motion,
		tier('40.00', { duration: 5, resolution: '480p' }),
		tier('75.00', { duration: 10, resolution: '480p' }),
		tier('60.00', { duration: 5, resolution: '720p' }),
		tier('115.00', { duration: 10, resolution: '720p' }),
	),
	model('harmonia/song-3', 'music', schemas.song, tier('15.00')),
	model('voxa/speech-1', 'audio', schemas.speech, tier('1.50'), tier('3.25', { quality: 'studio' })),
];

export function findMediaModel(id: string): MediaModel | undefined {
	return mediaModels.find((entry) => entry.id === id);
}

/** The catalogue record (§2.2): base prices, or the account's. */
export function mediaModelRecord(entry: MediaModel, forAccount: boolean): Record<string, unknown> {
	return {
		id: entry.id,
		object: 'model',
		owned_by: entry.ownedBy,
		media_type: entry.mediaType,
		pricing: {
			currency: 'RUB',
			type: 'tiered',
			tiers: entry.tiers.map(({ params, price }) => ({
				params,
				price: formatRubles(forAccount ? accountPrice(price) : price),
			})),
		},
		input_schema: entry.inputSchema,
	};
}
