/** Reads a request in the responses format (§4.1). */
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
	readTool,
	readToolChoice,
} from '../readers';
import { readEncrypted, readIds } from '../returnedReasoning';
import type { TextCall, ChatMessage } from '../types';

export interface ResponsesRequest {
	call: TextCall;
	stream: boolean;
	body: JsonObject;
	instructions: string | null;
	previousId: string | null;
	/** Whether it may search the web, the only built-in tool of the sandbox. */
	searches: boolean;
}

const roles: Record<string, ChatMessage['role']> = {
	user: 'user',
	assistant: 'assistant',
	system: 'system',
	developer: 'system',
};

export function readResponsesRequest(raw: unknown): ResponsesRequest {
	const body = readBody(raw);
	const model = readModel(body);
	const messages = readInput(body.input);
	readNumber(body, 'temperature');
	readNumber(body, 'top_p', { min: 0, max: 1 });
	const toolList = readArray(body, 'tools').map((tool, index) => {
		if (!isObject(tool) || typeof tool.type !== 'string') throw invalid(`tools[${index}].type is required`);
		return tool;
	});
	const tools = toolList
		.filter((tool) => tool.type === 'function')
		.map((tool, index) => readTool(tool, tool.parameters, `tools[${index}]`));
	const instructions = typeof body.instructions === 'string' ? body.instructions : null;
	return {
		call: {
			model,
			messages,
			tools,
			toolChoice: readToolChoice(body.tool_choice, tools),
			parallelTools: readBoolean(body, 'parallel_tool_calls') ?? true,
			maxTokens: readNumber(body, 'max_output_tokens', { min: 1, integer: true }),
			stop: [],
			json: readTextFormat(body),
			reasoning: readReasoning(body).enabled,
			choices: 1,
			seed: 0,
		},
		stream: readBoolean(body, 'stream') ?? false,
		body,
		instructions,
		previousId: typeof body.previous_response_id === 'string' ? body.previous_response_id : null,
		// The dated and preview types of the web search are the same tool.
		searches: toolList.some((tool) => String(tool.type).startsWith('web_search')),
	};
}

/** §7.2: `input` missing or empty; `instructions` does not replace it. */
function readInput(input: unknown): ChatMessage[] {
	if (typeof input === 'string' && input !== '') {
		return [{ role: 'user', text: input, attachmentTokens: 0, attachments: [] }];
	}
	if (!Array.isArray(input) || input.length === 0) throw invalid('input is required', 'input');
	return (input as unknown[]).map(readItem);
}

function readItem(item: unknown, index: number): ChatMessage {
	if (!isObject(item)) throw invalid(`input[${index}] must be an object`, 'input');
	const plain = { attachmentTokens: 0, attachments: [] };
	switch (item.type) {
		case 'function_call_output':
			return { role: 'tool', ...plain, text: asText(item.output) };
		case undefined:
		case 'message': {
			const role = typeof item.role === 'string' ? roles[item.role] : undefined;
			if (!role) throw invalid(`input[${index}].role is not supported`, 'input');
			return { role, ...readContent(item.content, `input[${index}].content`) };
		}
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
	const format = readObject(readObject(body, 'text') ?? {}, 'format');
	switch (format?.type) {
		case undefined:
		case 'text':
			return null;
		case 'json_object':
			return 'object';
		case 'json_schema':
			if (typeof format?.name !== 'string' || !isObject(format.schema)) {
				throw invalid('text.format needs name and schema', 'text');
			}
			return format.schema;
		default:
			throw invalid('Unsupported text.format.type', 'text');
	}
}
