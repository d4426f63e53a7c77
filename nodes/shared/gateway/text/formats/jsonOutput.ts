import type { ApiError } from '../../errors/errors';
import type { ErrorText } from '../../errors/texts';
import { typesOf } from '../../media/jsonSchema';
import { omit, parseJson, type Json, type JsonObject } from '../../util/json';
import { excerpt } from '../../util/text';
import { isFiltered, isIncomplete } from '../incomplete';
import { misfits } from '../outputSchema';
import { completionFields, unusableResponse, type Completion } from './completion';
import type { OutputRequest } from './request';

type JsonProblem = ErrorText & { code: string };

/** The code of the error for JSON of another shape than the schema. */
export const MISFIT = 'json_does_not_fit';

/**
 * The JSON value of a completion; `undefined` if none was requested, or if the model calls a tool first. The
 * error for other output has its text and cost, because it is charged, and JSON that does not fit.
 */
export function parseJsonOutput(completion: Completion, output: OutputRequest): Json | undefined {
	if (output.kind === 'text') return undefined;
	if (isIncomplete(completion)) throw unusable(completion, cutOff(completion));
	const schema = output.kind === 'jsonSchema' ? output.schema : {};
	const hasCalls = completion.toolCalls.length > 0;
	const { whole, block, rest, found } = jsonTextsIn(completion.text, isOfLists(schema));
	const texts = hasCalls ? [whole] : [whole, block, found];
	const value = texts.map(parseLeniently).find((found) => found !== undefined);
	const isAsked = output.kind === 'jsonSchema' || (typeof value === 'object' && value !== null);
	const misfit = value === undefined ? undefined : misfits(value, schema, schema).next().value;
	if (value !== undefined && isAsked && !misfit) return value;
	if (hasCalls) return undefined;
	if (isAsked && misfit) throw unusable(completion, doesNotFit(misfit), value);
	throw unusable(completion, [whole, block, rest].some(isOpen) ? cutOff(completion) : NOT_JSON);
}

/** Whether a text begins with a bracket that nothing closes. */
function isOpen(text: string): boolean {
	return /^[{[]/.test(text) && endOf(text) === undefined;
}

/** Where the bracket closes with which a text begins. */
function endOf(text: string): number | undefined {
	let depth = 0;
	for (const { 0: mark, index } of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\]]/gs)) {
		if (mark === '{' || mark === '[') depth += 1;
		else if (mark === '}' || mark === ']') depth -= 1;
		if (depth === 0) return index;
	}
	return undefined;
}

/**
 * The texts of which the first that is JSON is the answer: the whole; the last code block that says `json` or
 * nothing; what begins with the first bracket that can begin JSON.
 */
function jsonTextsIn(text: string, isList: boolean) {
	const blocks = text.split('```').filter((_, place) => place % 2 === 1);
	const block = blocks.filter((content) => /^(json\w*)?(?![\w+-])/i.test(content)).at(-1);
	const rest = firstJson(text, isList);
	const between = rest.slice(0, rest.lastIndexOf(rest.startsWith('[') ? ']' : '}') + 1);
	// Of several values, nobody knows which is the answer.
	const after = firstJson(rest.slice(between.length), isList);
	const next = isList && !after.startsWith('[') ? '' : after;
	return {
		whole: text.trim(),
		block: block?.replace(/^json\w*/i, '').trim() ?? '',
		rest: next || rest,
		found: next === '' ? between : '',
	};
}

/** Whether a schema asks for lists only. */
function isOfLists(schema: JsonObject): boolean {
	const types = typesOf(schema).filter((type) => type !== 'null');
	return types.length > 0 && types.every((type) => type === 'array');
}

const SPACE = '[\\s\\u200b-\\u200d\\u2060]*';
/** A bracket that can begin an object, or a list of objects: `[1]` may be the mark of a footnote. */
const OBJECT_START = new RegExp(`^(?:\\{${SPACE}["}/]|\\[${SPACE}\\{)`);
/** And one that can begin any list. */
const LIST_START = new RegExp(`^(?:\\{${SPACE}["}/]|\\[${SPACE}["{[\\]\\dtfn/-])`);

function firstJson(text: string, isList: boolean): string {
	let end = 0;
	for (const { 0: bracket, index } of text.matchAll(/[{[]/g)) {
		if (index < end) continue;
		const rest = text.slice(index);
		if ((isList ? LIST_START : OBJECT_START).test(rest)) return rest;
		// What is inside other braces is a part of something else.
		if (bracket === '{' && !isList) end = index + (endOf(rest) ?? Infinity);
	}
	return '';
}

/** Strings, and what is not JSON: comments, a comma before a bracket, invisible characters. */
const JSON_MARKS =
	/"[^"\\]*(?:\\.[^"\\]*)*"?|\/\/[^\n]*|\/\*.*?(?:\*\/|$)|,(?=[\s\u200b-\u200d\u2060]*[}\]])|[\u00a0\u200b-\u200d\u2060\ufeff]/gs;

function cleaned(text: string): string {
	return text.replace(JSON_MARKS, (mark) => (mark.startsWith('"') ? mark.replace(RAW, withEscapes) : ' '));
}

/** Characters that a JSON text must escape. A backslash before a line break, as in a shell command, is one of them. */
const RAW = /\\?[\n\r\t]|\\[^]/g;

function withEscapes(characters: string): string {
	return /[\n\r\t]/.test(characters) ? JSON.stringify(characters).slice(1, -1) : characters;
}

function parseLeniently(text: string): Json | undefined {
	// Twice: a comment may follow the comma.
	return parseJson(text) ?? parseJson(cleaned(cleaned(text)));
}

function unusable(completion: Completion, problem: JsonProblem, value?: Json): ApiError {
	const { text, refusal } = completion;
	const { description, ...rest } = refusal === '' ? problem : REFUSAL;
	const says = refusal || text ? ` It says: “${excerpt(refusal || text)}”` : '';
	const fields = omit(completionFields(completion, value), 'model', 'provider', 'sources', 'fallbackFrom');
	return unusableResponse({ ...rest, description: `${description}${says}` }, fields);
}

const REFUSAL: JsonProblem = {
	code: 'refused',
	message: 'The model refused to respond',
	description: 'Change the prompt, or choose another model.',
};

/** A filter has left no text. */
const FILTERED = {
	code: REFUSAL.code,
	message: 'The model refused to respond, or a content filter stopped it',
};

const NOT_JSON: JsonProblem = {
	code: 'not_json',
	message: 'The model’s response is not JSON',
	description: 'Say in the prompt that the response must be JSON, or choose a model that can return JSON.',
};

function cutOff(completion: Completion): JsonProblem {
	const { hint, text } = completion;
	if (isFiltered(completion) && text.trim() === '')
		return { ...FILTERED, description: hint ?? REFUSAL.description };
	const description =
		hint ??
		"The model ended its response before its JSON. Ask for less, raise the option 'Max Tokens' if it is set, or choose another model.";
	return { code: 'json_cut_off', message: 'The JSON was cut off', description };
}

function doesNotFit(misfit: string): JsonProblem {
	return {
		code: MISFIT,
		message: `The response does not fit the schema: ${misfit}`,
		description: 'Describe the field that is wrong, let it be optional, or choose another model.',
	};
}
