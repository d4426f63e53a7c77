/** Reads a chat completion request (§4.2). */
import { isObject, type JsonObject } from '../../jsonSchema';
import {
	checkedBody,
	invalid,
	readBoolean,
	readCeiling,
	readContent,
	readList,
	readNumber,
	readObject,
	readObjects,
	readReasoning,
	readRole,
	readText,
	readTexts,
	readToolChoice,
	readTools,
} from '../readers';
import { readIds, readSigned } from '../returnedReasoning';
import type { TextCall, ChatMessage, ReturnedReasoning } from '../types';
import { chatFields } from './fields';

export interface ChatRequest {
	call: TextCall;
	stream: boolean;
	hideReasoning: boolean;
	/** The audio format, when audio was requested. */
	audioFormat: string | null;
	plugins: boolean;
}

/** More choices than this are not made. */
const maxChoices = 128;

export function readChatRequest(raw: unknown): ChatRequest {
	const body = checkedBody(chatFields, raw);
	const definitions = readObjects(body, 'tools').map((tool) => readObject(tool, 'function'));
	const tools = readTools(definitions, 'parameters');
	const choices = readNumber(body, 'n') ?? 1;
	return {
		call: {
			model: readText(body, 'model') ?? '',
			messages: readMessages(body),
			tools,
			toolChoice: readToolChoice(body.tool_choice, tools),
			parallelTools: readBoolean(body, 'parallel_tool_calls') ?? true,
			maxTokens: readCeiling(body, 'max_completion_tokens', 'max_tokens'),
			stop: readTexts(body.stop),
			json: readResponseFormat(body),
			reasoning: readReasoning(body),
			choices: Math.min(Math.max(choices, 1), maxChoices),
			seed: readNumber(body, 'seed') ?? 0,
		},
		stream: readBoolean(body, 'stream') ?? false,
		hideReasoning: readBoolean(readObject(body, 'reasoning'), 'exclude') ?? false,
		audioFormat: readAudioFormat(body),
		plugins: readList(body.plugins).length > 0,
	};
}

function readMessages(body: JsonObject): ChatMessage[] {
	const messages = readObjects(body, 'messages');
	if (messages.length > 0) return messages.map(readMessage);
	const prompt = readText(body, 'prompt') ?? '';
	if (prompt === '') throw invalid('messages', 'is required');
	return [{ role: 'user', ...readContent(prompt) }];
}

function readMessage(message: JsonObject): ChatMessage {
	const content = readContent(message.content);
	const calls = message.tool_calls === undefined ? '' : JSON.stringify(message.tool_calls);
	const returned = readDetails(message.reasoning_details);
	return {
		role: readRole(message),
		...content,
		text: content.text + calls,
		isCachePoint: readObjects(message, 'content').some((part) => isObject(part.cache_control)),
		callIds: readIds(message.tool_calls, 'id'),
		...(returned && { returned }),
	};
}

/** The details as the completion had them (§2.4). */
function readDetails(details: unknown): ReturnedReasoning | null {
	const [detail] = Array.isArray(details) ? (details as unknown[]) : [];
	return isObject(detail) ? readSigned(detail.text, detail.signature) : null;
}

function readResponseFormat(body: JsonObject): TextCall['json'] {
	const { type, json_schema: definition } = readObject(body, 'response_format');
	if (type === 'json_schema' && isObject(definition) && isObject(definition.schema)) return definition.schema;
	return type === 'json_object' || type === 'json_schema' ? 'object' : null;
}

function readAudioFormat(body: JsonObject): string | null {
	if (!readTexts(body.modalities).includes('audio')) return null;
	return readText(readObject(body, 'audio'), 'format') ?? 'wav';
}
