import { ApiError } from '../../errors/errors';
import { policyOf, statusOf } from '../../errors/policy';
import { withServerMessage } from '../../errors/fromResponse';
import { redact } from '../../errors/secrets';
import { errorText, type ErrorText } from '../../errors/texts';
import {
	asId,
	asNumber,
	asObject,
	asObjects,
	asText,
	canonicalJson,
	compact,
	fieldOf,
	parseJson,
	textOf,
	type Json,
	type JsonObject,
} from '../../util/json';
import { MAX_AMOUNT } from '../../util/money';
import { excerpt } from '../../util/text';
import { isThought, withoutThoughts } from './thoughts';

// Types, not interfaces: TypeScript takes only the former for JSON.

/** Tokens of a request; null if the format does not report them. */
export type Usage = {
	inputTokens: number | null;
	outputTokens: number | null;
	totalTokens: number | null;
	cachedInputTokens: number | null;
	reasoningTokens: number | null;
	/** Tokens that were written to the cache, beside the input tokens; no field of the specification. */
	cacheWriteTokens?: number;
};

export type ToolCall = {
	id: string | null;
	name: string;
	/** Parsed; the text itself if it is not JSON. */
	arguments: Json;
	invalidArguments?: true;
};

export interface OutputFile {
	kind: 'audio' | 'image';
	base64: string;
	mimeType?: string | undefined;
}

/** What the model returned: the first choice, in a format that has several. */
export interface ModelOutput {
	text: string;
	toolCalls: ToolCall[];
	reasoning: string;
	/** The reasoning as the format sent it: it goes back, with the tool calls, beside their results. */
	reasoningParts: JsonObject[];
	refusal: string;
	/** What it cites, each once: a page as `url` and `title`, anything else as received. */
	sources: JsonObject[];
	files: OutputFile[];
	/** What names a spoken response in a later turn, as the gateway sends it: `id`, `expires_at` (§2.4). */
	audio?: JsonObject;
	/** The text at which the model stopped (§2.5). */
	stopSequence?: string;
	/** `stop`, `length`, `tool_calls`, `content_filter`, or the server's own word. */
	finishReason: string | null;
}

export interface Receipt {
	id: string | null;
	model: string | null;
	usage: Usage;
	/** Rubles that the request cost, at least 0; null if the format does not report it. */
	costRub: number | null;
}

export interface Completion extends Receipt, ModelOutput {
	/** The provider's label (§2.4), if the response has it. */
	provider?: string;
	/** The body, if it has something that no field has: it is paid for. */
	raw?: JsonObject;
	/** Whether `costRub` is computed from the account's prices, because the response does not report it. */
	costIsComputed?: true;
	/** What the user is to know of it. */
	hint?: string | undefined;
	fallbackFrom?: string[];
}

/**
 * A completion from its parts. Thoughts at the beginning of the text become reasoning, and a text of white space is empty.
 *
 * @param hasMore whether the body has something that the fields of `received` do not have
 */
export function completionOf(
	body: JsonObject,
	receipt: Receipt,
	received: ModelOutput,
	hasMore: boolean,
): Completion {
	const { thoughts, text } = withoutThoughts(received.text);
	const output = { ...received, text: text.trim() === '' ? '' : text };
	if (thoughts !== '') output.reasoning = [received.reasoning, thoughts].filter(Boolean).join('\n\n');
	const isRaw = hasMore || text !== received.text || isEmpty(output);
	return { ...receipt, ...output, ...(isRaw ? { raw: body } : {}) };
}

/** Whether the model returned nothing but reasoning. */
export function isEmpty({ text, refusal, toolCalls, files }: ModelOutput): boolean {
	return text === '' && refusal === '' && toolCalls.length + files.length === 0;
}

/** A completion as items have it. Important fields first: the table of the output panel shows four columns. */
export function completionFields(completion: Completion, output?: Json) {
	const { text, toolCalls, reasoning, refusal, sources, finishReason, costRub, costIsComputed } = completion;
	const { model, provider, fallbackFrom = [], usage, id, raw, audio, stopSequence } = completion;
	return compact({
		text,
		output,
		toolCalls: unlessEmpty(toolCalls),
		reasoning: reasoning || undefined,
		refusal: refusal || undefined,
		sources: unlessEmpty(sources),
		finishReason,
		stopSequence,
		costRub,
		costIsComputed,
		model,
		provider,
		fallbackFrom: unlessEmpty(fallbackFrom),
		usage,
		id,
		audio,
		raw,
	});
}

export function unlessEmpty<T extends readonly unknown[]>(list: T): T | undefined {
	return list.length > 0 ? list : undefined;
}

/** Paths in the usage of a format; the first with a number counts. The cost is in rubles. */
export type UsagePaths = Readonly<Partial<Record<keyof Usage | 'costRub', readonly string[]>>>;

export function readReceipt(body: JsonObject, paths: UsagePaths): Receipt {
	const read = (field: keyof UsagePaths) =>
		paths[field]?.map((path) => amountAt(body.usage, path)).find((value) => value !== undefined);
	const [input = null, output = null] = [read('inputTokens'), read('outputTokens')];
	const sum = input === null || output === null ? null : input + output;
	const written = read('cacheWriteTokens') ?? 0;
	return {
		id: asText(body.id) ?? null,
		model: asText(body.model) ?? null,
		usage: {
			inputTokens: input,
			outputTokens: output,
			totalTokens: read('totalTokens') ?? sum,
			cachedInputTokens: read('cachedInputTokens') ?? null,
			reasoningTokens: read('reasoningTokens') ?? null,
			...(written > 0 && { cacheWriteTokens: written }),
		},
		costRub: read('costRub') ?? null,
	};
}

/** Tokens or rubles at a path: less than zero is zero, and more than there can be is nothing. */
function amountAt(value: Json | undefined, path: string): number | undefined {
	const amount = asNumber(valueAt(value, path)) ?? NaN;
	return amount < MAX_AMOUNT ? Math.max(amount, 0) : undefined;
}

/** The value at a path, such as `reasoning.effort`. */
export function valueAt(value: Json | undefined, path: string): Json | undefined {
	return path.split('.').reduce((inner, name) => fieldOf(asObject(inner), name), value);
}

export function isCharged({ costRub }: Receipt): boolean {
	return costRub !== null && costRub > 0;
}

export function receiptFields({ id, usage, costRub }: Receipt): JsonObject {
	return { id, usage, costRub };
}

/** The error that an object has. Some servers send only its words, and some an empty one with each success. */
export function errorIn({ error }: JsonObject): JsonObject | undefined {
	const fields = asText(error) === undefined ? asObject(error) : { message: error };
	return Object.values(fields ?? {}).some(Boolean) ? fields : undefined;
}

const UNFINISHED: ErrorText = {
	message: 'The model did not finish its response',
	description: 'The gateway reports the generation as failed. Run this item again, or choose another model.',
};

/**
 * The error for a generation that failed with the status 200 (§2.3, §6), from its error object. The status says nothing, so the code
 * alone says whether it is free.
 *
 * @param isFree whether it is free if its code has no known meaning
 */
export function generationError(error: JsonObject, receipt?: Receipt, isFree = false): ApiError {
	const code = asId(error.code);
	const meant = statusOf(code);
	const policy = meant === undefined ? undefined : policyOf({ code }, meant, 200);
	// A refusal says what happened (§7.3); a failure, that the model began.
	const { message, description } =
		meant === undefined || meant >= 500 ? UNFINISHED : errorText({ endpoint: 'chat', status: meant, code });
	const isRejected = policy ? !policy.effect.includes('charge') : isFree;
	return new ApiError({
		message,
		description: withServerMessage(description, asText(error.message)),
		outcome: isRejected ? 'rejected' : 'unknown',
		kind: 'charge',
		...(isRejected && policy?.saysFree === false ? { chargeUnsaid: true } : {}),
		status: 200,
		code: code ?? 'generation_failed',
		type: asText(error.type),
		param: asText(error.param),
		retryable: false,
		...(receipt && isCharged(receipt) && { outcome: 'charged', extra: receiptFields(receipt) }),
	});
}

/** The error event of a stream. The specification does not show whether a text that has begun is charged. */
export function eventError(error: JsonObject, hasBegun: boolean): ApiError {
	const failure = generationError(error);
	return hasBegun ? failure.with({ outcome: 'unknown' }) : failure;
}

/** The list where the format keeps output must have something, such as an empty text, unless it `mayBeEmpty`. */
export function assertOutput(body: JsonObject, list: string, receipt: Receipt, mayBeEmpty = false): void {
	const reported = errorIn(body);
	if (reported) throw generationError(reported, receipt);
	const output = fieldOf(body, list);
	if (asObjects(output).length > 0 || (Array.isArray(output) && mayBeEmpty)) return;
	throw withoutOutput(receipt, {
		message: 'The model returned nothing',
		description: `The gateway reports success, but the list '${list}' of its response is missing or empty. Choose another model or API format.`,
	});
}

export function withoutOutput(receipt: Receipt, text: ErrorText): ApiError {
	const error = unusableResponse({ ...text, code: 'no_completion' }, receiptFields(receipt));
	return isCharged(receipt) ? error : error.with({ outcome: 'unknown' });
}

/** The error for a response that is charged and cannot be used; `extra`: what the error item has of it. */
export function unusableResponse(text: ErrorText & { code: string }, extra: JsonObject): ApiError {
	return new ApiError({ ...text, outcome: 'charged', kind: 'charge', status: 200, retryable: false, extra });
}

/** Whether a call names its tool. One that does not cannot be run. */
export function hasName({ name }: JsonObject): boolean {
	return asText(name) !== undefined;
}

/** A tool call from its wire fields; the arguments are JSON text (§2.4) or an object. */
export function toolCall(id: unknown, name: unknown, args: unknown): ToolCall {
	const call = { id: asId(id) ?? null, name: asText(name) ?? '' };
	if (typeof args !== 'string') return { ...call, arguments: (args ?? {}) as Json };
	// A call of a function without parameters may have no arguments.
	const parsed = args.trim() === '' ? {} : parseJson(args);
	// A text is arguments that are encoded twice.
	const isInvalid = parsed === undefined || typeof parsed === 'string';
	return {
		...call,
		arguments: parsed === undefined ? args : parsed,
		...(isInvalid && { invalidArguments: true }),
	};
}

/** What annotations cite. The specification does not show where they have their URL. */
export function citedSources(annotations: readonly JsonObject[]): JsonObject[] {
	const sources = new Map<string, JsonObject>();
	for (const received of annotations) {
		const cited = asText(received.url) === undefined ? asObject(received.url_citation) : received;
		const [url, title] = [asText(cited?.url), asText(cited?.title)];
		const key = url ?? canonicalJson(received);
		if (sources.has(key) || key === '{}') continue;
		sources.set(key, url === undefined ? received : compact({ url, title }));
	}
	return [...sources.values()];
}

const TEXT_PARTS: ReadonlySet<unknown> = new Set(['text', 'output_text', 'refusal']);

export function partsBesideText(content: Json | undefined): JsonObject[] {
	return asObjects(content).filter((part) => {
		const { type, text: said, refusal } = part;
		return isThought(part) || (!TEXT_PARTS.has(type) && !asText(said) && !asText(refusal));
	});
}

/** The URL of an image (§4.2), if the part has one. */
export function imageUrl({ image_url: image }: JsonObject): string {
	return asText(asObject(image)?.url) ?? textOf(image);
}

/** The error of a stream, with the text so far, and the tokens and the cost if they had come. */
export function withReceivedText(
	error: ApiError,
	{ text, receipt, secrets = [] }: { text: string; receipt: Receipt; secrets?: readonly string[] },
): ApiError {
	const { description, outcome, extra } = error.details;
	const hasReceipt = receipt.costRub !== null || receipt.usage.outputTokens !== null;
	const shown =
		text === '' ? 'No text had been received.' : `Received so far: “${excerpt(redact(text, secrets))}”`;
	return error.with({
		description: `${redact(description, secrets)} ${shown}`,
		// The response has begun: the request was sent.
		outcome: isCharged(receipt) ? 'charged' : outcome === 'notSent' ? 'unknown' : outcome,
		extra: { ...extra, receivedText: text, ...(hasReceipt ? receiptFields(receipt) : {}) },
	});
}
