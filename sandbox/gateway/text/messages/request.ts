/** Reads a request in the messages format (§4.3). */
import { isObject, type JsonObject } from '../../jsonSchema';
import {
	checkedBody,
	readBoolean,
	readCeiling,
	readContent,
	readObject,
	readObjects,
	readRole,
	readText,
	readTexts,
	readToolChoice,
	readTools,
} from '../readers';
import { readIds, readSigned } from '../returnedReasoning';
import type { TextCall, ChatMessage, ReturnedReasoning } from '../types';
import { messagesFields } from './fields';

export function readMessagesRequest(raw: unknown): { call: TextCall; stream: boolean } {
	const body = checkedBody(messagesFields, raw);
	const tools = readTools(readObjects(body, 'tools'), 'input_schema');
	const choice = readObject(body, 'tool_choice');
	const call: TextCall = {
		model: readText(body, 'model') ?? '',
		messages: [...systemMessages(body), ...readObjects(body, 'messages').flatMap(readMessage)],
		tools,
		toolChoice: readToolChoice(choice, tools),
		parallelTools: choice.disable_parallel_tool_use !== true,
		maxTokens: readCeiling(body, 'max_tokens'),
		stop: readTexts(body.stop_sequences),
		json: null,
		reasoning: thinks(readObject(body, 'thinking')),
		choices: 1,
		seed: 0,
	};
	return { call, stream: readBoolean(body, 'stream') ?? false };
}

/** §4.3: of the thinking types only `adaptive` is shown; everything but `disabled` thinks. */
function thinks(thinking: JsonObject): boolean | null {
	return Object.keys(thinking).length > 0 ? thinking.type !== 'disabled' : null;
}

function systemMessages(body: JsonObject): ChatMessage[] {
	const content = readContent(body.system);
	return content.text === '' ? [] : [{ role: 'system', ...content }];
}

/** A user message may carry tool results; they become messages of their own. */
function readMessage(message: JsonObject): ChatMessage[] {
	const role = readRole(message);
	if (!Array.isArray(message.content)) return [{ role, ...readContent(message.content) }];
	const parts = readObjects(message, 'content');
	const results = parts.filter(({ type }) => type === 'tool_result');
	const others = parts.filter(({ type }) => type !== 'tool_result');
	const messages = results.map(({ content }): ChatMessage => ({ role: 'tool', ...readContent(content) }));
	const returned = readThinking(others);
	if (others.length > 0) {
		const calls = others.filter(({ type }) => type === 'tool_use');
		messages.unshift({
			role,
			...readContent(others),
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
