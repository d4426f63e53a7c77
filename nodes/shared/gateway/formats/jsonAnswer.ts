import { ApiFailure } from '../failure';
import { parseJson, type Json } from '../json';
import type { Choice, TextAnswer } from './answer';
import type { OutputWish } from './request';

/**
 * The value of an answer for which JSON was asked.
 *
 * @returns `undefined` when no JSON was asked for, or when the model asks for a tool first
 * @throws {ApiFailure} for an answer that is no JSON, with its text and cost: it is paid for
 */
export function answerJson(choice: Choice, output: OutputWish, answer: TextAnswer): Json | undefined {
	if (output.kind === 'text') return undefined;
	const value = parseJson(withoutFence(choice.text));
	if (value !== undefined && choice.finishReason !== 'length') return value;
	if (choice.text === '' && choice.toolCalls.length > 0) return undefined;
	// A whole value can come before the limit, too; then only the model knows that it wanted to say more.
	if (value !== undefined) return value;
	throw notJson(choice, answer);
}

/** Models without a JSON mode like to put JSON into a Markdown block. */
function withoutFence(text: string): string {
	return /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/i.exec(text)?.[1] ?? text;
}

function notJson(choice: Choice, answer: TextAnswer): ApiFailure {
	return new ApiFailure({
		...problem(choice),
		arrival: 'answered',
		status: 200,
		retryable: false,
		// It was charged: a repeat would pay again.
		mayBeCharged: true,
		extra: {
			text: choice.text,
			...(choice.refusal === '' ? {} : { refusal: choice.refusal }),
			...(answer.choices.length > 1 ? { texts: answer.choices.map(({ text }) => text) } : {}),
			finishReason: choice.finishReason,
			usage: { ...answer.usage },
			costRub: answer.costRub,
		},
	});
}

const SHOWN_CHARACTERS = 300;

function problem({ text, refusal, finishReason }: Choice): {
	message: string;
	description: string;
	code: string;
} {
	const said = refusal || text;
	const shown =
		said === ''
			? ''
			: ` It says: “${said.slice(0, SHOWN_CHARACTERS)}${said.length > SHOWN_CHARACTERS ? '…' : ''}”`;
	if (refusal !== '') {
		return {
			code: 'refused',
			message: 'The model refused to answer',
			description: `Change the prompt, or choose another model. The call was charged.${shown}`,
		};
	}
	if (finishReason === 'length') {
		return {
			code: 'json_cut_off',
			message: 'The JSON answer was cut off at the token limit',
			description: `Raise the option "Max Tokens", or ask for less. The call was charged.${shown}`,
		};
	}
	return {
		code: 'not_json',
		message: 'The model’s answer is not JSON',
		description: `Say in the prompt that the answer must be JSON, or choose a model that can give JSON. The call was charged.${shown}`,
	};
}
