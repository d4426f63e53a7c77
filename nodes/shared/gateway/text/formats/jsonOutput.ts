import type { ErrorText } from '../../errors/texts';
import { excerpt } from '../../util/text';
import { ApiError } from '../../errors/errors';
import { parseJson, type Json } from '../../util/json';
import { isPending, receiptFields, type Choice, type Completion } from './completion';
import type { OutputRequest } from './request';

/**
 * The JSON value of a completion; `undefined` if none was requested, if the model calls a tool first, or if it has no
 * output yet. The error for other output has its text and cost, because it is charged.
 */
export function parseJsonOutput(
	choice: Choice,
	output: OutputRequest,
	completion: Completion,
): Json | undefined {
	if (output.kind === 'text' || isPending(choice.finishReason)) return undefined;
	if (choice.finishReason === 'length') throw notJson(choice, completion);
	const value = parseJson(withoutFence(choice.text));
	// A JSON string, such as "Sorry.", is not a JSON object.
	const isJson =
		output.kind === 'jsonSchema' ? value !== undefined : typeof value === 'object' && value !== null;
	if (isJson) return value;
	if (choice.toolCalls.length > 0) return undefined;
	throw notJson(choice, completion);
}

/** Removes the Markdown code block that models without a JSON mode put around JSON. */
function withoutFence(text: string): string {
	const block = text.trim();
	const [first = ''] = block.split('\n', 1);
	if (!/^```(?:json)?\s*$/i.test(first) || !block.endsWith('```')) return text;
	return block.slice(first.length, -3);
}

function notJson(choice: Choice, completion: Completion): ApiError {
	return new ApiError({
		...problem(choice),
		outcome: 'charged',
		status: 200,
		retryable: false,
		extra: {
			...receiptFields(completion),
			text: choice.text,
			...(choice.toolCalls.length > 0 ? { toolCalls: choice.toolCalls.map((call) => ({ ...call })) } : {}),
			...(choice.refusal === '' ? {} : { refusal: choice.refusal }),
			...(completion.choices.length > 1 ? { texts: completion.choices.map(({ text }) => text) } : {}),
			finishReason: choice.finishReason,
			...(completion.costIsComputed ? { costIsComputed: true } : {}),
		},
	});
}

function problem({ text, refusal, finishReason }: Choice): ErrorText & { code: string } {
	const content = refusal || text;
	const shown = content === '' ? '' : ` It says: “${excerpt(content)}”`;
	if (refusal !== '') {
		return {
			code: 'refused',
			message: 'The model refused to respond',
			description: `Change the prompt, or choose another model.${shown}`,
		};
	}
	if (finishReason === 'length') {
		return {
			code: 'json_cut_off',
			message: 'The JSON was cut off at the token limit',
			description: `Raise the option 'Max Tokens', or ask for less.${shown}`,
		};
	}
	return {
		code: 'not_json',
		message: 'The model’s response is not JSON',
		description: `Say in the prompt that the response must be JSON, or choose a model that can return JSON.${shown}`,
	};
}
