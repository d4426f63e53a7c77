import type { JsonObject } from '../../../util/json';
import type { ChatMessage, ToolMessage } from '../request';

/** Characters from which a text is long. Providers cache nothing shorter than about 1,000 tokens. */
const LONG_TEXT = 4_000;

/**
 * Marks what later requests probably repeat: the instructions, and the user's last message if it is long or part of
 * a longer conversation.
 */
export function withCachePoints(
	messages: Array<ChatMessage | ToolMessage>,
): Array<ChatMessage | ToolMessage> {
	const roles = messages.map(({ role }) => role);
	const end = roles.findIndex((role) => role !== 'system' && role !== 'developer');
	const instructions = (end === -1 ? messages.length : end) - 1;
	const lastUser = roles.lastIndexOf('user');
	const isConversation = messages.length > instructions + 2;
	return messages.map((message, index) => {
		if (message.role === 'tool') return message;
		const isRepeated =
			index === instructions || (index === lastUser && (isConversation || message.text.length >= LONG_TEXT));
		return isRepeated ? { ...message, isCachePoint: true } : message;
	});
}

/** A text up to which the conversation is cached (§4.2). */
export function cachedText(text: string): JsonObject {
	return { type: 'text', text, cache_control: { type: 'ephemeral' } };
}
