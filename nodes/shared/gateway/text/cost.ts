import type { TextModel } from '../endpoints/models';
import { ApiError } from '../errors/errors';
import { asNumber, asObject, type Json, type JsonObject } from '../util/json';
import { multiplyDecimals, sumOfCosts } from '../util/money';
import { valueAt, type Usage } from './formats/completion';
import { textFormats } from './formats';
import { DEFAULT_MAX_TOKENS, type CostFields, type TextFormat } from './formats/format';

/** Tokens of a call; null if they are not known. */
export type PricedTokens = Omit<Usage, 'totalTokens' | 'reasoningTokens'>;

/**
 * What a call cost, from its tokens and the account's prices, which are those that are charged (§1, §2.1).
 *
 * @param body as it was sent
 * @returns decimal text in rubles; `undefined` if a price or a number of tokens is not known, and for what the catalogue
 *   has no price for: cached tokens, plugins, web searches
 */
export function costOfCall(
	{ inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens = 0 }: PricedTokens,
	body: JsonObject,
	model: TextModel | undefined,
): string | undefined {
	if (inputTokens === null || outputTokens === null || extraOf(body)) return undefined;
	if ((cachedInputTokens ?? 0) > 0 || cacheWriteTokens > 0) return undefined;
	return costOf(model, inputTokens, outputTokens);
}

function costOf(model: TextModel | undefined, input: number, output: number): string | undefined {
	const { costContext, costCompletion } = model ?? {};
	const parts = [
		multiplyDecimals(costContext ?? '', String(input)),
		multiplyDecimals(costCompletion ?? '', String(output)),
	].filter((part) => part !== undefined);
	return parts.length < 2 || parts.some((part) => part.startsWith('-')) ? undefined : sumOfCosts(...parts);
}

/** What a response, or an error about it, says of the cost of its call. */
export interface Charge {
	costRub: number | null;
	usage: PricedTokens;
}

/** The charge that an error tells of. */
export function chargeOf(error: unknown): Charge {
	const { extra = {} } = error instanceof ApiError ? error.details : {};
	const noTokens = { inputTokens: null, outputTokens: null, cachedInputTokens: null };
	return { costRub: asNumber(extra.costRub) ?? null, usage: { ...noTokens, ...asObject(extra.usage) } };
}

/**
 * The cost that is reported, else the computed one, as decimal text and as fields of a completion or an error.
 *
 * @param modelOf finds the model of a call whose cost must be computed
 */
export async function costOfCharge(
	{ costRub, usage }: Charge,
	body: JsonObject,
	modelOf: () => Promise<TextModel | undefined>,
) {
	if (costRub !== null) return { rub: String(costRub), fields: { costRub } };
	if (usage.inputTokens === null || usage.outputTokens === null) return undefined;
	const rub = costOfCall(usage, body, await modelOf());
	if (rub === undefined) return undefined;
	return { rub, fields: { costRub: Number(rub), costIsComputed: true as const } };
}

/** The most that a call can cost, as decimal text in rubles; or why that is not known, and what to do. */
export type CostLimit = { rub: string } | { reason: string };

/** Tokens that a provider may add to the prompt for tools and JSON output. */
const ADDED_TOKENS = 1_000;

/** The catalogue has no price for writing tokens to the cache; providers charge up to twice that of a token. */
const CACHE_WRITE_FACTOR = 2;

/**
 * The most that a call can cost: the price of its longest prompt and its longest response. A prompt has at most as many
 * tokens as the body has bytes, and never more than the context window (§8), which is assumed for files and earlier
 * responses, whose tokens are not known.
 *
 * @param body as it is sent
 */
export function mostOfCall(format: Costed, body: JsonObject, model: TextModel | undefined): CostLimit {
	const extra = extraOf(body);
	if (extra) return unknown(`${extra.name} cost extra, and how much is not known`, 'Remove them.');
	const output = mostTokens(body, format);
	if (output === undefined)
		return unknown('the length of the response is not limited', "Set the option 'Max Tokens'.");
	const input = mostInput(body, model?.contextLength, format);
	if (input === undefined) {
		return unknown(
			'the number of tokens of its files or earlier messages is not known',
			'Leave them out, or choose a model whose context window is in the catalogue.',
		);
	}
	const rub = costOf(model, input, output * Math.max(1, optionIn(body, format, 'n') ?? 1));
	if (rub !== undefined) return { rub };
	return unknown('the catalogue has no price for the model', 'Choose a model from the list.');
}

function unknown(why: string, hint: string): CostLimit {
	return { reason: `Unknown, because ${why}. ${hint}` };
}

type Costed = Pick<TextFormat, 'cost' | 'options'>;

/** The number that an option, or a field of the user's own, has in a body. */
function optionIn(body: JsonObject, { options }: Costed, option: string): number | undefined {
	return asNumber(valueAt(body, options[option] ?? ''));
}

/** The values in a body that limit the length of the response. */
export function limitsIn(body: JsonObject, { cost }: Pick<TextFormat, 'cost'>): Json[] {
	return cost.limits.map((field) => body[field] ?? null).filter((limit) => limit !== null);
}

/** The body of a call whose cost is limited: without a limit of its length, nobody knows what it can cost. */
export function withMaxTokens(format: Pick<TextFormat, 'cost'>, body: JsonObject): JsonObject {
	const [field] = format.cost.limits;
	return limitsIn(body, format).length > 0 ? body : { ...body, [field]: DEFAULT_MAX_TOKENS };
}

/** The longest response of each choice, in tokens. */
function mostTokens(body: JsonObject, format: Costed): number | undefined {
	const limits = limitsIn(body, format).flatMap((limit) => asNumber(limit) ?? []);
	if (limits.length === 0 || Math.min(...limits) < 0) return undefined;
	// The specification does not show whether the other limits include the tokens of reasoning (§4.1).
	return Math.max(...limits) + Math.max(optionIn(body, format, 'reasoningMaxTokens') ?? 0, 0);
}

function mostInput(
	body: JsonObject,
	contextLength: number | undefined,
	{ cost }: Costed,
): number | undefined {
	const isDescribed = cost.described.some((field) => body[field] !== undefined);
	const json = JSON.stringify(body);
	const bytes = Buffer.byteLength(json) + (isDescribed ? ADDED_TOKENS : 0);
	const counted = [...cost.prompts, ...cost.earlier].map((field) => [field, body[field]]);
	const isText = isOnlyText(Object.fromEntries(counted), cost);
	const tokens = isText ? Math.min(bytes, contextLength ?? Infinity) : contextLength;
	const isCached = cost.cacheMark !== undefined && json.includes(`"${cost.cacheMark}"`);
	return tokens && tokens * (isCached ? CACHE_WRITE_FACTOR : 1);
}

function isOnlyText(value: Json | undefined, cost: CostFields): boolean {
	if (Array.isArray(value)) return value.every((element) => isOnlyText(element, cost));
	const object = asObject(value);
	if (!object) return true;
	const { type } = object;
	const isText = type === undefined || (typeof type === 'string' && cost.texts.includes(type));
	const isNew = cost.earlier.every((field) => (object[field] ?? null) === null);
	return isText && isNew && Object.values(object).every((inner) => isOnlyText(inner, cost));
}

const EXTRAS = textFormats.flatMap(({ cost }) => cost.extras);

/** What of a body costs more than its tokens; a list or an object counts by the types in it. */
function extraOf(body: JsonObject): { name: string } | undefined {
	return EXTRAS.find(({ field, free = [] }) =>
		[body[field] ?? []]
			.flat()
			.some((value) => !free.includes(asObject(value) ? asObject(value)?.type : value)),
	);
}
