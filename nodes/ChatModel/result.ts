import { randomUUID } from 'node:crypto';
import type { FinishReason, GenerateResult, StreamChunk } from '@n8n/ai-node-sdk';

import type { ApiError } from '../shared/gateway/errors/errors';
import {
	completionFields,
	unusableResponse,
	type Completion,
	type ToolCall,
} from '../shared/gateway/text/formats/completion';
import { restToShow } from '../shared/gateway/text/streamText';
import { compact, objectIn, omit } from '../shared/gateway/util/json';
import { excerpt } from '../shared/gateway/util/text';

/** What n8n shows of a request in the execution, besides text and tokens. */
export function callInfoOf(completion: Completion) {
	const { hint, finishReason } = completion;
	const fields = omit(completionFields(completion), 'text', 'toolCalls', 'refusal', 'finishReason', 'raw');
	// As the text node outputs it.
	return compact({ hint, finish_reason: finishReason, ...fields });
}

/** A completion as n8n's SDK takes it. Reasoning is not part of the message: chains would read it as text. */
export function toResult(completion: Completion, earlierIds: readonly unknown[]): GenerateResult {
	const calls = callsOf(completion, earlierIds).map(({ id, name, input }) => {
		return { type: 'tool-call' as const, toolCallId: id, toolName: name, input };
	});
	return {
		usage: usageOf(completion),
		message: { role: 'assistant', content: [{ type: 'text', text: shownText(completion) }, ...calls] },
	};
}

/** Each tool call is one chunk: the SDK tells tool calls apart by ID, and only the first chunk of a call has it. */
export function toClosingChunks(
	completion: Completion,
	shown: string,
	earlierIds: readonly unknown[],
): StreamChunk[] {
	const rest = shownText(completion) === '' ? '' : restToShow(shown, completion);
	const finishReason = SDK_FINISH_REASONS.get(completion.finishReason) ?? 'other';
	return [
		...(rest === '' ? [] : [{ type: 'text-delta' as const, delta: rest }]),
		...callsOf(completion, earlierIds).map(({ id, name, input }) => {
			return { type: 'tool-call-delta' as const, id, name, argumentsDelta: input };
		}),
		{ type: 'finish', finishReason, usage: usageOf(completion) },
	];
}

const SDK_FINISH_REASONS: ReadonlyMap<string | null, FinishReason> = new Map([
	['stop', 'stop'],
	['length', 'length'],
	['tool_calls', 'tool-calls'],
	['content_filter', 'content-filter'],
]);

function usageOf({ usage: { inputTokens, outputTokens } }: Completion) {
	const [promptTokens, completionTokens] = [inputTokens ?? 0, outputTokens ?? 0];
	return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
}

/** The text of a completion; a refusal is one, too. Of files alone, or of none, an agent would respond with nothing. */
function shownText(completion: Completion): string {
	const { text, refusal, files, toolCalls } = completion;
	const said = text + refusal;
	const [file] = files;
	if (said !== '' || toolCalls.length > 0) return said;
	if (file) {
		const media = file.kind === 'audio' ? 'audio' : 'an image';
		throw withoutText(
			completion,
			`${media} and no text`,
			"n8n's agents and chains pass on text only. Choose another model, or use Gateway Text Generation or Gateway Media Task, also as a tool.",
		);
	}
	if (completion.hint !== undefined) throw withoutText(completion, 'no text', completion.hint);
	return said;
}

function withoutText({ costRub, reasoning }: Completion, what: string, advice: string): ApiError {
	const description = reasoning === '' ? advice : `${advice} It reasoned: “${excerpt(reasoning)}”`;
	const text = { code: 'no_text', message: `The model responded with ${what}`, description };
	return unusableResponse(text, compact({ costRub, reasoning: reasoning || undefined }));
}

/**
 * The tool calls, each with an ID that the conversation does not have yet: some models start again with
 * `call_0` in each completion, or give all tool calls the same ID, and n8n and LangChain then lose a tool
 * call or its result.
 */
function callsOf(completion: Completion, earlierIds: readonly unknown[]) {
	const known = new Set(earlierIds);
	if (completion.toolCalls.length > MAX_KEPT_CALLS) throw tooManyCalls(completion);
	return completion.toolCalls.map((call) => {
		// Models write missing arguments as null, and some encode the object as JSON text twice.
		const input = objectIn(call.arguments ?? {});
		if (!input) throw brokenArguments(completion, call);
		// Some providers take IDs of up to 40 characters only.
		const fresh = `call_${randomUUID().replaceAll('-', '')}`;
		const id = call.id === null || known.has(call.id) ? fresh : call.id;
		known.add(id);
		return { id, name: call.name, input: JSON.stringify(input) };
	});
}

/** The most tool calls of a completion: LangChain takes minutes for thousands. */
const MAX_KEPT_CALLS = 200;

function tooManyCalls({ costRub, toolCalls }: Completion): ApiError {
	return unusableResponse(
		{
			code: 'too_many_tool_calls',
			message: `The model called ${toolCalls.length} tools at once`,
			description: `At most ${MAX_KEPT_CALLS} are run. Run it again, say in the prompt how many calls you want, or choose another model.`,
		},
		compact({ costRub }),
	);
}

function brokenArguments(completion: Completion, call: ToolCall): ApiError {
	const text = call.invalidArguments ? String(call.arguments) : JSON.stringify(call.arguments);
	const hint =
		completion.finishReason === 'length'
			? "They were cut off at the token limit: raise the option 'Max Tokens' of the Gateway Chat Model."
			: 'Run it again, describe the tool’s input more simply, or choose another model.';
	const lack = call.invalidArguments ? 'not JSON' : 'no JSON object';
	return unusableResponse(
		{
			code: 'invalid_tool_arguments',
			message: `The model called the tool "${call.name}" with arguments that are ${lack}`,
			description: `${hint} The tool was not run. The arguments: “${excerpt(text)}”`,
		},
		{ costRub: completion.costRub },
	);
}
