import { asObjects, asText, type JsonObject } from '../../../util/json';
import {
	assertOutput,
	generationError,
	isPending,
	partsBesideText,
	readReceipt,
	reasoningIn,
	sourcesOf,
	toolCall,
	type Choice,
	type Completion,
	type OutputFile,
	type UsagePaths,
} from '../completion';
import { response, type OutputItem, type Response } from './types';

/** §2.3. */
export const USAGE: UsagePaths = {
	inputTokens: ['input_tokens'],
	outputTokens: ['output_tokens'],
	totalTokens: ['total_tokens'],
	cachedInputTokens: ['input_tokens_details.cached_tokens'],
	reasoningTokens: ['output_tokens_details.reasoning_tokens'],
	costRub: ['cost.total_cost'],
};

/** Reads a response object (§2.3). */
export function readCompletion(body: JsonObject): Completion {
	const received = response(body);
	const { model = null, status } = received;
	const receipt = readReceipt(body, USAGE);
	if (status === 'failed') throw generationError(received.error ?? {}, receipt);
	// §3.3: the token limit may be reached before the first item.
	if (!isPending(status)) assertOutput(body, 'output', receipt, status === 'incomplete');
	return { ...receipt, model, choices: [readChoice(received, body)] };
}

/** Reads the output items by type: none has a fixed place (§2.3). */
function readChoice(received: Response, body: JsonObject): Choice {
	const items = received.output;
	const ofType = (type: string) => items.filter((item) => item.type === type);
	const parts = ofType('message').flatMap(({ content }) => content);
	const toolCalls = ofType('function_call').map((item) =>
		toolCall(item.call_id ?? item.id, item.name, item.arguments),
	);
	return {
		text: parts.map(({ text = '' }) => text).join(''),
		toolCalls,
		reasoning: ofType('reasoning')
			.flatMap(({ summary }) => summary.map(({ text = '' }) => text))
			.join(''),
		reasoningParts: reasoningIn(asObjects(body.output), 'function_call', ['reasoning']),
		refusal: parts.map(({ refusal = '' }) => refusal).join(''),
		sources: sourcesOf([
			...parts.flatMap(({ annotations }) => annotations),
			...items.flatMap(({ action }) => action.sources),
		]),
		files: ofType('image_generation_call').flatMap(imageFile),
		otherOutput: asObjects(body.output).flatMap(otherOutput),
		finishReason: finishReason(received, toolCalls.length > 0),
	};
}

/** Items that are read into fields of their own. */
const OUTPUT: ReadonlySet<unknown> = new Set(['function_call', 'reasoning', 'web_search_call']);

/** What is of no known kind in an item: the item itself, or parts of a message. */
function otherOutput(item: JsonObject): JsonObject[] {
	const { type, content, result } = item;
	if (type === 'message') return partsBesideText(content);
	const isImage = type === 'image_generation_call' && asText(result) !== undefined;
	return OUTPUT.has(type) || isImage ? [] : [item];
}

/** The image of the built-in tool. The specification does not show its fields; a base64 `result` is an image. */
function imageFile({ result: base64 }: OutputItem): OutputFile[] {
	return base64 === undefined ? [] : [{ kind: 'image', base64 }];
}

function finishReason(
	{ status, incomplete_details: { reason } }: Response,
	callsTools: boolean,
): string | null {
	if (status === 'incomplete') {
		// §3.3: a response is incomplete when it reached the token limit.
		return reason === undefined || reason === 'max_output_tokens' ? 'length' : reason;
	}
	if (status !== 'completed') return status ?? null;
	return callsTools ? 'tool_calls' : 'stop';
}
