import { asNumber, asObject, asObjects, asText, type JsonObject } from '../../../util/json';
import {
	emptyChoice,
	assertCompletion,
	sourcesOf,
	toolCall,
	type Choice,
	type Completion,
} from '../completion';
import type { OutputRequest } from '../request';

const FINISH_REASONS: ReadonlyMap<string, string> = new Map([
	['end_turn', 'stop'],
	['stop_sequence', 'stop'],
	['max_tokens', 'length'],
	['tool_use', 'tool_calls'],
	['refusal', 'content_filter'],
]);

/** Reads a message object (§2.5). */
export function readCompletion(body: JsonObject, output: OutputRequest): Completion {
	assertCompletion(body, 'content');
	return {
		id: asText(body.id) ?? null,
		model: asText(body.model) ?? null,
		choices: [readChoice(body, output)],
		usage: readUsage(asObject(body.usage)),
		costRub: null,
	};
}

function readChoice(body: JsonObject, output: OutputRequest): Choice {
	const parts = asObjects(body.content);
	const uses = parts.filter(({ type }) => type === 'tool_use');
	const json = uses.filter((part) => isJsonTool(part, output));
	const calls = uses.filter((part) => !json.includes(part));
	const reason = finishReason(body);
	return {
		...emptyChoice(),
		text: json[0] ? jsonText(json[0].input) : textOf(parts, 'text'),
		toolCalls: calls.map((part) => toolCall(part.id, part.name, part.input)),
		reasoning: textOf(parts, 'thinking'),
		sources: sourcesOf(parts.flatMap((part) => asObjects(part.citations))),
		// The forced call is the answer itself, not a wish of the model.
		finishReason: json.length > 0 && calls.length === 0 && reason === 'tool_calls' ? 'stop' : reason,
	};
}

/** Whether a tool call is the one through which JSON was asked for. */
export function isJsonTool(part: JsonObject, output: OutputRequest): boolean {
	return output.kind !== 'text' && part.type === 'tool_use' && part.name === output.name;
}

function jsonText(input: unknown): string {
	return typeof input === 'string' ? input : JSON.stringify(input ?? null);
}

function finishReason(body: JsonObject): string | null {
	const reason = asText(body.stop_reason);
	return reason === undefined ? null : (FINISH_REASONS.get(reason) ?? reason);
}

function readUsage(usage: JsonObject | undefined): Completion['usage'] {
	const inputTokens = asNumber(usage?.input_tokens) ?? null;
	const outputTokens = asNumber(usage?.output_tokens) ?? null;
	return {
		inputTokens,
		outputTokens,
		totalTokens: inputTokens === null || outputTokens === null ? null : inputTokens + outputTokens,
		cachedInputTokens: asNumber(usage?.cache_read_input_tokens) ?? null,
		reasoningTokens: null,
	};
}

/** The texts of all parts of a type; each part keeps its text under the name of its type (§2.5). */
function textOf(parts: JsonObject[], type: string): string {
	return parts
		.filter((part) => part.type === type)
		.map((part) => asText(part[type]) ?? '')
		.join('');
}
