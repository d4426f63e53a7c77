import type { ApiError } from '../../errors/errors';
import type { ErrorText } from '../../errors/texts';
import { omit, parseJson, type Json } from '../../util/json';
import { counted, excerpt } from '../../util/text';
import { isIncomplete } from '../incomplete';
import { misfits } from '../outputSchema';
import { completionFields, unusableResponse, type Completion } from './completion';
import type { OutputRequest } from './request';

type Problem = ErrorText & { code: string };

const MISFIT = 'json_does_not_fit';

/**
 * The JSON value of a completion; `undefined` if none was requested, or if the model calls a tool first. The
 * error for other output has its text and cost, because it is charged, and JSON that does not fit.
 */
export function parseJsonOutput(completion: Completion, output: OutputRequest): Json | undefined {
	if (output.kind === 'text') return undefined;
	if (isIncomplete(completion)) throw unusable(completion, cutOff(completion));
	const schema = output.kind === 'jsonSchema' ? output.schema : {};
	const hasCalls = completion.toolCalls.length > 0;
	const brackets = schema.type === 'array' ? LIST : OBJECT;
	const { whole, block, between } = textsIn(completion.text, brackets);
	const texts = hasCalls ? [whole] : [whole, block, between];
	const value = texts.map(parseLeniently).find((found) => found !== undefined);
	const isAsked = output.kind === 'jsonSchema' || (typeof value === 'object' && value !== null);
	const misfit = value === undefined ? undefined : misfits(value, schema, schema).next().value;
	if (value !== undefined && isAsked && !misfit) return value;
	if (hasCalls) return undefined;
	if (isAsked && misfit) throw unusable(completion, doesNotFit(misfit), value);
	throw unusable(completion, [whole, block].some(isOpen) ? cutOff(completion) : NOT_JSON);
}

/** Whether a text begins with a bracket that nothing closes. */
function isOpen(text: string): boolean {
	if (!/^[{[]/.test(text)) return false;
	let depth = 0;
	for (const [mark] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\]]/gs)) {
		if (mark === '{' || mark === '[') depth += 1;
		else if (mark === '}' || mark === ']') depth -= 1;
		if (depth === 0) return false;
	}
	return true;
}

const OBJECT = ['{', '}'] as const;
const LIST = ['[', ']'] as const;

/**
 * The texts of which the first that is JSON is the answer: the whole; the last code block that says `json` or
 * nothing; what is between the first bracket and the last one. `[1]` may be the mark of a footnote, so objects and
 * lists are not mixed up.
 */
function textsIn(text: string, [open, close]: readonly [string, string]) {
	const answer = text.trim().replace(/^<think(?:ing)?>[^]*?(?:<\/think(?:ing)?>|$)/i, '');
	const blocks = answer.split('```').filter((_, place) => place % 2 === 1);
	const block = blocks.filter((content) => /^(json\w*)?(?![\w+-])/i.test(content)).at(-1);
	const between = answer.slice(Math.max(answer.indexOf(open), 0), answer.lastIndexOf(close) + 1);
	return { whole: answer.trim(), block: block?.replace(/^json\w*/i, '').trim() ?? '', between };
}

/** Strings, and what is not JSON: comments, a comma before a bracket, invisible characters. */
const MARKS =
	/"[^"\\]*(?:\\.[^"\\]*)*"?|\/\/[^\n]*|\/\*.*?(?:\*\/|$)|,(?=[\s\u200b-\u200d\u2060]*[}\]])|[\u00a0\u200b-\u200d\u2060\ufeff]/gs;

function cleaned(text: string): string {
	const escaped = (character: string) => JSON.stringify(character).slice(1, -1);
	return text.replace(MARKS, (mark) => (mark.startsWith('"') ? mark.replace(/[\n\r\t]/g, escaped) : ' '));
}

function parseLeniently(text: string): Json | undefined {
	// Twice: a comment may follow the comma.
	return parseJson(text) ?? parseJson(cleaned(cleaned(text)));
}

function unusable(completion: Completion, problem: Problem, value?: Json): ApiError {
	const { text, refusal } = completion;
	const { description, ...rest } = refusal === '' ? problem : REFUSED;
	const says = refusal || text ? ` It says: “${excerpt(refusal || text)}”` : '';
	const fields = omit(completionFields(completion, value), 'model', 'provider', 'sources', 'fallbackFrom');
	return unusableResponse({ ...rest, description: `${description}${says}` }, fields);
}

const REFUSED: Problem = {
	code: 'refused',
	message: 'The model refused to respond',
	description: 'Change the prompt, or choose another model.',
};

const NOT_JSON: Problem = {
	code: 'not_json',
	message: 'The model’s response is not JSON',
	description: 'Say in the prompt that the response must be JSON, or choose a model that can return JSON.',
};

function cutOff({ hint }: Completion): Problem {
	const description = hint ?? "Raise the option 'Max Tokens', or ask for less.";
	return { code: 'json_cut_off', message: 'The JSON was cut off', description };
}

function doesNotFit(misfit: string): Problem {
	return {
		code: MISFIT,
		message: `The response does not fit the schema: ${misfit}`,
		description: 'Describe the field that is wrong, let it be optional, or choose another model.',
	};
}

export function misfitHint(codes: readonly unknown[]): string | undefined {
	const count = codes.filter((code) => code === MISFIT).length;
	if (count === 0) return undefined;
	const which = counted(count, 'response does', 'responses do');
	return `${which} not fit the schema. What is wrong, and the JSON, is in the items.`;
}
