/** Reads fields of a request body; throws 400 `invalid_request` for invalid ones. */
import { ApiError } from '../errors';
import { isObject, type JsonObject, type JsonSchema } from '../jsonSchema';
import type { Tool, ToolChoice, ChatMessage } from './types';

export function invalid(message: string, param?: string): ApiError {
	return new ApiError('invalid_request', message, param === undefined ? {} : { param });
}

export function readBody(body: unknown): JsonObject {
	if (!isObject(body)) throw invalid('The body must be a JSON object');
	return body;
}

export function readModel(body: JsonObject): string {
	const { model } = body;
	if (typeof model !== 'string' || model === '') throw invalid('model is required');
	return model;
}

/** An optional number within its range; null counts as absent. */
export function readNumber(
	body: JsonObject,
	name: string,
	{
		min = -Infinity,
		max = Infinity,
		integer = false,
	}: { min?: number; max?: number; integer?: boolean } = {},
): number | null {
	const value = body[name];
	if (value === undefined || value === null) return null;
	if (typeof value !== 'number' || value < min || value > max || (integer && !Number.isInteger(value))) {
		const range = Number.isFinite(min) && Number.isFinite(max) ? ` between ${min} and ${max}` : '';
		throw invalid(`${name} must be ${integer ? 'an integer' : 'a number'}${range}`);
	}
	return value;
}

/** An optional field of a type; null counts as absent. */
function readTyped<T>(
	body: JsonObject,
	name: string,
	isType: (value: unknown) => value is T,
	type: string,
): T | null {
	const value = body[name];
	if (value === undefined || value === null) return null;
	if (!isType(value)) throw invalid(`${name} must be ${type}`);
	return value;
}

export function readBoolean(body: JsonObject, name: string): boolean | null {
	return readTyped(body, name, (value) => typeof value === 'boolean', 'a boolean');
}

export function readObject(body: JsonObject, name: string): JsonObject | null {
	return readTyped(body, name, isObject, 'an object');
}

export function readArray(body: JsonObject, name: string): unknown[] {
	return readTyped<unknown[]>(body, name, Array.isArray, 'an array') ?? [];
}

/** `stop`, a string or an array of them. */
export function readStops(body: JsonObject, name: string): string[] {
	const value = typeof body[name] === 'string' ? [body[name]] : readArray(body, name);
	return value.map((stop) => {
		if (typeof stop !== 'string') throw invalid(`${name} must hold strings`);
		return stop;
	});
}

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** §4.1: any effort except `none` enables reasoning; null leaves it to the model. */
export function readReasoning(body: JsonObject): { enabled: boolean | null; exclude: boolean } {
	const reasoning = readObject(body, 'reasoning') ?? {};
	const effort = reasoning.effort ?? body.reasoning_effort ?? null;
	if (effort !== null && (typeof effort !== 'string' || !efforts.includes(effort))) {
		throw invalid(`Unsupported reasoning.effort: ${JSON.stringify(effort)}`);
	}
	const exclude = readBoolean(reasoning, 'exclude') ?? false;
	if (effort !== null) return { enabled: effort !== 'none', exclude };
	const budget = readNumber(reasoning, 'max_tokens', { min: 0, integer: true });
	return { enabled: readBoolean(reasoning, 'enabled') ?? (budget ? true : null), exclude };
}

/** Tokens of an attachment of any size. */
const attachmentTokens = { image: 258, audio: 320, video: 1290, file: 640 };

/** The text and attachments of message content: a string, or parts of any of the three formats. */
export function readContent(content: unknown, where: string): Omit<ChatMessage, 'role'> {
	if (content === undefined || content === null) return { text: '', attachmentTokens: 0, attachments: [] };
	if (typeof content === 'string') return { text: content, attachmentTokens: 0, attachments: [] };
	if (!Array.isArray(content)) throw invalid(`${where} must be a string or an array of parts`);
	const texts: string[] = [];
	const attachments: Array<keyof typeof attachmentTokens> = [];
	for (const part of content as unknown[]) {
		if (!isObject(part) || typeof part.type !== 'string') throw invalid(`${where} has a part without type`);
		const kind = attachmentKind(part.type);
		if (kind) attachments.push(kind);
		else texts.push(partText(part));
	}
	const tokens = attachments.reduce((sum, kind) => sum + attachmentTokens[kind], 0);
	return { text: texts.join('\n'), attachmentTokens: tokens, attachments };
}

function attachmentKind(type: string): keyof typeof attachmentTokens | null {
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

/** A function of a tools array; other types of tools have no name. */
export function readTool({ name, description }: JsonObject, schema: unknown, where: string): Tool {
	if (typeof name !== 'string' || name === '') throw invalid(`${where} needs a name`);
	if (schema !== undefined && schema !== null && !isObject(schema)) {
		throw invalid(`${where} has parameters that are no JSON Schema`);
	}
	const parameters: JsonSchema = isObject(schema) ? schema : {};
	return { name, description: typeof description === 'string' ? description : '', schema: parameters };
}

/** The string forms, and an object with a tool's name in the format's field. */
export function readToolChoice(value: unknown, tools: readonly Tool[]): ToolChoice {
	if (value === undefined || value === null || value === 'auto') return { mode: 'auto' };
	if (value === 'none') return { mode: 'none' };
	if (value === 'required' || value === 'any') return { mode: 'required' };
	if (!isObject(value)) throw invalid('Unsupported tool_choice');
	const name = isObject(value.function) ? value.function.name : value.name;
	if (typeof name !== 'string') return readToolChoice(value.type ?? value.mode, tools);
	if (!tools.some((tool) => tool.name === name)) throw invalid(`tool_choice names an unknown tool: ${name}`);
	return { mode: 'named', name };
}
