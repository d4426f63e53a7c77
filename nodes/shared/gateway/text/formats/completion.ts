import { errorFromObject } from '../../errors/fromResponse';
import type { ErrorText } from '../../errors/texts';
import { ApiError } from '../../errors/errors';
import { asId, asObject, asText, parseJson, type Json, type JsonObject } from '../../util/json';
import { object, text, type Shape } from '../../util/shape';

/** Tokens of a call; null where the format does not report them. */
export interface Usage {
	inputTokens: number | null;
	outputTokens: number | null;
	totalTokens: number | null;
	cachedInputTokens: number | null;
	reasoningTokens: number | null;
}

/** A call of a tool that the model asks for. */
export interface ToolCall {
	id: string | null;
	name: string;
	/** Parsed; the text as it came where it is no JSON. */
	arguments: Json;
	/** True where `arguments` is text that could not be parsed. */
	invalidArguments?: true;
}

/** A page that the answer refers to. */
export interface Source {
	url: string;
	title?: string;
}

/** A file that the model gave inside its answer. */
export interface OutputFile {
	kind: 'audio' | 'image';
	base64: string;
	/** MIME type, where the answer says it. */
	mimeType?: string | undefined;
}

/** One answer to the call; a call may ask for several. */
export interface Choice {
	text: string;
	toolCalls: ToolCall[];
	/** The model's thoughts, where it shows them. */
	reasoning: string;
	/** Why the model does not answer, in its words. */
	refusal: string;
	sources: Source[];
	files: OutputFile[];
	/** `stop`, `length`, `tool_calls`, `content_filter`, or the server's own word. */
	finishReason: string | null;
}

/** What came back for a call, the same for every wire format. */
export interface Completion {
	id: string | null;
	model: string | null;
	/** At least one. */
	choices: Choice[];
	usage: Usage;
	/** Rubles that the account paid for the call; null where the format does not report it. */
	costRub: number | null;
}

/** A choice with nothing in it. */
export function emptyChoice(): Choice {
	return { text: '', toolCalls: [], reasoning: '', refusal: '', sources: [], files: [], finishReason: null };
}

const FAILED_GENERATION: ErrorText = {
	message: 'The model did not finish its answer',
	description: 'The gateway reports the generation as failed. Run this item again, or choose another model.',
};

/** The failure that an error object inside an answer or a stream tells of. */
export function generationError(error: JsonObject): Error {
	return errorFromObject(error, FAILED_GENERATION);
}

/**
 * Holds that a successful answer is one: it has the list in which the format keeps what the model said.
 *
 * @throws {ApiError} for an error that came with status 200, and for a body of another shape
 */
export function assertCompletion(body: JsonObject, list: string): void {
	const error = asObject(body.error);
	if (error) throw generationError(error);
	if (!Array.isArray(body[list])) throw otherShape(list);
}

function otherShape(list: string): ApiError {
	return new ApiError({
		message: 'The gateway’s answer has another shape than this API format',
		description: `It has no list '${list}'. The call was not repeated, because it may have been charged. Check the base URL in the AI Gateway credential, or choose another API format.`,
		delivery: 'unknown',
		status: 200,
		code: 'unreadable_answer',
		retryable: false,
		mayBeCharged: true,
	});
}

/** A tool call from its parts; the arguments are JSON text (§2.4) or an object already. */
export function toolCall(id: unknown, name: unknown, args: unknown): ToolCall {
	const call = { id: asId(id) ?? null, name: asText(name) ?? '' };
	if (typeof args !== 'string') return { ...call, arguments: (args ?? {}) as Json };
	// A call of a function without parameters may carry no arguments at all.
	const parsed = args.trim() === '' ? {} : parseJson(args);
	return parsed === undefined
		? { ...call, arguments: args, invalidArguments: true }
		: { ...call, arguments: parsed };
}

/** What refers to a page; its shape is not shown, so an address is taken from where it is. */
export const annotation = {
	url: text,
	title: text,
	url_citation: object({ url: text, title: text }),
};

/** The pages that annotations refer to, each once. */
export function sourcesOf(
	annotations: ReadonlyArray<Shape<ReturnType<typeof object<typeof annotation>>>>,
): Source[] {
	const sources = new Map<string, Source>();
	for (const { url_citation: citation, ...own } of annotations) {
		const { url, title } = own.url === undefined ? citation : own;
		if (url !== undefined && !sources.has(url)) sources.set(url, { url, ...(title ? { title } : {}) });
	}
	return [...sources.values()];
}
