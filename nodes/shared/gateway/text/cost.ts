import type { TextModel } from '../endpoints/models';
import { asArray, asNumber, asObject, type Json, type JsonObject } from '../util/json';
import { multiplyDecimals, sumOfCosts } from '../util/money';
import type { Usage } from './formats/completion';
import { DEFAULT_MAX_TOKENS, type TextFormat } from './formats/format';

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

/** The most that a call can cost, as decimal text in rubles; or why that is not known, and what to do. */
export type CostLimit = { rub: string } | { reason: string; hint: string };

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
export function mostOfCall(
	format: Pick<TextFormat, 'options'>,
	body: JsonObject,
	model: TextModel | undefined,
): CostLimit {
	const price = costOf(model, 1, 1);
	if (!model || price === undefined) {
		return { reason: 'the catalogue has no price for the model', hint: 'Choose a model from the list.' };
	}
	const extra = extraOf(body);
	if (extra) return { reason: `${extra.name} cost extra, and how much is not known`, hint: `Remove them.` };
	const output = mostTokens(body, format);
	if (output === undefined) {
		return { reason: 'the length of the response is not limited', hint: "Set the option 'Max Tokens'." };
	}
	const input = mostInput(body, model);
	if (input === undefined) {
		return {
			reason: 'the number of tokens of its files or earlier messages is not known',
			hint: 'Leave them out, or choose a model whose context window is in the catalogue.',
		};
	}
	const rub = costOf(model, input, output * Math.max(1, asNumber(body.n) ?? 1));
	return rub === undefined ? { reason: 'its price is not known', hint: 'Choose another model.' } : { rub };
}

/** The values in a body that limit the length of the response; Chat Completions has two fields for it (§4.2). */
export function limitsIn(body: JsonObject, { options }: Pick<TextFormat, 'options'>): Json[] {
	const { maxTokens = '' } = options;
	const fields = maxTokens === 'max_tokens' ? [maxTokens, 'max_completion_tokens'] : [maxTokens];
	return fields.map((field) => body[field] ?? null).filter((limit) => limit !== null);
}

/** The body of a call whose cost is limited: without a limit of its length, nobody knows what it can cost. */
export function withMaxTokens(format: Pick<TextFormat, 'options'>, body: JsonObject): JsonObject {
	const { maxTokens = '' } = format.options;
	return limitsIn(body, format).length > 0 ? body : { ...body, [maxTokens]: DEFAULT_MAX_TOKENS };
}

/** The longest response of each choice, in tokens. */
function mostTokens(body: JsonObject, format: Pick<TextFormat, 'options'>): number | undefined {
	const limits = limitsIn(body, format).flatMap((limit) => asNumber(limit) ?? []);
	if (limits.length === 0 || Math.min(...limits) < 0) return undefined;
	// The specification does not show whether the other limits include the tokens of reasoning (§4.1).
	const reasoning = asNumber(asObject(body.reasoning)?.max_tokens) ?? 0;
	return Math.max(...limits, 0) + Math.max(reasoning, 0);
}

function mostInput(body: JsonObject, { contextLength }: TextModel): number | undefined {
	const hasAdditions = ['tools', 'response_format', 'text'].some((field) => body[field] !== undefined);
	const json = JSON.stringify(body);
	const bytes = Buffer.byteLength(json) + (hasAdditions ? ADDED_TOKENS : 0);
	const tokens = hasUnknownTokens(body) ? contextLength : Math.min(bytes, contextLength ?? Infinity);
	return tokens && tokens * (json.includes('"cache_control"') ? CACHE_WRITE_FACTOR : 1);
}

/** Fields that continue an earlier response, whose length is not known (§4.1). */
const CONTINUATIONS = ['previous_response_id', 'conversation'];

/** Fields with the prompt. */
const PROMPTS = ['messages', 'input', 'system', 'instructions', 'prompt'];

function hasUnknownTokens(body: JsonObject): boolean {
	return (
		CONTINUATIONS.some((field) => (body[field] ?? null) !== null) ||
		PROMPTS.some((field) => !isOnlyText(body[field]))
	);
}

/** Types of parts and items that are text. All others may be files, whose tokens are not those of their bytes. */
const TEXTS: ReadonlySet<Json | undefined> = new Set([
	'text',
	'input_text',
	'output_text',
	'summary_text',
	'refusal',
	'message',
	'thinking',
	'function',
	'function_call',
	'function_call_output',
	'tool_use',
	'tool_result',
	'ephemeral',
]);

function isOnlyText(value: Json | undefined): boolean {
	if (Array.isArray(value)) return value.every(isOnlyText);
	const object = asObject(value);
	if (!object) return true;
	// Audio of an earlier response (§2.4).
	if (asObject(object.audio)) return false;
	return (object.type === undefined || TEXTS.has(object.type)) && Object.values(object).every(isOnlyText);
}

/** What costs more than tokens, or tokens that nobody can count beforehand. */
const EXTRAS: ReadonlyArray<{ name: string; isIn: (body: JsonObject) => boolean }> = [
	{ name: 'plugins', isIn: ({ plugins }) => !isEmpty(plugins) },
	{ name: 'images and audio in the response', isIn: ({ modalities }) => asArray(modalities).some(isMedia) },
	{ name: 'web searches', isIn: ({ web_search_options: search }) => search !== undefined },
	{ name: 'priority calls', isIn: ({ service_tier: tier }) => tier === 'priority' },
	{ name: 'built-in tools', isIn: ({ tools }) => asArray(tools).some(isBuiltIn) },
];

function extraOf(body: JsonObject): { name: string } | undefined {
	return EXTRAS.find(({ isIn }) => isIn(body));
}

function isEmpty(value: Json | undefined): boolean {
	return (value ?? null) === null || (Array.isArray(value) && value.length === 0);
}

function isMedia(modality: Json): boolean {
	return modality !== 'text';
}

function isBuiltIn(tool: Json): boolean {
	const type = asObject(tool)?.type;
	return type !== undefined && type !== 'function' && type !== 'custom';
}
