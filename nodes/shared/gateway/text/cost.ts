import type { TextModel } from '../endpoints/models';
import { ApiError } from '../errors/errors';
import { asNumber, asObject, fieldOf, type Json, type JsonObject } from '../util/json';
import { multiplyDecimals, sumOfCosts } from '../util/money';
import { filePartsIn, type FilePart, type FilesInBody } from './fileTokens';
import { valueAt, type Usage } from './formats/completion';
import { textFormats } from './formats';
import { DEFAULT_MAX_TOKENS, type TextFormat } from './formats/format';

function costOf(model: TextModel | undefined, input: number, output: number): string | undefined {
	const { costContext = '', costCompletion = '' } = model ?? {};
	const ofInput = multiplyDecimals(costContext, String(input));
	const ofOutput = multiplyDecimals(costCompletion, String(output));
	if (ofInput === undefined || ofOutput === undefined) return undefined;
	return ofInput.startsWith('-') || ofOutput.startsWith('-') ? undefined : sumOfCosts(ofInput, ofOutput);
}

export interface TextCost {
	costRub: number | null;
	usage: Omit<Usage, 'totalTokens' | 'reasoningTokens'>;
}

export function chargeOf(error: unknown): TextCost {
	const { extra = {} } = error instanceof ApiError ? error.details : {};
	const noTokens = { inputTokens: null, outputTokens: null, cachedInputTokens: null };
	return { costRub: asNumber(extra.costRub) ?? null, usage: { ...noTokens, ...asObject(extra.usage) } };
}

/**
 * The cost that is reported, else that of the tokens at the account's prices (§1, §2.1): as decimal text in rubles and
 * as fields. `undefined` where a price or a number is not known, and for what the catalogue has no price for: cached
 * tokens, plugins, web searches.
 */
export async function costOfCharge(
	{ costRub, usage }: TextCost,
	body: JsonObject,
	modelOf: () => Promise<TextModel | undefined>,
) {
	if (costRub !== null) return { rub: String(costRub), fields: { costRub } };
	const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens = 0 } = usage;
	if (inputTokens === null || outputTokens === null || extraOf(body)) return undefined;
	if ((cachedInputTokens ?? 0) > 0 || cacheWriteTokens > 0) return undefined;
	const rub = costOf(await modelOf(), inputTokens, outputTokens);
	if (rub === undefined) return undefined;
	return { rub, fields: { costRub: Number(rub), costIsComputed: true as const } };
}

export type CostLimit =
	| {
			/** Decimal text in rubles. */
			rub: string;
			/** Whether files count by an estimate, so that the call may cost more. */
			isEstimate?: true;
	  }
	| { reason: string };

/** Tokens that a provider may add to the prompt for tools and JSON output. */
const ADDED_TOKENS = 1_000;

/** The catalogue has no price for writing to the cache; providers charge up to twice that of a token. */
const CACHE_WRITE_FACTOR = 2;

/**
 * The price of the longest prompt and the longest response. A prompt has at most as many tokens as its text
 * has bytes, and those of its files by an estimate; never more than the context window (§8), which is assumed
 * for what has no known size. In `body`, files may be placeholders.
 */
export function mostOfCall(
	format: TextFormat,
	body: JsonObject,
	model: TextModel | undefined,
	files: FilesInBody = new Map(),
): CostLimit {
	const extra = extraOf(body);
	if (extra) return unknown(`${extra.name} cost extra, and how much is not known`, 'Remove them.');
	if (costOf(model, 1, 1) === undefined) return NO_PRICE;
	const output = mostTokens(body, format);
	if (output === undefined)
		return unknown('the length of the response is not limited', "Set the option 'Max Tokens'.");
	const input = mostInput(body, model?.contextLength, format, files);
	if (!input) {
		return unknown(
			'the number of tokens of a file, or of earlier messages, is not known',
			'Leave it out, attach the file itself instead of its URL, or choose a model whose context window is in the catalogue.',
		);
	}
	// *Extra Body* may ask for several responses.
	const tokens = output * Math.max(1, asNumber(body.n) ?? 1);
	const rub = costOf(model, input.tokens, tokens);
	return rub === undefined ? NO_PRICE : { rub, ...(input.isEstimate && { isEstimate: true }) };
}

/** Comes first: the model may not be there at all. */
const NO_PRICE = unknown(
	'the catalogue has no price for the model',
	'Choose a model from the list. Media models are for Gateway Media Task.',
);

function unknown(why: string, hint: string): CostLimit {
	return { reason: `Unknown, because ${why}. ${hint}` };
}

export function limitsIn(body: JsonObject, { cost }: TextFormat): Json[] {
	return cost.limits.map((field) => fieldOf(body, field) ?? null).filter((limit) => limit !== null);
}

/** A body whose response has a limit of tokens: without one, nobody knows what the call can cost. */
export function withMaxTokens(format: TextFormat, body: JsonObject): JsonObject {
	const [field] = format.cost.limits;
	return limitsIn(body, format).length > 0 ? body : { ...body, [field]: DEFAULT_MAX_TOKENS };
}

function mostTokens(body: JsonObject, format: TextFormat): number | undefined {
	const limits = limitsIn(body, format).flatMap((limit) => asNumber(limit) ?? []);
	if (limits.length === 0 || Math.min(...limits) <= 0) return undefined;
	// The specification does not show whether the other limits include the tokens of reasoning (§4.1).
	const reasoning = asNumber(valueAt(body, 'reasoning.max_tokens')) ?? 0;
	return Math.max(...limits) + Math.max(reasoning, 0);
}

/** The longest prompt, in tokens; `undefined` if neither it nor the context window is known. */
function mostInput(
	body: JsonObject,
	window: number | undefined,
	{ cost }: TextFormat,
	files: FilesInBody,
): { tokens: number; isEstimate: boolean } | undefined {
	const json = JSON.stringify(body);
	const factor = json.includes('"cache_control"') ? CACHE_WRITE_FACTOR : 1;
	const prompt = Object.fromEntries(cost.prompts.map((field) => [field, fieldOf(body, field)]));
	const parts = filePartsIn(prompt, cost, files);
	const sum = (read: (part: FilePart) => number) => parts.reduce((total, part) => total + read(part), 0);
	const added = cost.described.some((field) => fieldOf(body, field) !== undefined) ? ADDED_TOKENS : 0;
	const text = Buffer.byteLength(json) - sum(({ bytes }) => bytes) + added;
	const tokens = Math.min(text + sum((part) => part.tokens), window ?? Infinity);
	if (tokens === Infinity) return undefined;
	const isEstimate = tokens !== window && parts.some((part) => part.isEstimate);
	return { tokens: tokens * factor, isEstimate };
}

const EXTRAS = textFormats.flatMap(({ cost }) => cost.extras);

/** What of a body costs more than its tokens; a list or an object counts by the types in it. */
function extraOf(body: JsonObject): { name: string } | undefined {
	const typesIn = (value: Json | undefined) =>
		[value ?? []].flat().map((element) => (asObject(element) ? asObject(element)?.type : element));
	return EXTRAS.find(({ field, free = [] }) =>
		typesIn(fieldOf(body, field)).some((type) => !free.includes(type)),
	);
}
