import { asObjects, type Json, type JsonObject } from '../../../util/json';
import {
	assertOutput,
	emptyChoice,
	otherField,
	reasoningField,
	reasoningIn,
	sourcesOf,
	toolCall,
	type Receipt,
	type Choice,
	type Completion,
} from '../completion';
import type { OutputRequest } from '../request';
import { message, type Content, type Message, type Usage } from './types';

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

/** Reads a message object (§2.5). */
export function readCompletion(body: JsonObject, output: OutputRequest): Completion {
	const received = message(body);
	const { model = null, stop_reason: stopReason } = received;
	const receipt = readReceipt(body);
	// A model may end its turn without a word: the reason says so.
	assertOutput(body, 'content', receipt, stopReason !== undefined);
	return { ...receipt, model, choices: [readChoice(received, output, body)] };
}

/** Reads the tokens of a message object, which has no cost. */
export function readReceipt(body: JsonObject): Receipt {
	const { id = null, usage } = message(body);
	return { id, usage: readUsage(usage), costRub: null };
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
		...reasoningField(reasoningIn(asObjects(body.content), 'tool_use', THINKING), calls),
		sources: sourcesOf(content.flatMap(({ citations }) => citations)),
		...otherField(asObjects(body.content).filter(({ type }) => !READ.includes(type))),
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

function readUsage({ input_tokens, output_tokens, ...cache }: Usage): Completion['usage'] {
	const isComplete = input_tokens !== undefined && output_tokens !== undefined;
	const { cache_read_input_tokens, cache_creation_input_tokens = 0 } = cache;
	return {
		inputTokens: input_tokens ?? null,
		outputTokens: output_tokens ?? null,
		totalTokens: isComplete ? input_tokens + output_tokens : null,
		cachedInputTokens: cache_read_input_tokens ?? null,
		reasoningTokens: null,
		...(cache_creation_input_tokens > 0 ? { cacheWriteTokens: cache_creation_input_tokens } : {}),
	};
}

/** The joined texts of all parts of a type; a part has its text in the field named after its type (§2.5). */
function textOf(content: Content[], type: 'text' | 'thinking'): string {
	return content
		.filter((part) => part.type === type)
		.map((part) => part[type] ?? '')
		.join('');
}
