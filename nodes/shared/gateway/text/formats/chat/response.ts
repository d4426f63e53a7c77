import type { ApiError } from '../../../errors/errors';
import { quoted } from '../../../errors/fromResponse';
import { isDataUrl, readBase64 } from '../../../util/base64';
import {
	asArray,
	asId,
	asNumber,
	asObject,
	asObjects,
	asText,
	compact,
	textOf,
	type Json,
	type JsonObject,
	joinedTexts,
} from '../../../util/json';
import {
	assertOutput,
	completionOf,
	errorIn,
	generationError,
	hasName,
	imageUrl,
	partsBesideText,
	readReceipt,
	citedSources,
	toolCall,
	unlessEmpty,
	valueAt,
	withReceivedText,
	type Completion,
	type ModelOutput,
	type OutputFile,
	type Receipt,
	type UsagePaths,
} from '../completion';
import { isThought, thoughtIn } from '../thoughts';

/** §2.4; §1: both costs are what the account paid. */
export const USAGE: UsagePaths = {
	inputTokens: ['prompt_tokens'],
	outputTokens: ['completion_tokens'],
	totalTokens: ['total_tokens'],
	cachedInputTokens: ['prompt_tokens_details.cached_tokens'],
	reasoningTokens: ['completion_tokens_details.reasoning_tokens'],
	costRub: ['cost_rub', 'cost'],
};

export function readCompletion(body: JsonObject): Completion {
	const receipt = readReceipt(body, USAGE);
	const choices = asObjects(body.choices);
	// After its end, an error takes nothing from a text.
	const isWhole = choices.length > 0 && choices.every((choice) => hasFinished(choice) && !hasFailed(choice));
	const withError = [body, ...choices].find(hasFailed);
	if (withError && choices.length > 0 && !isWhole) throw failure(errorIn(withError), choices, receipt);
	if (!isWhole) assertOutput(body, 'choices', receipt);
	const more = compact({ provider: asText(body.provider), hint: hintOf(body) });
	const [first = {}, ...others] = choices;
	const isRaw = others.length > 0 || hasMore(body, asObject(first.message) ?? {});
	return { ...completionOf(body, receipt, readChoice(first), isRaw), ...more };
}

/** Whether a body has what the specification does not show: parts, calls that are no functions, lists of pages. */
function hasMore({ citations, search_results: results }: JsonObject, message: JsonObject): boolean {
	return (
		otherParts(message).some((part) => !imageIn(part)) ||
		asObjects(message.tool_calls).some((call) => !hasName(calledIn(call))) ||
		asObject(message.function_call) !== undefined ||
		asArray(citations).length + asArray(results).length > 0
	);
}

function hintOf(body: JsonObject): string | undefined {
	const hasFailedPlugin = valueAt(body.usage, 'plugin_post_process_error') === true;
	const late = asText(errorIn(body)?.message);
	const hints = [
		...(hasFailedPlugin ? [PLUGIN_FAILED] : []),
		...(late === undefined ? [] : [`After the response, the gateway says: ${quoted(late)}`]),
	];
	return hints.join(' ') || undefined;
}

/** §2.4. The plugin that the specification shows masks personal data. */
const PLUGIN_FAILED =
	'A plugin failed after the model had answered: what it masks may stand in the text, or its masks in place of names and numbers. Check the text before it goes on.';

export function hasFinished({ finish_reason: reason }: JsonObject): boolean {
	return asText(reason) !== undefined;
}

/** Whether a choice ended with an error, also without one that says why. */
export function hasFailed(choice: JsonObject): boolean {
	return errorIn(choice) !== undefined || textOf(choice.finish_reason).toLowerCase() === 'error';
}

/** The specification does not show whether a text before an error is charged; its cost says so. */
function failure(error: JsonObject = {}, choices: JsonObject[], receipt: Receipt): ApiError {
	const text = choices.map((choice) => readChoice(choice).text).join('\n');
	const outcome = receipt.costRub === null ? 'unknown' : 'rejected';
	return withReceivedText(generationError(error).with({ outcome }), { text, receipt });
}

function readChoice(choice: JsonObject): ModelOutput {
	const message = asObject(choice.message) ?? {};
	const { data, transcript, id, expires_at } = asObject(message.audio) ?? {};
	// The second is a vendor's name for the first.
	const [reasoning, reasoning_content] = [asText(message.reasoning), asText(message.reasoning_content)];
	const details = firstList(choice.reasoning_details, message.reasoning_details);
	const detailTexts = details.map(({ text, summary }) => asText(text) ?? textOf(summary));
	// The fields of a message that have the reasoning (§2.4).
	const wire = compact({ reasoning, reasoning_content, reasoning_details: unlessEmpty(details) });
	const audio = asText(data);
	const parts = otherParts(message);
	const thoughts = parts.filter(isThought).map(thoughtIn).join('');
	return {
		...(asId(id) !== undefined && { audio: compact({ id: asId(id), expires_at: asNumber(expires_at) }) }),
		text: contentText(message.content) || textOf(transcript),
		toolCalls: asObjects(message.tool_calls)
			.filter((call) => hasName(calledIn(call)))
			.map((call) => toolCall(call.id, calledIn(call).name, calledIn(call).arguments)),
		// Some models return only details of their reasoning.
		reasoning: reasoning ?? reasoning_content ?? (detailTexts.join('') || thoughts),
		reasoningParts: Object.keys(wire).length > 0 ? [wire] : [],
		refusal: textOf(message.refusal),
		sources: citedSources(asObjects(message.annotations)),
		files: [
			...(audio === undefined ? [] : [{ kind: 'audio' as const, base64: audio }]),
			...parts.flatMap((part) => imageIn(part) ?? []),
		],
		finishReason: asText(choice.finish_reason) ?? null,
	};
}

function calledIn({ function: called }: JsonObject): JsonObject {
	return asObject(called) ?? {};
}

/** The first list that has objects: some providers send the same details in two places. */
export function firstList(first: Json | undefined, second: Json | undefined): JsonObject[] {
	const list = asObjects(first);
	return list.length > 0 ? list : asObjects(second);
}

/** The text of a content, which is text or, with some models, a list of parts. */
export function contentText(content: Json | undefined): string {
	if (typeof content === 'string') return content;
	return joinedTexts(
		asObjects(content).filter((part) => !isThought(part)),
		'text',
	);
}

/** The parts of a message that are no text. Images may also be next to its content, as parts or as URLs. */
export function otherParts({ content, images = [] }: JsonObject): JsonObject[] {
	const all = [images].flat().map((image) => (typeof image === 'string' ? { image_url: image } : image));
	return [...partsBesideText(content), ...asObjects(all)];
}

function imageIn(part: JsonObject): OutputFile | undefined {
	const url = imageUrl(part);
	const { base64 = '', mimeType } = (isDataUrl(url) && readBase64(url)) || {};
	return base64 === '' ? undefined : { kind: 'image', base64, mimeType };
}
