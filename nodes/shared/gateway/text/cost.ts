import type { TextModel } from '../endpoints/models';
import { ApiError } from '../errors/errors';
import { asNumber, asObject, type Json, type JsonObject } from '../util/json';
import { multiplyDecimals, sumOfCosts } from '../util/money';
import { filePartsIn, type FilePart, type FilesInBody } from './fileTokens';
import { valueAt, type Usage } from './formats/completion';
import { textFormats } from './formats';
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

/** The most that a call can cost; or why that is not known, and what to do. */
export type CostLimit = PricedLimit | { reason: string };

interface PricedLimit {
	/** Decimal text in rubles. */
	rub: string;
	/** Whether files count by an estimate, so that the call may cost more. */
	isEstimate?: true;
	/** What makes it so much, and can be changed: sentences for an error. */
	because?: string;
}

/** Tokens that a provider may add to the prompt for tools and JSON output. */
const ADDED_TOKENS = 1_000;

/** The catalogue has no price for writing tokens to the cache; providers charge up to twice that of a token. */
const CACHE_WRITE_FACTOR = 2;

/**
 * The most that a call can cost: the price of its longest prompt and its longest response. A prompt has at most as many
 * tokens as its text has bytes, and those of its files by an estimate; never more than the context window (§8), which is
 * assumed for earlier responses and for files of unknown size.
 *
 * @param body as it is sent; files may be placeholders
 */
export function mostOfCall(
	format: Costed,
	body: JsonObject,
	model: TextModel | undefined,
	files: FilesInBody = new Map(),
): CostLimit {
	const extra = extraOf(body);
	if (extra) return unknown(`${extra.name} cost extra, and how much is not known`, 'Remove them.');
	const output = mostTokens(body, format);
	if (output === undefined)
		return unknown('the length of the response is not limited', "Set the option 'Max Tokens'.");
	const input = mostInput(body, model?.contextLength, format, files);
	if (typeof input === 'string') {
		return unknown(
			`the number of tokens of ${input} is not known`,
			'Leave it out, attach the file itself instead of its URL, or choose a model whose context window is in the catalogue.',
		);
	}
	const { tokens, isEstimate, because } = input;
	const rub = costOf(model, tokens, output * Math.max(1, optionIn(body, format, 'n') ?? 1));
	if (rub === undefined)
		return unknown('the catalogue has no price for the model', 'Choose a model from the list.');
	const isDefault = output === DEFAULT_MAX_TOKENS;
	const causes = [
		isDefault && `Without 'Max Tokens', ${inWords(output)} are reserved for its response.`,
		because,
	];
	return {
		rub,
		...(isEstimate ? { isEstimate } : {}),
		...(isDefault || because ? { because: causes.filter(Boolean).join(' ') } : {}),
	};
}

function inWords(tokens: number): string {
	return `${tokens.toLocaleString('en-US')} tokens`;
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

/**
 * The longest prompt, in tokens.
 *
 * @returns the name of what makes it unknown, if the context window is not known either
 */
function mostInput(
	body: JsonObject,
	window: number | undefined,
	{ cost }: Costed,
	files: FilesInBody,
): string | { tokens: number; isEstimate: boolean; because?: string | undefined } {
	const isDescribed = cost.described.some((field) => body[field] !== undefined);
	const json = JSON.stringify(body);
	const isCached = cost.cacheMark !== undefined && json.includes(`"${cost.cacheMark}"`);
	const factor = isCached ? CACHE_WRITE_FACTOR : 1;
	const counted = [...cost.prompts, ...cost.earlier].map((field) => [field, body[field]]);
	const parts = filePartsIn(Object.fromEntries(counted), cost, files);
	const unknownPart = parts.find(({ tokens }) => tokens === undefined);
	if (unknownPart) {
		if (window === undefined) return unknownPart.name;
		const because = `The number of tokens of ${unknownPart.name} is not known, so the whole context window of ${inWords(window)} is reserved.`;
		return { tokens: window * factor, isEstimate: false, because };
	}
	const sum = (read: (part: FilePart) => number) => parts.reduce((total, part) => total + read(part), 0);
	const text = Buffer.byteLength(json) - sum(({ bytes }) => bytes) + (isDescribed ? ADDED_TOKENS : 0);
	const ofFiles = sum(({ tokens = 0 }) => tokens);
	const tokens = Math.min(text + ofFiles, window ?? Infinity);
	const subject = parts.length === 1 ? `${parts[0]?.name} counts` : `${parts.length} files count`;
	return {
		tokens: tokens * factor,
		isEstimate: tokens !== window && parts.some(({ isEstimate }) => isEstimate),
		because: ofFiles > 0 ? `${capitalized(subject)} as ${inWords(Math.min(ofFiles, tokens))}.` : undefined,
	};
}

function capitalized(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
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
