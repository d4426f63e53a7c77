import { failureFromErrorObject, failureFromUnreadable } from '../errors';
import type { EndpointGroup, ErrorText } from '../errorTexts';
import { asObject, type JsonObject } from '../json';

/** What is asked of a model, before it has the shape of a wire format. */
export interface TextRequest {
	/** Id from the catalogue, used verbatim. */
	model: string;
	systemPrompt?: string | undefined;
	prompt: string;
	/** Values of the options that this format has, by option name. */
	options: JsonObject;
}

/** Tokens of a call; null where the format does not report them. */
export interface Usage {
	inputTokens: number | null;
	outputTokens: number | null;
	totalTokens: number | null;
	cachedInputTokens: number | null;
	reasoningTokens: number | null;
}

/** A model's answer, the same for every wire format. */
export interface TextResult {
	id: string | null;
	model: string | null;
	text: string;
	/** The model's thoughts, where it shows them. */
	reasoning?: string;
	/** `stop`, `length`, `tool_calls`, `content_filter`, or the server's own word. */
	finishReason: string | null;
	usage: Usage;
	/** Rubles that the account paid; null where the format does not report it. */
	costRub: number | null;
}

/** How one option of the node reaches the body of a format. */
export interface WireField {
	/** Name in the request body. */
	name: string;
	/** Range of the specification, inclusive. */
	min?: number;
	max?: number;
}

/** A wire format: pure conversions, no n8n and no network. Everything a format knows stands in its folder. */
export interface TextFormat {
	/** Value of the node's `format` parameter. */
	name: string;
	/** What the panel calls it. */
	label: string;
	description: string;
	group: EndpointGroup;
	/** Below the base URL. */
	path: string;
	headers: Record<string, string>;
	/** The options that this format has, by the option's name in the node. */
	fields: Readonly<Record<string, WireField>>;
	/** Builds the request body. */
	toBody(request: TextRequest): JsonObject;
	/**
	 * Reads a complete answer; finds the text wherever it stands.
	 *
	 * @throws {ApiFailure} when the answer tells of a failed generation
	 */
	readResponse(body: JsonObject): TextResult;
}

/** The body fields of the options that are set, by their wire names. */
export function wireOptions(fields: TextFormat['fields'], options: JsonObject): JsonObject {
	const body: JsonObject = {};
	for (const [option, field] of Object.entries(fields)) {
		if (options[option] !== undefined) body[field.name] = options[option];
	}
	return body;
}

/**
 * Holds that a successful answer is one: it has the list in which the format keeps what the model said.
 *
 * @throws {ApiFailure} for an error that came with status 200, and for a body of another shape
 */
export function expectAnswer(body: JsonObject, list: string): void {
	const error = asObject(body.error);
	if (error) throw failureFromErrorObject(error, FAILED_GENERATION);
	if (!Array.isArray(body[list])) throw failureFromUnreadable({ status: 200, body: '' }, { charged: true });
}

const FAILED_GENERATION: ErrorText = {
	message: 'The model did not finish its answer',
	description: 'The gateway reports the generation as failed. Run this item again, or choose another model.',
};
