import { asObjects, asText, type Json, type JsonObject, joinedTexts } from '../../../util/json';
import {
	assertOutput,
	completionOf,
	readReceipt,
	citedSources,
	toolCall,
	type Completion,
	type ModelOutput,
	type UsagePaths,
} from '../completion';
import { reasoningIn } from '../reasoning';
import type { OutputRequest } from '../request';

const FINISH_REASONS: ReadonlyMap<string, string> = new Map([
	['end_turn', 'stop'],
	['stop_sequence', 'stop'],
	['max_tokens', 'length'],
	['tool_use', 'tool_calls'],
	['refusal', 'content_filter'],
]);

const THINKING: ReadonlyArray<Json | undefined> = ['thinking', 'redacted_thinking'];

/** The types of parts that are read into fields of their own. */
const READ: ReadonlyArray<Json | undefined> = ['text', 'tool_use', ...THINKING];

/** §2.5, and what prompt caching adds. The format has no cost. */
export const USAGE: UsagePaths = {
	inputTokens: ['input_tokens'],
	outputTokens: ['output_tokens'],
	cachedInputTokens: ['cache_read_input_tokens'],
	cacheWriteTokens: ['cache_creation_input_tokens'],
};

export function readCompletion(body: JsonObject, output: OutputRequest): Completion {
	const receipt = readReceipt(body, USAGE);
	const stopReason = asText(body.stop_reason);
	// A model may end without a word: the reason says so.
	assertOutput(body, 'content', receipt, stopReason !== undefined);
	const content = asObjects(body.content);
	const hasMore = content.some(({ type }) => !READ.includes(type));
	const stopSequence = asText(body.stop_sequence);
	const read = { ...readContent(content, stopReason, output), ...(stopSequence && { stopSequence }) };
	return completionOf(body, receipt, read, hasMore);
}

function readContent(
	content: JsonObject[],
	stopReason: string | undefined,
	output: OutputRequest,
): ModelOutput {
	const ofType = (name: string) => content.filter(({ type }) => type === name);
	// A part has its text in the field named after its type (§2.5).
	const textsIn = (name: string) => joinedTexts(ofType(name), name);
	const uses = ofType('tool_use');
	const jsonUses = uses.filter((part) => isJsonTool(part, output));
	const calls = uses.filter((part) => !isJsonTool(part, output));
	const reason = stopReason === undefined ? null : (FINISH_REASONS.get(stopReason) ?? stopReason);
	return {
		text: jsonUses.map(({ input }) => jsonText(input)).join('\n') || textsIn('text'),
		toolCalls: calls.map(({ id, name, input }) => toolCall(id, name, input)),
		reasoning: textsIn('thinking'),
		reasoningParts: reasoningIn(
			content.filter((part) => !isJsonTool(part, output)),
			({ type }) => THINKING.includes(type),
		),
		refusal: '',
		sources: citedSources(content.flatMap(({ citations }) => asObjects(citations))),
		files: [],
		// The forced call is the response itself, not a call that the model wants.
		finishReason: jsonUses.length > 0 && calls.length === 0 && reason === 'tool_calls' ? 'stop' : reason,
	};
}

export function isJsonTool({ type, name }: JsonObject, output: OutputRequest): boolean {
	return output.kind !== 'text' && type === 'tool_use' && name === output.name;
}

function jsonText(input: Json | undefined): string {
	return typeof input === 'string' ? input : JSON.stringify(input ?? null);
}
