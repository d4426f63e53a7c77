import { asObject, asObjects, asText, compact, type JsonObject, joinedTexts } from '../../../util/json';
import {
	assertOutput,
	completionOf,
	errorIn,
	generationError,
	hasName,
	partsBesideText,
	readReceipt,
	citedSources,
	toolCall,
	type Completion,
	type ModelOutput,
	type OutputFile,
	type UsagePaths,
	withoutOutput,
} from '../completion';
import { reasoningIn } from '../reasoning';
import { isThought, thoughtIn } from '../thoughts';

/** §2.3. */
export const USAGE: UsagePaths = {
	inputTokens: ['input_tokens'],
	outputTokens: ['output_tokens'],
	totalTokens: ['total_tokens'],
	cachedInputTokens: ['input_tokens_details.cached_tokens'],
	reasoningTokens: ['output_tokens_details.reasoning_tokens'],
	costRub: ['cost.total_cost'],
};

export function readCompletion(body: JsonObject): Completion {
	const receipt = readReceipt(body, USAGE);
	const status = asText(body.status);
	// §3.3, §6.1: it is charged when it is completed.
	if (status === 'failed') throw generationError(asObject(body.error) ?? {}, receipt, true);
	if (isUnfinished(body) && asObjects(body.output).length === 0 && !errorIn(body))
		throw withoutOutput(receipt, {
			message: `The gateway responded before the model: the status of the response is “${status}”`,
			description:
				"The node does not wait for a response in the background: if 'Extra Body (JSON)' has the field background, remove it. Otherwise choose another model.",
		});
	// §3.3: the token limit may be reached before the first item.
	assertOutput(body, 'output', receipt, status === 'incomplete');
	const items = asObjects(body.output);
	const hint = items.some((item) => imageIn(item) && !asText(item.result)) ? PARTIAL_IMAGE : undefined;
	return { ...completionOf(body, receipt, readItems(body), items.some(hasMore)), ...compact({ hint }) };
}

/** Whether the model has not ended a response (§2.3). */
export function isUnfinished({ status }: JsonObject): boolean {
	return status === 'queued' || status === 'in_progress' || status === 'cancelled';
}

/** Reads the output items by type: none has a fixed place (§2.3). */
function readItems(body: JsonObject): ModelOutput {
	const items = asObjects(body.output);
	const ofType = (type: string) => items.filter((item) => item.type === type);
	const contents = ofType('message').flatMap(({ content }) => asObjects(content));
	const parts = contents.filter((part) => !isThought(part));
	const thoughts = ofType('reasoning').map(({ summary, content }) => {
		return joinedTexts(asObjects(summary), 'text') || joinedTexts(asObjects(content), 'text');
	});
	const toolCalls = ofType('function_call')
		.filter(hasName)
		.map((item) => toolCall(item.call_id ?? item.id, item.name, item.arguments));
	return {
		text: joinedTexts(parts, 'text'),
		toolCalls,
		reasoning: [...thoughts, ...contents.filter(isThought).map(thoughtIn)].join(''),
		reasoningParts: reasoningIn(items, ({ type }) => type === 'reasoning'),
		refusal: joinedTexts(parts, 'refusal'),
		sources: citedSources([
			...parts.flatMap(({ annotations }) => asObjects(annotations)),
			...items.flatMap(({ action }) => asObjects(asObject(action)?.sources)),
		]),
		files: items.flatMap((item) => imageIn(item) ?? []),
		finishReason: finishReason(body, toolCalls.length > 0),
	};
}

/** Items that are read into fields of their own. */
const OUTPUT: ReadonlySet<unknown> = new Set(['reasoning', 'web_search_call']);

/** Whether an item, or a part of a message, is of no known kind. */
function hasMore(item: JsonObject): boolean {
	const { type, content } = item;
	if (type === 'message') return partsBesideText(content).length > 0;
	if (type === 'function_call') return !hasName(item);
	return !OUTPUT.has(type) && !imageIn(item);
}

const PARTIAL_IMAGE = 'An image is a preview: the final one did not come. Look at it before it goes on.';

/** The image of the built-in tool. The specification does not show its fields; a base64 `result` is an image. */
function imageIn({ type, result, partial_image_b64: preview }: JsonObject): OutputFile | undefined {
	const base64 = type === 'image_generation_call' ? (asText(result) ?? asText(preview)) : undefined;
	return base64 === undefined ? undefined : { kind: 'image', base64 };
}

function finishReason(body: JsonObject, callsTools: boolean): string | null {
	const status = asText(body.status);
	const reason = asText(asObject(body.incomplete_details)?.reason);
	if (status === 'incomplete') {
		// §3.3: a response is incomplete when it reached the token limit.
		return reason === undefined || reason === 'max_output_tokens' ? 'length' : reason;
	}
	if (status !== 'completed') return status ?? null;
	return callsTools ? 'tool_calls' : 'stop';
}
