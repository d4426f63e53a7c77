import { asObjects, type JsonObject } from '../util/json';
import { decimal, number, object, objects, record, text } from '../util/shape';
import { POLL_TIMEOUT_MS } from '../client/transport';
import { MEDIA_TYPES, type MediaModel } from '../media/mediaModel';
import type { GatewayClient } from '../client/client';

/** A text model of the catalogue (§2.1). */
export interface TextModel {
	id: string;
	/** Size of the context window in tokens. */
	contextLength?: number | undefined;
	/** Rubles per input token, as the server sends it. */
	costContext?: string | undefined;
	/** Rubles per output token, as the server sends it. */
	costCompletion?: string | undefined;
	/** The record as received. */
	record: JsonObject;
}

/**
 * Fetches a catalogue. Leaves out records without an id.
 *
 * @param signal ends the request and its retries
 * @throws {ApiError} when the request fails
 */
type ListModels<Model> = (client: GatewayClient, signal?: AbortSignal) => Promise<Model[]>;

/** Fetches the text models (§4.4). */
export const listTextModels: ListModels<TextModel> = async (client, signal) =>
	(await fetchRecords(client, '/models', signal)).flatMap((record) => toTextModel(record) ?? []);

/** Fetches the media models (§4.5). */
export const listMediaModels: ListModels<MediaModel> = async (client, signal) =>
	(await fetchRecords(client, '/media/models', signal)).flatMap((record) => toMediaModel(record) ?? []);

async function fetchRecords(
	client: GatewayClient,
	path: string,
	signal: AbortSignal | undefined,
): Promise<JsonObject[]> {
	// A catalogue is returned at once: a minute without data means a lost connection.
	const { timeoutMs = POLL_TIMEOUT_MS } = client.settings;
	const body = await client.json({ group: 'catalogue', kind: 'catalogue', path, timeoutMs, signal });
	return asObjects(body.data);
}

/** The fields of a text model that are used. */
const textRecord = object({
	id: text,
	context_length: number,
	cost_context: decimal,
	cost_completion: decimal,
});

function toTextModel(received: JsonObject): TextModel | undefined {
	const { id, ...fields } = textRecord(received);
	if (id === undefined) return undefined;
	return {
		id,
		contextLength: (fields.context_length ?? 0) > 0 ? fields.context_length : undefined,
		costContext: fields.cost_context,
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
	// §2.2 shows no other type: its prices may be for a second, say, and not for a task.
	const tiers = pricing.type === 'tiered' ? pricing.tiers : [];
	return {
		id,
		ownedBy: fields.owned_by,
		mediaType: MEDIA_TYPES.find((type) => type === fields.media_type),
		currency: pricing.currency ?? 'RUB',
		tiers: tiers.map(({ price = null, params = {} }) => ({ params, price })),
		inputSchema: fields.input_schema ?? {},
		record: received,
	};
}
