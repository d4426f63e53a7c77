import { asId, asNumber, asObject, asObjects, asText, type JsonObject } from '../util/json';
import { POLL_TIMEOUT_MS } from '../client/transport';
import { MEDIA_TYPES, type MediaModel, type PriceTier } from '../media/mediaModel';
import type { GatewayClient, GatewayRequest } from '../client/client';

/** A text model of the catalogue (§2.1). */
export interface TextModel {
	id: string;
	/** Size of the context window in tokens. */
	contextLength?: number | undefined;
	/** Rubles per input token, as the server writes it. */
	costContext?: string | undefined;
	/** Rubles per output token, as the server writes it. */
	costCompletion?: string | undefined;
	/** The record as received. */
	record: JsonObject;
}

/**
 * Fetches the text models (§4.4). Records without an id are left out.
 *
 * @param patience replaces the client's own
 */
export async function listTextModels(
	client: GatewayClient,
	patience: RetryPolicy = {},
): Promise<TextModel[]> {
	const body = await client.json({ ...catalogueRequest('/models'), ...patience });
	return asObjects(body.data).flatMap((record) => toTextModel(record) ?? []);
}

/**
 * Fetches the media models (§4.5). Records without an id are left out.
 *
 * @param patience replaces the client's own
 */
export async function listMediaModels(
	client: GatewayClient,
	patience: RetryPolicy = {},
): Promise<MediaModel[]> {
	const body = await client.json({ ...catalogueRequest('/media/models'), ...patience });
	return asObjects(body.data).flatMap((record) => toMediaModel(record) ?? []);
}

/** How much is done for a catalogue that does not come. */
export type RetryPolicy = Pick<GatewayRequest, 'maxRetries' | 'timeoutLimitMs'>;

/** A catalogue is read, not made: silence for a minute means that it will not come. */
function catalogueRequest(path: string): GatewayRequest {
	return { group: 'catalogue', method: 'GET', path, timeoutMs: POLL_TIMEOUT_MS };
}

function toTextModel(record: JsonObject): TextModel | undefined {
	const id = asText(record.id);
	if (id === undefined) return undefined;
	return {
		id,
		contextLength: asNumber(record.context_length),
		costContext: asDecimal(record.cost_context),
		costCompletion: asDecimal(record.cost_completion),
		record,
	};
}

function toMediaModel(record: JsonObject): MediaModel | undefined {
	const id = asText(record.id);
	if (id === undefined) return undefined;
	const pricing = asObject(record.pricing);
	return {
		id,
		ownedBy: asText(record.owned_by),
		mediaType: MEDIA_TYPES.find((type) => type === record.media_type),
		currency: asText(pricing?.currency) ?? 'RUB',
		tiers: asObjects(pricing?.tiers).flatMap((tier) => toTier(tier) ?? []),
		inputSchema: asObject(record.input_schema) ?? {},
		record,
	};
}

function toTier(tier: JsonObject): PriceTier | undefined {
	const price = asDecimal(tier.price);
	return price === undefined ? undefined : { params: asObject(tier.params) ?? {}, price };
}

/** A decimal that the server gives as a number or a string, as a string; `undefined` when it is neither. */
function asDecimal(value: unknown): string | undefined {
	return asNumber(value) === undefined ? undefined : asId(value);
}
