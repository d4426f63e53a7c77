import { asDecimal, asId, asNumber, asObject, asObjects, asText, type JsonObject } from '../util/json';
import { POLL_TIMEOUT_MS } from '../client/transport';
import { MEDIA_TYPES, type MediaModel } from '../media/mediaModel';
import type { GatewayClient } from '../client/client';
import { missingInResponse } from './response';

/** A text model of the catalogue (§2.1). */
export type TextModel = NonNullable<ReturnType<typeof toTextModel>>;

/** Makes a function that fetches a catalogue, without records that have no ID. Its signal ends the request and its retries. */
function catalogue<Model>(path: string, toModel: (record: JsonObject) => Model | undefined) {
	return async (client: GatewayClient, signal?: AbortSignal): Promise<Model[]> => {
		// It is returned at once: a minute without data means a lost connection.
		const { timeoutMs = POLL_TIMEOUT_MS } = client.settings;
		const body = await client.json({ group: 'catalogue', kind: 'catalogue', path, timeoutMs, signal });
		if (!Array.isArray(body.data)) throw missingInResponse('list of models', body);
		return asObjects(body.data).flatMap((record) => toModel(record) ?? []);
	};
}

/** Fetches the text models (§4.4). */
export const listTextModels = catalogue('/models', toTextModel);

/** Fetches the media models (§4.5). */
export const listMediaModels = catalogue('/media/models', toMediaModel);

function toTextModel(record: JsonObject) {
	const id = asId(record.id);
	if (id === undefined) return undefined;
	const contextLength = asNumber(record.context_length) ?? 0;
	return {
		id,
		/** In tokens. */
		contextLength: contextLength > 0 ? contextLength : undefined,
		/** Rubles per input token, as the server sends it. */
		costContext: asDecimal(record.cost_context),
		/** Rubles per output token. */
		costCompletion: asDecimal(record.cost_completion),
		record,
	};
}

function toMediaModel(record: JsonObject): MediaModel | undefined {
	const id = asId(record.id);
	if (id === undefined) return undefined;
	const { type, currency, tiers } = asObject(record.pricing) ?? {};
	// §2.2 shows no other type: its prices may be for a second, say, and not for a task.
	const isPerTask = type === 'tiered' && (asText(currency) ?? 'RUB') === 'RUB';
	return {
		id,
		ownedBy: asText(record.owned_by),
		mediaType: MEDIA_TYPES.find((mediaType) => mediaType === record.media_type),
		tiers: asObjects(isPerTask ? tiers : []).map(({ price, params }) => {
			const amount = asDecimal(price);
			return { price: amount?.startsWith('-') ? null : (amount ?? null), params: asObject(params) ?? {} };
		}),
		inputSchema: asObject(record.input_schema) ?? {},
		record,
	};
}
