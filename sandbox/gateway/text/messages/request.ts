/** Reads a request in the messages format (§4.3). */
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
	readStops,
	readTool,
	readToolChoice,
} from '../readers';
import { readIds, readSigned } from '../returnedReasoning';
import type { TextCall, ChatMessage, ReturnedReasoning } from '../types';

export function readMessagesRequest(raw: unknown): { call: TextCall; stream: boolean } {
	const body = readBody(raw);
	const model = readModel(body);
	const maxTokens = readNumber(body, 'max_tokens', { min: 1, integer: true });
	if (maxTokens === null) throw invalid('max_tokens: Field required');
	readNumber(body, 'temperature', { min: 0, max: 1 });
	readNumber(body, 'top_p', { min: 0, max: 1 });
	readNumber(body, 'top_k', { integer: true });
	const tools = readArray(body, 'tools').map((tool, index) => {
		const definition = isObject(tool) ? tool : {};
		return readTool(definition, definition.input_schema, `tools[${index}]`);
	});
	const choice = readObject(body, 'tool_choice');
	const call: TextCall = {
		model,
		messages: [...systemMessages(body), ...readMessages(body)],
		tools,
		toolChoice: readToolChoice(choice?.type === 'tool' ? { name: choice.name } : choice?.type, tools),
		parallelTools: choice?.disable_parallel_tool_use !== true,
		maxTokens,
		stop: readStops(body, 'stop_sequences'),
		json: null,
		reasoning: thinks(body),
		choices: 1,
		seed: 0,
	};
	return { call, stream: readBoolean(body, 'stream') ?? false };
}

/** §4.3: of the thinking types only `adaptive` is shown; everything but `disabled` thinks. */
function thinks(body: JsonObject): boolean | null {
	const thinking = readObject(body, 'thinking');
	return thinking ? thinking.type !== 'disabled' : null;
}

function systemMessages(body: JsonObject): ChatMessage[] {
	const content = readContent(body.system, 'system');
	return content.text === '' ? [] : [{ role: 'system', ...content }];
}

function readMessages(body: JsonObject): ChatMessage[] {
	const messages = readArray(body, 'messages');
	if (messages.length === 0) throw invalid('messages: Field required');
	return messages.flatMap((message, index) => {
		if (!isObject(message) || (message.role !== 'user' && message.role !== 'assistant')) {
			throw invalid(`messages.${index}.role: must be user or assistant`);
		}
		return readMessage(message.role, message.content, `messages.${index}.content`);
	});
}

/** A user message may carry tool results; they become messages of their own. */
function readMessage(role: 'user' | 'assistant', content: unknown, where: string): ChatMessage[] {
	if (!Array.isArray(content)) return [{ role, ...readContent(content, where) }];
	const list: unknown[] = content;
	const results = list.filter((part) => isObject(part) && part.type === 'tool_result');
	const others = list.filter((part) => !results.includes(part));
	const messages: ChatMessage[] = results.map((part) => ({
		role: 'tool',
		...readContent(isObject(part) ? part.content : null, where),
	}));
	const returned = readThinking(others);
	if (others.length > 0) {
		const calls = others.filter((part) => isObject(part) && part.type === 'tool_use');
		messages.unshift({
			role,
			...readContent(others, where),
			callIds: readIds(calls, 'id'),
			...(returned && { returned }),
		});
	}
	return messages;
}

/** The thinking block as the message had it. */
function readThinking(parts: readonly unknown[]): ReturnedReasoning | null {
	const block = parts.find((part) => isObject(part) && part.type === 'thinking');
	return isObject(block) ? readSigned(block.thinking, block.signature) : null;
}
