import type { Message } from '@n8n/ai-node-sdk';

import { toChatMessages } from '../../../nodes/ChatModel/messages';
import { textFormat } from '../../../nodes/shared/gateway/text/formats';
import type { JsonObject } from '../../../nodes/shared/gateway/util/json';

// Conversations as n8n's SDK passes them to a model.

export const user = (...content: Message['content']): Message => ({ role: 'user', content });
export const system = (...content: Message['content']): Message => ({ role: 'system', content });
export const assistant = (...content: Message['content']): Message => ({ role: 'assistant', content });
export const tool = (...content: Message['content']): Message => ({ role: 'tool', content });

export const text = (said: string) => ({ type: 'text' as const, text: said });
export const toolCall = (toolCallId: string | undefined, toolName: string, input: string) =>
	({ type: 'tool-call', toolCallId, toolName, input }) as Message['content'][number];
export const toolResult = (toolCallId: string, result: unknown) =>
	({ type: 'tool-result', toolCallId, result }) as Message['content'][number];

/** The request body of a conversation. */
export function bodyOf(name: string, messages: Message[]): JsonObject {
	const format = textFormat(name);
	return format.toBody({
		model: 'm',
		conversation: { kind: 'messages', messages: toChatMessages(messages, format, 'm') },
		tools: [],
		output: { kind: 'text' },
		options: {},
		stream: false,
	});
}
