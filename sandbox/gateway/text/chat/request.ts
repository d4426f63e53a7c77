/** Reads a chat completion request (§4.2). */
import { isObject, type JsonObject } from '../../jsonSchema';
import {
	invalid,
	readArray,
	readBody,
	readBoolean,
	readContent,
	readModel,
	readNumber,
	readObject,
	readReasoning,
	readStops,
	readTool,
	readToolChoice,
} from '../readers';
import { readIds, readSigned } from '../returnedReasoning';
import type { TextCall, ChatMessage, ReturnedReasoning } from '../types';

export interface ChatRequest {
	call: TextCall;
	stream: boolean;
	hideReasoning: boolean;
	/** The audio format, when audio was requested. */
	audioFormat: string | null;
	plugins: boolean;
}

const roles: Record<string, ChatMessage['role']> = {
	user: 'user',
	assistant: 'assistant',
	system: 'system',
	developer: 'system',
	tool: 'tool',
};

export function readChatRequest(raw: unknown): ChatRequest {
	const body = readBody(raw);
	const model = readModel(body);
	checkRanges(body);
	const tools = readArray(body, 'tools').map((tool, index) => {
		const definition = isObject(tool) && isObject(tool.function) ? tool.function : {};
		return readTool(definition, definition.parameters, `tools[${index}].function`);
	});
	const reasoning = readReasoning(body);
	return {
		call: {
			model,
			messages: readMessages(body),
			tools,
			toolChoice: readToolChoice(body.tool_choice, tools),
			parallelTools: readBoolean(body, 'parallel_tool_calls') ?? true,
			maxTokens:
				readNumber(body, 'max_completion_tokens', { min: 1, integer: true }) ??
				readNumber(body, 'max_tokens', { min: 1, integer: true }),
			stop: readStops(body, 'stop'),
			json: readResponseFormat(body),
			reasoning: reasoning.enabled,
			choices: readNumber(body, 'n', { min: 1, max: 16, integer: true }) ?? 1,
			seed: readNumber(body, 'seed', { integer: true }) ?? 0,
		},
		stream: readBoolean(body, 'stream') ?? false,
		hideReasoning: reasoning.exclude,
		audioFormat: readAudioFormat(body),
		plugins: readArray(body, 'plugins').length > 0,
	};
}

/** §4.2, default / range. */
function checkRanges(body: JsonObject): void {
	readNumber(body, 'temperature', { min: 0, max: 2 });
	readNumber(body, 'top_p', { min: 0, max: 1 });
	readNumber(body, 'top_k', { integer: true });
	readNumber(body, 'frequency_penalty', { min: -2, max: 2 });
	readNumber(body, 'presence_penalty', { min: -2, max: 2 });
	readNumber(body, 'top_logprobs', { min: 0, max: 20, integer: true });
	for (const name of ['logit_bias', 'web_search_options', 'provider', 'audio', 'image_config']) {
		readObject(body, name);
	}
}

function readMessages(body: JsonObject): ChatMessage[] {
	const messages = readArray(body, 'messages');
	if (messages.length > 0) return messages.map(readMessage);
	if (typeof body.prompt === 'string' && body.prompt !== '') {
		return [{ role: 'user', text: body.prompt, attachmentTokens: 0, attachments: [] }];
	}
	throw invalid('messages is required');
}

function readMessage(message: unknown, index: number): ChatMessage {
	const role = isObject(message) && typeof message.role === 'string' ? roles[message.role] : undefined;
	if (!isObject(message) || !role) throw invalid(`messages[${index}].role is not supported`);
	const content = readContent(message.content, `messages[${index}].content`);
	const calls = message.tool_calls === undefined ? '' : JSON.stringify(message.tool_calls);
	const returned = readDetails(message.reasoning_details);
	return {
		role,
		...content,
		text: content.text + calls,
		isCachePoint: hasCacheControl(message.content, index),
		callIds: readIds(message.tool_calls, 'id'),
		...(returned && { returned }),
	};
}

/** §4.2: `cache_control` of text parts. */
function hasCacheControl(content: unknown, index: number): boolean {
	const parts = Array.isArray(content) ? (content as unknown[]).filter(isObject) : [];
	const marked = parts.filter((part) => part.cache_control !== undefined);
	for (const { type, cache_control: mark } of marked) {
		if (type === 'text' && isObject(mark) && mark.type === 'ephemeral') continue;
		throw invalid(`messages[${index}].content has an unsupported cache_control`);
	}
	return marked.length > 0;
}

/** The details as the completion had them (§2.4). */
function readDetails(details: unknown): ReturnedReasoning | null {
	const [detail] = Array.isArray(details) ? (details as unknown[]) : [];
	return isObject(detail) ? readSigned(detail.text, detail.signature) : null;
}

function readResponseFormat(body: JsonObject): TextCall['json'] {
	const format = readObject(body, 'response_format');
	if (!format) return null;
	switch (format.type) {
		case 'text':
		case 'grammar':
			return null;
		case 'json_object':
			return 'object';
		case 'json_schema': {
			const definition = format.json_schema;
			if (!isObject(definition) || typeof definition.name !== 'string') {
				throw invalid('response_format.json_schema needs a name');
			}
			return isObject(definition.schema) ? definition.schema : 'object';
		}
		default:
			throw invalid('Unsupported response_format.type');
	}
}

function readAudioFormat(body: JsonObject): string | null {
	if (!readArray(body, 'modalities').includes('audio')) return null;
	const format = readObject(body, 'audio')?.format;
	return typeof format === 'string' ? format : 'wav';
}
