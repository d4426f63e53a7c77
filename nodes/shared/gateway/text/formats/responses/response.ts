import { asNumber, asObject, asObjects, asText, type JsonObject } from '../../../util/json';
import {
	assertCompletion,
	generationError,
	sourcesOf,
	toolCall,
	type OutputFile,
	type Choice,
	type Completion,
} from '../completion';

/** States in which an answer has no output yet (§2.3). */
const UNFINISHED: ReadonlySet<unknown> = new Set(['queued', 'in_progress', 'cancelled']);

/** Reads a response object (§2.3). */
export function readCompletion(body: JsonObject): Completion {
	if (body.status === 'failed') throw generationError(asObject(body.error) ?? {});
	if (!UNFINISHED.has(body.status)) assertCompletion(body, 'output');
	return {
		id: asText(body.id) ?? null,
		model: asText(body.model) ?? null,
		choices: [readChoice(body)],
		usage: readUsage(asObject(body.usage)),
		costRub: asNumber(asObject(asObject(body.usage)?.cost)?.total_cost) ?? null,
	};
}

/** What the output items say: §2.3, none of them stands at a fixed place. */
function readChoice(body: JsonObject): Choice {
	const items = asObjects(body.output);
	const parts = partsOf(items, 'message', 'content');
	const toolCalls = items
		.filter(({ type }) => type === 'function_call')
		.map((item) => toolCall(item.call_id ?? item.id, item.name, item.arguments));
	return {
		text: join(parts, 'text'),
		toolCalls,
		reasoning: join(partsOf(items, 'reasoning', 'summary'), 'text'),
		refusal: join(parts, 'refusal'),
		sources: sourcesOf([
			...parts.flatMap((part) => asObjects(part.annotations)),
			...items.flatMap((item) => asObjects(asObject(item.action)?.sources)),
		]),
		files: items.flatMap(imageFile),
		finishReason: finishReason(body, toolCalls.length > 0),
	};
}

function partsOf(items: JsonObject[], type: string, list: string): JsonObject[] {
	return items.filter((item) => item.type === type).flatMap((item) => asObjects(item[list]));
}

function join(parts: JsonObject[], field: string): string {
	return parts.map((part) => asText(part[field]) ?? '').join('');
}

/** What the built-in image tool made: its fields are not shown; a base64 `result` is a picture. */
function imageFile(item: JsonObject): OutputFile[] {
	const base64 = item.type === 'image_generation_call' ? asText(item.result) : undefined;
	return base64 === undefined ? [] : [{ kind: 'image', base64 }];
}

function finishReason(body: JsonObject, callsTools: boolean): string | null {
	if (body.status === 'incomplete') {
		const reason = asText(asObject(body.incomplete_details)?.reason);
		// §3.3: a response is incomplete when it reached the token limit.
		return reason === undefined || reason === 'max_output_tokens' ? 'length' : reason;
	}
	if (body.status !== 'completed') return asText(body.status) ?? null;
	return callsTools ? 'tool_calls' : 'stop';
}

function readUsage(usage: JsonObject | undefined): Completion['usage'] {
	return {
		inputTokens: asNumber(usage?.input_tokens) ?? null,
		outputTokens: asNumber(usage?.output_tokens) ?? null,
		totalTokens: asNumber(usage?.total_tokens) ?? null,
		cachedInputTokens: asNumber(asObject(usage?.input_tokens_details)?.cached_tokens) ?? null,
		reasoningTokens: asNumber(asObject(usage?.output_tokens_details)?.reasoning_tokens) ?? null,
	};
}
