import { asId, asNumber, asObject, asObjects, asText, type JsonObject } from '../util/json';
import { POLL_TIMEOUT_MS } from '../client/transport';
import { MEDIA_TYPES, type MediaModel } from '../media/price';
import type { GatewayClient } from '../client/client';
import { missingInResponse } from './response';
import { asDecimal, MAX_AMOUNT } from '../util/money';
import { beforeSending } from '../errors/errors';

/** A text model of the catalogue (§2.1). */
export type TextModel = NonNullable<ReturnType<typeof toTextModel>>;

/** Makes a function that fetches a catalogue, without records that have no ID. Its signal ends the request and its retries. */
function catalogue<Model>(path: string, toModel: (record: JsonObject) => Model | undefined) {
	return async (client: GatewayClient, signal?: AbortSignal): Promise<Model[]> => {
		// It is returned at once: a minute without data means a lost connection.
		const { timeoutMs = POLL_TIMEOUT_MS } = client.settings;
		const body = await client.json({ endpoint: 'listModels', kind: 'catalogue', path, timeoutMs, signal });
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
		contextLength: contextLength > 0 && contextLength < MAX_AMOUNT ? contextLength : undefined,
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

/** How long the models are waited for where a call can do without them, in milliseconds. */
const OPTIONAL_MS = 10_000;

/** A catalogue of models. All items of a run share one read for each account; after a failure, the next item reads it. */
export class Catalogue<Model extends { id: string }> {
	private readonly reads = new Map<string, { models: Promise<Model[]>; late: Promise<Model[]> }>();

	/** @param signal ends a read that nobody waits for any more */
	constructor(
		private readonly list: (client: GatewayClient, signal?: AbortSignal) => Promise<Model[]>,
		private readonly signal?: AbortSignal,
	) {}

	/** A model that a call can do without, e.g. for the price of one that is paid for, if it can be read soon. */
	async known(client: GatewayClient, id: unknown): Promise<Model | undefined> {
		const { models, late } = this.read(client);
		const known = await Promise.race([models, late]).catch(() => []);
		return known.find((model) => model.id === id);
	}

	async required(client: GatewayClient, id: unknown): Promise<Model | undefined> {
		const models = await this.read(client).models.catch((error: unknown) => {
			throw beforeSending(error);
		});
		return models.find((model) => model.id === id);
	}

	private read(client: GatewayClient) {
		const known = this.reads.get(client.account);
		if (known) return known;
		const models = this.list(client, this.signal);
		const over = new AbortController();
		const late = client.sleep(OPTIONAL_MS, over.signal).then(() => [] as Model[]);
		const read = { models, late: late.catch(() => []) };
		this.reads.set(client.account, read);
		models.catch(() => this.reads.delete(client.account)).finally(() => over.abort());
		return read;
	}
}
