import { asNumber, asObject, asObjects, asText, type JsonObject } from '../../../util/json';
import {
	emptyChoice,
	assertCompletion,
	sourcesOf,
	toolCall,
	type OutputFile,
	type Choice,
	type Completion,
} from '../completion';

/** Reads a chat completion (§2.4). */
export function readCompletion(body: JsonObject): Completion {
	assertCompletion(body, 'choices');
	const choices = inOrder(asObjects(body.choices)).map(readChoice);
	return {
		id: asText(body.id) ?? null,
		model: asText(body.model) ?? null,
		choices: choices.length > 0 ? choices : [emptyChoice()],
		usage: readUsage(asObject(body.usage)),
		costRub: readCost(asObject(body.usage)),
	};
}

/** By `index`, as the choices of a stream. */
function inOrder(choices: JsonObject[]): JsonObject[] {
	return choices
		.map((choice, place) => ({ choice, index: asNumber(choice.index) ?? place }))
		.sort((a, b) => a.index - b.index)
		.map(({ choice }) => choice);
}

function readChoice(choice: JsonObject): Choice {
	const message = asObject(choice.message);
	const audio = asObject(message?.audio);
	return {
		text: contentText(message?.content) || (asText(audio?.transcript) ?? ''),
		toolCalls: asObjects(message?.tool_calls).map((call) => {
			const definition = asObject(call.function);
			return toolCall(call.id, definition?.name, definition?.arguments);
		}),
		reasoning: asText(message?.reasoning) ?? readDetails(choice),
		refusal: asText(message?.refusal) ?? '',
		sources: sourcesOf(asObjects(message?.annotations)),
		files: [...audioFiles(audio), ...imageFiles(message)],
		finishReason: asText(choice.finish_reason) ?? null,
	};
}

/** A message's content is text or, with some models, an array of parts. */
export function contentText(content: unknown): string {
	return (
		asText(content) ??
		asObjects(content)
			.map((part) => asText(part.text) ?? '')
			.join('')
	);
}

/** Thoughts that stand only in `reasoning_details`. */
function readDetails(choice: JsonObject): string {
	const details = asObjects(choice.reasoning_details);
	return (details.length > 0 ? details : asObjects(asObject(choice.message)?.reasoning_details))
		.map((detail) => asText(detail.text) ?? asText(detail.summary) ?? '')
		.join('');
}

function audioFiles(audio: JsonObject | undefined): OutputFile[] {
	const data = asText(audio?.data);
	return data === undefined ? [] : [{ kind: 'audio', base64: data }];
}

/** Pictures as data URLs: in parts of the content, as they are sent (§4.2), or in a list beside it. */
function imageFiles(message: JsonObject | undefined): OutputFile[] {
	return [...asObjects(message?.content), ...asObjects(message?.images)].flatMap((part) => {
		const url = asText(asObject(part.image_url)?.url) ?? '';
		const [, mimeType, base64] = /^data:([^;,]+);base64,(.+)/s.exec(url) ?? [];
		return base64 === undefined ? [] : [{ kind: 'image', base64, mimeType }];
	});
}

function readUsage(usage: JsonObject | undefined): Completion['usage'] {
	return {
		inputTokens: asNumber(usage?.prompt_tokens) ?? null,
		outputTokens: asNumber(usage?.completion_tokens) ?? null,
		totalTokens: asNumber(usage?.total_tokens) ?? null,
		cachedInputTokens: asNumber(asObject(usage?.prompt_tokens_details)?.cached_tokens) ?? null,
		reasoningTokens: asNumber(asObject(usage?.completion_tokens_details)?.reasoning_tokens) ?? null,
	};
}

/** §1: `cost_rub` and `cost` both are what the account paid. */
function readCost(usage: JsonObject | undefined): number | null {
	return asNumber(usage?.cost_rub) ?? asNumber(usage?.cost) ?? null;
}
