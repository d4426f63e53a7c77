import { asObjects, type JsonObject } from '../util/json';
import { decimal, number, object, objects, record, text } from '../util/shape';
import { POLL_TIMEOUT_MS } from '../client/transport';
import { MEDIA_TYPES, type MediaModel } from '../media/mediaModel';
import type { GatewayClient } from '../client/client';

/** A text model of the catalogue (§2.1). */
export type TextModel = NonNullable<ReturnType<typeof toTextModel>>;

/**
 * Makes a function that fetches a catalogue, without records that have no ID. Its signal ends the request and its
 * retries; it throws an {@link ApiError} when the request fails.
 */
function catalogue<Model>(path: string, toModel: (record: JsonObject) => Model | undefined) {
	return async (client: GatewayClient, signal?: AbortSignal): Promise<Model[]> => {
		// It is returned at once: a minute without data means a lost connection.
		const { timeoutMs = POLL_TIMEOUT_MS } = client.settings;
		const body = await client.json({ group: 'catalogue', kind: 'catalogue', path, timeoutMs, signal });
		return asObjects(body.data).flatMap((received) => toModel(received) ?? []);
	};
}

/** Fetches the text models (§4.4). */
export const listTextModels = catalogue('/models', toTextModel);

/** Fetches the media models (§4.5). */
export const listMediaModels = catalogue('/media/models', toMediaModel);

/** The fields of a text model that are used. */
const textRecord = object({
	id: text,
	context_length: number,
	cost_context: decimal,
	cost_completion: decimal,
});

function toTextModel(received: JsonObject) {
	const { id, ...fields } = textRecord(received);
	if (id === undefined) return undefined;
	return {
		id,
		/** In tokens. */
		contextLength: (fields.context_length ?? 0) > 0 ? fields.context_length : undefined,
		/** Rubles per input token, as the server sends it. */
		costContext: fields.cost_context,
		/** Rubles per output token. */
		costCompletion: fields.cost_completion,
		record: received,
	};
}

/** The fields of a media model that are used. */
const mediaRecord = object({
	id: text,
	owned_by: text,
	media_type: text,
	pricing: object({ currency: text, type: text, tiers: objects({ price: decimal, params: record }) }),
	input_schema: record,
});

function toMediaModel(received: JsonObject): MediaModel | undefined {
	const { id, pricing, ...fields } = mediaRecord(received);
	if (id === undefined) return undefined;
	const { type, currency = 'RUB' } = pricing;
	// §2.2 shows no other type: its prices may be for a second, say, and not for a task.
	const tiers = type === 'tiered' && currency === 'RUB' ? pricing.tiers : [];
	return {
		id,
		ownedBy: fields.owned_by,
		mediaType: MEDIA_TYPES.find((type) => type === fields.media_type),
		tiers: tiers.map(({ price = '-', params = {} }) => ({
			params,
			price: price.startsWith('-') ? null : price,
		})),
		inputSchema: fields.input_schema ?? {},
		record: received,
	};
}
