import { randomUUID } from 'node:crypto';
import type { FinishReason, GenerateResult, StreamChunk, TokenUsage } from '@n8n/ai-node-sdk';

import { excerpt } from '../shared/gateway/util/excerpt';
import { ApiError } from '../shared/gateway/errors/errors';
import {
	emptyChoice,
	type Choice,
	type Completion,
	type ToolCall,
} from '../shared/gateway/text/formats/completion';
import { objectIn, type Json, type JsonObject } from '../shared/gateway/util/json';
import { costText } from '../shared/gateway/util/money';

/** What n8n shows of a call in the execution, besides its text and tokens. */
export interface CallInfo {
	/** In the words of the text node. */
	finish_reason: string | null;
	id: string | null;
	model: string | null;
	/** Rubles that the account paid; null where the format does not report it. */
	costRub: number | null;
	/** The model's thoughts. */
	reasoning?: string;
	sources?: Array<{ url: string; title?: string }>;
}

/** The facts of an answer. */
export function callInfoOf(completion: Completion): CallInfo {
	const { finishReason, reasoning, sources } = choiceOf(completion);
	return {
		finish_reason: finishReason,
		id: completion.id,
		model: completion.model,
		costRub: completion.costRub,
		...(reasoning === '' ? {} : { reasoning }),
		...(sources.length === 0 ? {} : { sources }),
	};
}

/**
 * An answer as n8n's SDK takes it. Thoughts are no part of the message: chains would take them for text.
 *
 * @param earlierIds of calls that were made earlier in the conversation
 * @throws {ApiError} for a call of a tool whose arguments are no JSON object
 */
export function toResult(completion: Completion, earlierIds: Iterable<string> = []): GenerateResult {
	const choice = choiceOf(completion);
	const text = textOf(choice);
	const calls = callsOf(completion, earlierIds);
	return {
		...(completion.id === null ? {} : { id: completion.id }),
		finishReason: finishReason(choice),
		usage: usageOf(completion),
		message: {
			role: 'assistant',
			content: [
				...(text === '' && calls.length > 0 ? [] : [{ type: 'text' as const, text }]),
				...calls.map(({ id, name, input }) => ({
					type: 'tool-call' as const,
					toolCallId: id,
					toolName: name,
					input,
				})),
			],
		},
	};
}

/**
 * What follows the text of a streamed answer. Each call of a tool comes in one piece: the SDK tells calls apart by
 * their ids only, which stand in a call's first piece alone.
 *
 * @param shown the text that has been passed on
 * @param earlierIds of calls that were made earlier in the conversation
 * @throws {ApiError} for a call of a tool whose arguments are no JSON object
 */
export function toClosingChunks(
	completion: Completion,
	shown: string,
	earlierIds: Iterable<string> = [],
): StreamChunk[] {
	const choice = choiceOf(completion);
	const text = textOf(choice);
	const rest = text.startsWith(shown) ? text.slice(shown.length) : '';
	return [
		...(rest === '' ? [] : [{ type: 'text-delta' as const, delta: rest }]),
		...callsOf(completion, earlierIds).map(({ id, name, input }) => ({
			type: 'tool-call-delta' as const,
			id,
			name,
			argumentsDelta: input,
		})),
		{ type: 'finish', finishReason: finishReason(choice), usage: usageOf(completion) },
	];
}

function choiceOf({ choices: [first = emptyChoice()] }: Completion): Choice {
	return first;
}

/** Why the model does not answer is an answer, too. */
function textOf({ text, refusal }: Choice): string {
	return text || refusal;
}

/**
 * The calls of tools. Each gets an id of its own: some models begin anew with `call_0` in each answer, or give all calls
 * the same id, and n8n and LangChain then lose a call or its result.
 */
function callsOf(
	completion: Completion,
	earlierIds: Iterable<string>,
): Array<{ id: string; name: string; input: string }> {
	const { toolCalls, finishReason: reason } = choiceOf(completion);
	const taken = new Set(earlierIds);
	return toolCalls.map((call) => {
		const input = call.invalidArguments ? undefined : argumentsOf(call.arguments);
		if (!input) throw brokenArguments(call, reason, completion.costRub);
		const id = call.id === null || taken.has(call.id) ? newId() : call.id;
		taken.add(id);
		return { id, name: call.name, input: JSON.stringify(input) };
	});
}

/** Some providers take no id that is longer than 40 characters. */
function newId(): string {
	return `call_${randomUUID().replaceAll('-', '')}`;
}

/** Models write the absence of arguments as null, and some write the object as a text once more. */
function argumentsOf(value: Json): JsonObject | undefined {
	if (value === null) return {};
	return objectIn(value);
}

function brokenArguments(call: ToolCall, reason: string | null, costRub: number | null): ApiError {
	const text = call.invalidArguments ? String(call.arguments) : JSON.stringify(call.arguments);
	const hint =
		reason === 'length'
			? "They were cut off at the token limit: raise the option 'Max Tokens' of the Gateway Chat Model."
			: 'Run it again, describe the tool’s input more simply, or choose another model.';
	const lack = call.invalidArguments ? 'not JSON' : 'no JSON object';
	return new ApiError({
		message: `The model called the tool "${call.name}" with arguments that are ${lack}`,
		description: `${hint} The tool was not run. ${costText(costRub)} The arguments: “${excerpt(text)}”`,
		delivery: 'responded',
		status: 200,
		code: 'invalid_tool_arguments',
		retryable: false,
		mayBeCharged: true,
	});
}

function finishReason({ finishReason: reason }: Choice): FinishReason {
	switch (reason) {
		case 'stop':
		case 'length':
			return reason;
		case 'tool_calls':
			return 'tool-calls';
		case 'content_filter':
			return 'content-filter';
		default:
			return 'other';
	}
}

function usageOf({ usage }: Completion): TokenUsage {
	const { inputTokens, outputTokens, totalTokens, cachedInputTokens, reasoningTokens } = usage;
	const [input, output] = [inputTokens ?? 0, outputTokens ?? 0];
	return {
		promptTokens: input,
		completionTokens: output,
		totalTokens: totalTokens ?? input + output,
		...(cachedInputTokens === null ? {} : { inputTokenDetails: { cacheRead: cachedInputTokens } }),
		...(reasoningTokens === null ? {} : { outputTokenDetails: { reasoning: reasoningTokens } }),
	};
}
