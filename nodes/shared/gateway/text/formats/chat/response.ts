import { asObjects, asText, type Json, type JsonObject } from '../../../util/json';
import {
	assertOutput,
	partsBesideText,
	readReceipt,
	sourcesOf,
	toolCall,
	type Choice,
	type Completion,
	type OutputFile,
	type UsagePaths,
} from '../completion';
import type { ReasoningPart } from '../request';
import { chatCompletion, part, type ChatChoice } from './types';

/** §2.4; §1: both costs are what the account paid. */
export const USAGE: UsagePaths = {
	inputTokens: ['prompt_tokens'],
	outputTokens: ['completion_tokens'],
	totalTokens: ['total_tokens'],
	cachedInputTokens: ['prompt_tokens_details.cached_tokens'],
	reasoningTokens: ['completion_tokens_details.reasoning_tokens'],
	webSearchRequests: ['server_tool_use.web_search_requests'],
	costRub: ['cost_rub', 'cost'],
};

/** Reads a chat completion (§2.4). */
export function readCompletion(body: JsonObject): Completion {
	const { model = null, provider, choices, usage } = chatCompletion(body);
	const { plugins, plugin_post_process_error: pluginPostProcessError } = usage;
	const receipt = readReceipt(body, USAGE);
	assertOutput(body, 'choices', receipt);
	return {
		...receipt,
		...(provider === undefined ? {} : { provider }),
		...(plugins ? { plugins } : {}),
		...(typeof pluginPostProcessError === 'boolean' ? { pluginPostProcessError } : {}),
		model,
		choices: choices.map(readChoice),
	};
}

function readChoice({ message, reasoning_details, finish_reason }: ChatChoice): Choice {
	const { audio, reasoning, refusal = '' } = message;
	const details = reasoning_details.length > 0 ? reasoning_details : message.reasoning_details;
	const parts = [...partsBesideText(message.content), ...message.images];
	return {
		text: contentText(message.content) || (audio.transcript ?? ''),
		toolCalls: message.tool_calls.map(({ id, function: { name, arguments: args } }) =>
			toolCall(id, name, args),
		),
		// Some models return only details of their reasoning.
		reasoning: reasoning ?? detailsText(details),
		reasoningParts: reasoningParts(reasoning, details),
		refusal,
		sources: sourcesOf(message.annotations),
		files: [
			...(audio.data === undefined ? [] : [{ kind: 'audio' as const, base64: audio.data }]),
			...parts.flatMap((received) => imageIn(received) ?? []),
		],
		otherOutput: parts.filter((received) => !imageIn(received)),
		finishReason: finish_reason ?? null,
	};
}

/** The text of a content, which is text or, with some models, a list of parts. */
export function contentText(content: Json | undefined): string {
	if (typeof content === 'string') return content;
	return asObjects(content)
		.map((received) => part(received).text ?? '')
		.join('');
}

function detailsText(details: JsonObject[]): string {
	return details.map(({ text, summary }) => asText(text) ?? asText(summary) ?? '').join('');
}

/** The fields of the message that has the reasoning (§2.4). */
function reasoningParts(reasoning: string | undefined, details: JsonObject[]): ReasoningPart[] {
	const wire = {
		...(reasoning === undefined ? {} : { reasoning }),
		...(details.length > 0 ? { reasoning_details: details } : {}),
	};
	return Object.keys(wire).length > 0 ? [{ wire, callsBefore: 0 }] : [];
}

/** The image of a data URL, in a part of the content (§4.2) or in a list next to it. */
function imageIn(received: JsonObject): OutputFile | undefined {
	const { url = '' } = part(received).image_url;
	const [, mimeType, base64] = /^data:([^;,]+);base64,(.+)/s.exec(url) ?? [];
	return base64 === undefined ? undefined : { kind: 'image', base64, mimeType };
}
