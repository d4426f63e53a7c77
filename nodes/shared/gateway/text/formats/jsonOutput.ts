import type { ApiError } from '../../errors/errors';
import type { ErrorText } from '../../errors/texts';
import { canonicalJson, compact, objectIn, parseJson, type Json, type JsonObject } from '../../util/json';
import { excerpt } from '../../util/text';
import { isIncomplete } from '../incomplete';
import { misfits } from '../outputSchema';
import { receiptFields, unlessEmpty, unusableResponse, type Completion } from './completion';
import type { OutputRequest } from './request';

type Problem = ErrorText & { code: string };

const MISFIT = 'json_does_not_fit';

/**
 * The JSON value of a completion; `undefined` if none was requested, or if the model calls a tool first. The
 * error for other output has its text and cost, because it is charged, and JSON that does not fit.
 */
export function parseJsonOutput(completion: Completion, output: OutputRequest): Json | undefined {
	if (output.kind === 'text') return undefined;
	const schema = output.kind === 'jsonSchema' ? output.schema : {};
	const hasCalls = completion.toolCalls.length > 0;
	const found = isIncomplete(completion)
		? undefined
		: valuesIn(completion.text, schema.type === 'array', hasCalls);
	const checked = found
		?.filter((value) => output.kind === 'jsonSchema' || (typeof value === 'object' && value !== null))
		.map((value) => ({ value, problem: misfits(value, schema, schema).next().value ?? undefined }));
	const fitting = checked?.filter(({ problem }) => problem === undefined);
	if (fitting?.length === 1) return fitting[0]?.value;
	if (fitting && hasCalls) return undefined;
	const misfit = checked?.length === 1 ? checked[0] : undefined;
	throw unusable(completion, problemOf(checked, completion), misfit?.value);
}

/**
 * The JSON in a text: the text itself, else what stands in brackets between other words; `undefined` if that
 * is cut off.
 *
 * @param lists whether that may be lists, and not only objects: `[1]` may be the mark of a footnote
 * @param onlyWhole whether words beside it mean that it is no answer
 */
function valuesIn(text: string, lists: boolean, onlyWhole: boolean): Json[] | undefined {
	const answer = withoutThoughts(text);
	for (const whole of [text, answer]) {
		const value = parseLeniently(withoutFence(whole));
		// Some models encode an object twice.
		if (value !== undefined) return [objectIn(value) ?? value];
	}
	if (onlyWhole) return [];
	const values = inBrackets(answer, lists)
		?.map(parseLeniently)
		.filter((value) => value !== undefined)
		.filter((value) => lists || objectIn(value));
	// Some models give their answer twice.
	return values && [...new Map(values.map((value) => [canonicalJson(value), value])).values()];
}

/** Removes thoughts. The first tag may be missing, and the last one if they are cut off. */
function withoutThoughts(text: string): string {
	const rest = text.replace(/<think(?:ing)?>[^]*?(?:<\/think(?:ing)?>|$)/gi, '');
	return rest.replace(/^[^]*<\/think(?:ing)?>/i, '');
}

/** Removes the Markdown code block around a text, with or without the name of a language. */
function withoutFence(text: string): string {
	const block = text.trim();
	if (!block.startsWith('```') || !block.endsWith('```')) return block;
	return block.slice(3, -3).replace(/^[^\s`{["]*/, '');
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

/** How an object or a list begins, also in what is not quite JSON; another bracket that does not end is one of the words. */
const BEGIN =
	/\{[\s\u200b-\u200d\u2060]*(?:["'#}\\]|\/[/*]|[\w$]+\s*:)|\[[\s\u200b-\u200d\u2060]*(?:["'{[\]#\\]|\/[/*])/y;
const BEGIN_OF_VALUES = /\[\s*(?:-?[\d.][\d.eE+-]*|true|false|null)\s*(?:[,\]/#]|$)/y;

/** How many such brackets a text may have: each takes another look at the rest of it. */
const MAX_LONE = 20;

/** The parts of a text that are in brackets, with those; `undefined` if it is cut off in one. */
function inBrackets(text: string, lists: boolean): string[] | undefined {
	const parts: string[] = [];
	const begins = (at: number) =>
		[BEGIN, ...(lists ? [BEGIN_OF_VALUES] : [])].some((pattern) => {
			pattern.lastIndex = at;
			return pattern.test(text);
		});
	let from = 0;
	for (let lone = 0; lone <= MAX_LONE; lone += 1) {
		const open = closedFrom(text, from, parts);
		if (open === undefined) return parts.length > 0 || lone === 0 ? parts : undefined;
		if (begins(open)) return undefined;
		from = open + 1;
	}
	return undefined;
}

/** Adds the parts that are in brackets; returns where one begins that does not end. */
function closedFrom(text: string, from: number, parts: string[]): number | undefined {
	let [start, depth, isString] = [0, 0, false];
	for (let at = from; at < text.length; at += 1) {
		const character = text.charAt(at);
		if (isString) {
			if (character === '\\') at += 1;
			isString = character !== '"';
		} else if (character === '{' || character === '[') {
			if (depth === 0) start = at;
			depth += 1;
		} else if (depth > 0) {
			isString = character === '"';
			if (character === '}' || character === ']') depth -= 1;
			if (depth === 0) parts.push(text.slice(start, at + 1));
		}
	}
	return depth > 0 ? start : undefined;
}

function unusable(completion: Completion, problem: Problem, value?: Json): ApiError {
	const { text, toolCalls, refusal, reasoning, finishReason, costIsComputed, raw } = completion;
	const { description, ...rest } = refusal === '' ? problem : REFUSED;
	const says = refusal || text ? ` It says: “${excerpt(refusal || text)}”` : '';
	const fields = compact({
		...receiptFields(completion),
		output: value,
		text,
		toolCalls: unlessEmpty(toolCalls.map((call) => ({ ...call }))),
		refusal: refusal || undefined,
		reasoning: reasoning || undefined,
		finishReason,
		costIsComputed,
		raw,
	});
	return unusableResponse({ ...rest, description: `${description}${says}` }, fields as JsonObject);
}

const REFUSED: Problem = {
	code: 'refused',
	message: 'The model refused to respond',
	description: 'Change the prompt, or choose another model.',
};

/** @param values those in the text, and what does not fit in them; `undefined` if it was cut off */
function problemOf(
	values: ReadonlyArray<{ problem?: string | undefined }> | undefined,
	{ hint }: Completion,
): Problem {
	const description = hint ?? "Raise the option 'Max Tokens', or ask for less.";
	if (!values) return { code: 'json_cut_off', message: 'The JSON was cut off', description };
	const [first] = values;
	if (values.length > 1)
		return {
			code: 'not_json',
			message: `The response has ${values.length} JSON values, and it is not clear which one is meant`,
			description: 'Ask for one JSON object, and describe its fields.',
		};
	if (first)
		return {
			code: MISFIT,
			message: `The response does not fit the schema: ${first.problem}`,
			description: 'Describe the field that is wrong, let it be optional, or choose another model.',
		};
	return {
		code: 'not_json',
		message: 'The model’s response is not JSON',
		description: 'Say in the prompt that the response must be JSON, or choose a model that can return JSON.',
	};
}

/** The hint about the responses of a run that do not fit, from the codes of its errors. */
export function misfitHint(codes: readonly unknown[]): string | undefined {
	const count = codes.filter((code) => code === MISFIT).length;
	if (count === 0) return undefined;
	const which = count === 1 ? '1 response does' : `${count} responses do`;
	return `${which} not fit the schema. What is wrong, and the JSON, is in the items.`;
}
