/** Reads a request in the responses format (§4.1). */
import { isObject, type JsonObject } from '../../jsonSchema';
import {
	checkedBody,
	readBoolean,
	readCeiling,
	readContent,
	readObject,
	readObjects,
	readReasoning,
	readRole,
	readText,
	readToolChoice,
	readTools,
} from '../readers';
import { readEncrypted, readIds } from '../returnedReasoning';
import type { TextCall, ChatMessage } from '../types';
import { responsesFields } from './fields';

export interface ResponsesRequest {
	call: TextCall;
	stream: boolean;
	body: JsonObject;
	instructions: string | null;
	previousId: string | null;
	/** Whether it may search the web, the only built-in tool of the sandbox. */
	searches: boolean;
}

export function readResponsesRequest(raw: unknown): ResponsesRequest {
	const body = checkedBody(responsesFields, raw);
	const definitions = readObjects(body, 'tools');
	const functions = definitions.filter(({ type }) => type === 'function');
	const tools = readTools(functions, 'parameters');
	return {
		call: {
			model: readText(body, 'model') ?? '',
			messages: readInput(body),
			tools,
			toolChoice: readToolChoice(body.tool_choice, tools),
			parallelTools: readBoolean(body, 'parallel_tool_calls') ?? true,
			maxTokens: readCeiling(body, 'max_output_tokens'),
			stop: [],
			json: readTextFormat(body),
			reasoning: readReasoning(body),
			choices: 1,
			seed: 0,
		},
		stream: readBoolean(body, 'stream') ?? false,
		body,
		instructions: readText(body, 'instructions'),
		previousId: readText(body, 'previous_response_id'),
		// The dated and preview types of the web search are the same tool.
		searches: definitions.some((tool) => String(tool.type).startsWith('web_search')),
	};
}

function readInput(body: JsonObject): ChatMessage[] {
	const prompt = readText(body, 'input');
	return prompt === null
		? readObjects(body, 'input').map(readItem)
		: [{ role: 'user', ...readContent(prompt) }];
}

function readItem(item: JsonObject): ChatMessage {
	const plain = { attachmentTokens: 0, attachments: [] };
	switch (item.type ?? 'message') {
		case 'function_call_output':
			return { role: 'tool', ...plain, text: asText(item.output) };
		case 'message':
			return { role: readRole(item), ...readContent(item.content) };
		case 'function_call':
			return {
				role: 'assistant',
				...plain,
				text: JSON.stringify(item),
				callIds: readIds([item], 'call_id'),
			};
		default: {
			// Reasoning and other items of earlier responses.
			const returned = readEncrypted(item.encrypted_content);
			return { role: 'assistant', ...plain, text: JSON.stringify(item), ...(returned && { returned }) };
		}
	}
}

function asText(value: unknown): string {
	return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}

function readTextFormat(body: JsonObject): TextCall['json'] {
	const { type, schema } = readObject(readObject(body, 'text'), 'format');
	if (type === 'json_schema' && isObject(schema)) return schema;
	return type === 'json_object' ? 'object' : null;
}
