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

/** What n8n shows of a request in the execution, besides text and tokens. */
export interface CallInfo {
	/** `false` for a text that is cut off or filtered, and what to do about it. */
	isComplete?: false;
	hint?: string;
	/** As the text node outputs it. */
	finish_reason: string | null;
	id: string | null;
	model: string | null;
	/** Rubles that the account paid; null when they are not known. */
	costRub: number | null;
	/** Whether `costRub` is computed from the account's prices. */
	costIsComputed?: true;
	/** The models that rejected the call before. */
	fallbackFrom?: string[];
	/** Input tokens that were cached, if there were any. */
	cachedInputTokens?: number;
	/** The reasoning of the model. */
	reasoning?: string;
	sources?: JsonObject[];
	/** The kinds of files in the response, which n8n's agents and chains do not pass on. */
	filesLeftOut?: string[];
	/** Whether the model rejected the images of tool results, and got their URLs only. */
	toolImagesLeftOut?: true;
}

/** The call info of a completion. */
export function callInfoOf(completion: Completion): CallInfo {
	const { finishReason, reasoning, sources, files } = choiceOf(completion);
	const cachedInputTokens = completion.usage.cachedInputTokens ?? 0;
	return {
		...(completion.hint === undefined ? {} : { isComplete: false, hint: completion.hint }),
		finish_reason: finishReason,
		id: completion.id,
		model: completion.model,
		costRub: completion.costRub,
		...(completion.costIsComputed ? { costIsComputed: true } : {}),
		...(completion.fallbackFrom?.length ? { fallbackFrom: [...completion.fallbackFrom] } : {}),
		...(cachedInputTokens > 0 ? { cachedInputTokens } : {}),
		...(reasoning === '' ? {} : { reasoning }),
		...(sources.length === 0 ? {} : { sources }),
		...(files.length === 0 ? {} : { filesLeftOut: files.map(({ kind }) => kind) }),
	};
}

/**
 * A completion as n8n's SDK takes it. Reasoning is not part of the message: chains would read it as text.
 *
 * @param earlierIds IDs of earlier tool calls in the conversation
 * @throws {ApiError} for a tool call whose arguments are not a JSON object
 */
export function toResult(completion: Completion, earlierIds: Iterable<string> = []): GenerateResult {
	const choice = choiceOf(completion);
	const text = textFor(completion);
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
 * The chunks after the text of a streamed completion. Each tool call is one chunk: the SDK tells tool calls apart
 * by ID, and only the first chunk of a call has it.
 *
 * @param shown the text that was streamed
 * @param earlierIds IDs of earlier tool calls in the conversation
 * @throws {ApiError} for a tool call whose arguments are not a JSON object
 */
export function toClosingChunks(
	completion: Completion,
	shown: string,
	earlierIds: Iterable<string> = [],
): StreamChunk[] {
	const choice = choiceOf(completion);
	const text = textFor(completion);
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

/**
 * The text of a completion; a refusal is one, too.
 *
 * @throws {ApiError} for a completion that consists of files: an agent would respond with nothing
 */
function textFor(completion: Completion): string {
	const { text, refusal, files, toolCalls } = choiceOf(completion);
	const said = text || refusal;
	const [file] = files;
	if (said !== '' || toolCalls.length > 0 || !file) return said;
	throw new ApiError({
		message: `The model responded with ${file.kind === 'audio' ? 'audio' : 'an image'} and no text`,
		description: `n8n's agents and chains pass on text only. Choose another model, or use Gateway Text Generation or Gateway Media Task, also as a tool.`,
		outcome: 'charged',
		status: 200,
		code: 'no_text',
		retryable: false,
		extra: { costRub: completion.costRub },
	});
}

/**
 * The tool calls, each with a unique ID: some models start again with `call_0` in each completion, or give all
 * tool calls the same ID, and n8n and LangChain then lose a tool call or its result.
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
		// Some providers take IDs of up to 40 characters only.
		const fresh = `call_${randomUUID().replaceAll('-', '')}`;
		const id = call.id === null || taken.has(call.id) ? fresh : call.id;
		taken.add(id);
		return { id, name: call.name, input: JSON.stringify(input) };
	});
}

/** Models write missing arguments as null, and some encode the object as JSON text twice. */
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
		description: `${hint} The tool was not run. The arguments: “${excerpt(text)}”`,
		outcome: 'charged',
		status: 200,
		code: 'invalid_tool_arguments',
		retryable: false,
		extra: { costRub },
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
