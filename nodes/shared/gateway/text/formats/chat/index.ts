import { compact, type Json, type JsonObject } from '../../../util/json';
import { unlessEmpty } from '../completion';
import { BUILT_IN_TOOLS, type TextFormat } from '../format';
import {
	inputAudio,
	urlOf,
	withJsonWord,
	wireBody,
	type Attachment,
	type Message,
	type OutputRequest,
	type TextRequest,
	type ToolChoice,
	type ToolDefinition,
} from '../request';
import { readCompletion, USAGE } from './response';
import { ChatStream } from './stream';

/** Types of the details of reasoning, with which it goes back. */
const REASONING = ['reasoning.text', 'reasoning.summary', 'reasoning.encrypted'];

/** The chat format: `POST /chat/completions` (§4.2, §2.4, §6.2). */
export const chat: TextFormat = {
	name: 'chat',
	label: 'Chat Completions',
	description: 'Has most options and kinds of attachments; reports the cost',
	endpoint: 'chat',
	path: '/chat/completions',
	headers: {},
	cost: {
		limits: ['max_tokens', 'max_completion_tokens'],
		prompts: ['messages', 'prompt'],
		texts: ['text', 'function', 'ephemeral', ...REASONING],
		earlier: ['audio'],
		described: ['tools', 'response_format'],
		extras: [
			{ field: 'plugins', name: 'plugins' },
			{ field: 'modalities', name: 'images and audio in the response', free: ['text'] },
			{ field: 'web_search_options', name: 'web searches' },
			BUILT_IN_TOOLS,
		],
	},
	usage: USAGE,
	hasStrictTools: true,
	hasStrictSchema: true,
	hasCachePoints: true,
	attachments: { image: 'url or file', audio: 'file', video: 'url or file', file: 'file' },
	toBody,
	readCompletion,
	createStream: () => new ChatStream(),
};

function toBody(request: TextRequest): JsonObject {
	const { tools, toolChoice, output } = request;
	return wireBody(request, {
		messages: messagesOf(request),
		tools: unlessEmpty(tools.map(toWireTool)),
		tool_choice: toolChoice && toWireToolChoice(toolChoice),
		response_format: responseFormat(output),
	});
}

function messagesOf({ conversation, output, cachesPrompt = false }: TextRequest): JsonObject[] {
	if (conversation.kind === 'messages') {
		const messages = withJsonWord(conversation.messages, output);
		return (cachesPrompt ? withCachePoints(messages) : messages).map(toWireMessage);
	}
	const { systemPrompt = '', messages } = conversation;
	if (systemPrompt === '') return messages;
	return [toWireMessage({ role: 'system', text: systemPrompt, isCachePoint: cachesPrompt }), ...messages];
}

/** Marks what later requests repeat, instructions and conversation. Providers cache nothing that is short. */
function withCachePoints(messages: Message[]): Message[] {
	const roles = messages.map(({ role }) => role);
	const instructions = Math.max(roles.lastIndexOf('system'), roles.lastIndexOf('developer'));
	const ends = [instructions, roles.lastIndexOf('user')];
	return messages.map((message, index) =>
		message.role !== 'tool' && ends.includes(index) ? { ...message, isCachePoint: true } : message,
	);
}

function cachedText(text: string): JsonObject {
	return { type: 'text', text, cache_control: { type: 'ephemeral' } };
}

function toWireMessage(message: Message): JsonObject {
	if (message.role === 'tool')
		return { role: message.role, tool_call_id: message.callId, content: message.text };
	const { role, text, attachments = [], toolCalls = [], reasoning = [], isCachePoint = false } = message;
	if (toolCalls.length > 0) {
		const calls = toolCalls.map(({ id, name, arguments: args }) => {
			return { id, type: 'function', function: { name, arguments: args } };
		});
		const own: JsonObject = { role, content: text || null, tool_calls: calls };
		return reasoning.reduce((rest, fields) => ({ ...rest, ...fields }), own);
	}
	// Providers reject a mark on an empty text.
	const isMarked = isCachePoint && text.trim() !== '';
	if (attachments.length === 0) return { role, content: isMarked ? [cachedText(text)] : text };
	const textPart = isMarked ? cachedText(text) : { type: 'text', text };
	const textParts = text === '' ? [] : [textPart];
	return { role, content: [...textParts, ...attachments.map(toWirePart)] };
}

function toWirePart({ kind, source }: Attachment): JsonObject {
	const url = urlOf(source);
	if (kind === 'image') return { type: 'image_url', image_url: { url } };
	if (kind === 'video') return { type: 'video_url', video_url: { url } };
	// The format has no URL for the others; see `attachments`.
	const file = 'url' in source ? { base64: url, mimeType: '', fileName: undefined } : source;
	if (kind === 'audio') return inputAudio(file);
	return { type: 'file', file: compact({ filename: file.fileName, file_data: url }) };
}

function toWireTool({ name, description, parameters, strict }: ToolDefinition): JsonObject {
	const fields = { name, description: description || undefined, parameters, strict: strict || undefined };
	return { type: 'function', function: compact(fields) };
}

function toWireToolChoice(choice: ToolChoice): Json {
	return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.name } };
}

function responseFormat(output: OutputRequest): JsonObject | undefined {
	if (output.kind === 'text') return undefined;
	if (output.kind === 'jsonObject') return { type: 'json_object' };
	const { name, schema, strict } = output;
	return { type: 'json_schema', json_schema: compact({ name, schema, strict }) };
}
