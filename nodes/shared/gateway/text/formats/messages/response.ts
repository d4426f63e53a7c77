import { asObjects, type Json, type JsonObject } from '../../../util/json';
import {
	assertOutput,
	emptyChoice,
	readReceipt,
	reasoningIn,
	sourcesOf,
	toolCall,
	type Choice,
	type Completion,
	type UsagePaths,
} from '../completion';
import type { OutputRequest } from '../request';
import { message, type Content, type Message } from './types';

const FINISH_REASONS: ReadonlyMap<string, string> = new Map([
	['end_turn', 'stop'],
	['stop_sequence', 'stop'],
	['max_tokens', 'length'],
	['tool_use', 'tool_calls'],
	['refusal', 'content_filter'],
]);

/** The types of parts with reasoning, open and encrypted. */
const THINKING = ['thinking', 'redacted_thinking'];

/** The types of parts that are read into fields of their own. */
const READ: ReadonlyArray<Json | undefined> = ['text', 'tool_use', ...THINKING];

/** §2.5, and what prompt caching adds. The format has no cost. */
export const USAGE: UsagePaths = {
	inputTokens: ['input_tokens'],
	outputTokens: ['output_tokens'],
	cachedInputTokens: ['cache_read_input_tokens'],
	cacheWriteTokens: ['cache_creation_input_tokens'],
};

/** Reads a message object (§2.5). */
export function readCompletion(body: JsonObject, output: OutputRequest): Completion {
	const received = message(body);
	const { model = null, stop_reason: stopReason } = received;
	const receipt = readReceipt(body, USAGE);
	// A model may end its turn without a word: the reason says so.
	assertOutput(body, 'content', receipt, stopReason !== undefined);
	return { ...receipt, model, choices: [readChoice(received, output, body)] };
}

function readChoice(
	{ content, stop_reason: stopReason }: Message,
	output: OutputRequest,
	body: JsonObject,
): Choice {
	const uses = content.filter(({ type }) => type === 'tool_use');
	const [jsonUse] = uses.filter((part) => isJsonTool(part, output));
	const calls = uses.filter((part) => !isJsonTool(part, output));
	const reason = stopReason === undefined ? null : (FINISH_REASONS.get(stopReason) ?? stopReason);
	return {
		...emptyChoice(),
		text: jsonUse ? jsonText(jsonUse.input) : textOf(content, 'text'),
		toolCalls: calls.map(({ id, name, input }) => toolCall(id, name, input)),
		reasoning: textOf(content, 'thinking'),
		reasoningParts: reasoningIn(asObjects(body.content), 'tool_use', THINKING),
		sources: sourcesOf(content.flatMap(({ citations }) => citations)),
		otherOutput: asObjects(body.content).filter(({ type }) => !READ.includes(type)),
		// The forced call is the response itself, not a call that the model wants.
		finishReason: jsonUse && calls.length === 0 && reason === 'tool_calls' ? 'stop' : reason,
	};
}

/** Whether a tool call is the one that returns the requested JSON. */
export function isJsonTool(
	{ type, name }: { type?: unknown; name?: unknown },
	output: OutputRequest,
): boolean {
	return output.kind !== 'text' && type === 'tool_use' && name === output.name;
}

function jsonText(input: Json | undefined): string {
	return typeof input === 'string' ? input : JSON.stringify(input ?? null);
}

/** The joined texts of all parts of a type; a part has its text in the field named after its type (§2.5). */
function textOf(content: Content[], type: 'text' | 'thinking'): string {
	return content
		.filter((part) => part.type === type)
		.map((part) => part[type] ?? '')
		.join('');
}
