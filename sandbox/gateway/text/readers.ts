/** Checks the body of a request by the table of its format, and reads its fields; null counts as absent. */
import { ApiError } from '../errors';
import { isObject, type JsonObject, type JsonSchema } from '../jsonSchema';
import { misfitOf, withoutNulls } from '../misfit';
import type { Tool, ToolChoice, ChatMessage } from './types';

/** 400 `invalid_request` with the field as `param`, such as `messages[0].role` (§7.3). */
export function invalid(param: string, reason: string): ApiError {
	return new ApiError('invalid_request', `${param} ${reason}`, { param });
}

/** The body, when its fields have the types and values of the table; throws the first that does not fit. */
export function checkedBody(fields: JsonSchema, body: unknown): JsonObject {
	if (!isObject(body)) throw new ApiError('invalid_request', 'The body must be a JSON object');
	const misfit = misfitOf(fields, withoutNulls(body));
	if (misfit) throw invalid(paramOf(misfit.path), misfit.reason);
	return body;
}

function paramOf(path: readonly string[]): string {
	return path.join('.').replace(/\.(\d+)(?=\.|$)/g, '[$1]');
}

export function readText(body: JsonObject, name: string): string | null {
	const value = body[name];
	return typeof value === 'string' ? value : null;
}

export function readNumber(body: JsonObject, name: string): number | null {
	const value = body[name];
	return typeof value === 'number' ? value : null;
}

/** A ceiling of tokens: below zero there are none. */
export function readCeiling(body: JsonObject, ...names: string[]): number | null {
	const found = names.map((name) => readNumber(body, name)).find((value) => value !== null);
	return found === undefined || found === null ? null : Math.max(0, found);
}

export function readBoolean(body: JsonObject, name: string): boolean | null {
	const value = body[name];
	return typeof value === 'boolean' ? value : null;
}

export function readObject(body: JsonObject, name: string): JsonObject {
	const value = body[name];
	return isObject(value) ? value : {};
}

export function readObjects(body: JsonObject, name: string): JsonObject[] {
	return readList(body[name]).filter(isObject);
}

export function readList(value: unknown): unknown[] {
	return Array.isArray(value) ? value : [];
}

/** A text or a list of texts. */
export function readTexts(value: unknown): string[] {
	return (typeof value === 'string' ? [value] : readList(value)).filter((text) => typeof text === 'string');
}

/** The role of a message; `developer` is another word for `system`. */
export function readRole({ role }: JsonObject): ChatMessage['role'] {
	return role === 'user' || role === 'assistant' || role === 'tool' ? role : 'system';
}

/** §4.1: any effort except `none` enables reasoning; null leaves it to the model. */
export function readReasoning(body: JsonObject): boolean | null {
	const reasoning = readObject(body, 'reasoning');
	const effort = readText(reasoning, 'effort') ?? readText(body, 'reasoning_effort');
	if (effort !== null) return effort !== 'none';
	const budget = readNumber(reasoning, 'max_tokens') ?? 0;
	return readBoolean(reasoning, 'enabled') ?? (budget > 0 ? true : null);
}

/** Tokens of an attachment of any size. */
const attachmentTokens = { image: 258, audio: 320, video: 1290, file: 640 };

/** The text and attachments of message content: a string, or parts of any of the three formats. */
export function readContent(content: unknown): Omit<ChatMessage, 'role'> {
	const texts = typeof content === 'string' ? [content] : [];
	const attachments: Array<keyof typeof attachmentTokens> = [];
	for (const part of readList(content).filter(isObject)) {
		const kind = attachmentKind(part.type);
		if (kind) attachments.push(kind);
		else texts.push(partText(part));
	}
	const tokens = attachments.reduce((sum, kind) => sum + attachmentTokens[kind], 0);
	return { text: texts.join('\n'), attachmentTokens: tokens, attachments };
}

function attachmentKind(type: unknown): keyof typeof attachmentTokens | null {
	if (type === 'image' || type === 'image_url' || type === 'input_image') return 'image';
	if (type === 'input_audio' || type === 'audio') return 'audio';
	if (type === 'video_url' || type === 'input_video') return 'video';
	if (type === 'file' || type === 'input_file' || type === 'document') return 'file';
	return null;
}

function partText(part: JsonObject): string {
	if (typeof part.text === 'string') return part.text;
	if (typeof part.refusal === 'string') return part.refusal;
	return part.type === 'text' ? '' : JSON.stringify(part);
}

/** The functions of a list; the vendors' own tools may have no name. */
export function readTools(definitions: readonly JsonObject[], schemaField: string): Tool[] {
	return definitions.flatMap((definition) => {
		const name = readText(definition, 'name');
		const schema: JsonSchema = readObject(definition, schemaField);
		return name === null ? [] : [{ name, description: readText(definition, 'description') ?? '', schema }];
	});
}

/** The string forms, and an object with a tool's name in the format's field. */
export function readToolChoice(value: unknown, tools: readonly Tool[]): ToolChoice {
	const choice = isObject(value) ? value : { type: value };
	const name = readText(choice, 'name') ?? readText(readObject(choice, 'function'), 'name');
	if (name !== null) {
		if (tools.some((tool) => tool.name === name)) return { mode: 'named', name };
		throw invalid('tool_choice', `names an unknown tool: ${name}`);
	}
	if (choice.type === 'none') return { mode: 'none' };
	return { mode: choice.type === 'required' || choice.type === 'any' ? 'required' : 'auto' };
}
