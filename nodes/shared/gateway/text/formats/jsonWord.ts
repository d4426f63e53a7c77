import type { JsonObject } from '../../util/json';
import type { ChatMessage, OutputRequest, ToolMessage } from './request';

// Vendors answer 400 to a request for a JSON object if no message has the word "json".

const LINE = 'Respond with a JSON object.';

function lacksWord(output: OutputRequest, texts: unknown): boolean {
	return output.kind === 'jsonObject' && !/json/i.test(JSON.stringify(texts));
}

/** Messages with a line that asks for a JSON object, if that is the output and none of them has the word. */
export function withJsonWord(
	messages: Array<ChatMessage | ToolMessage>,
	output: OutputRequest,
): Array<ChatMessage | ToolMessage> {
	const texts = messages.map(({ text }) => text);
	if (!lacksWord(output, texts)) return messages;
	// At the end of the prompt: some models take no second message of the same role.
	const last = messages.map(({ role }) => role).lastIndexOf('user');
	if (last === -1) return [...messages, { role: 'user', text: LINE }];
	return messages.map((message, index) =>
		index === last ? { ...message, text: `${message.text}\n\n${LINE}`.trim() } : message,
	);
}

/** The same for messages in the shape of a format. `instructions`: messages that stand elsewhere. */
export function wireWithJsonWord(
	messages: JsonObject[] | string,
	output: OutputRequest,
	instructions = '',
): JsonObject[] | string {
	if (!lacksWord(output, [messages, instructions])) return messages;
	return typeof messages === 'string'
		? `${messages}\n\n${LINE}`
		: [...messages, { role: 'user', content: LINE }];
}
