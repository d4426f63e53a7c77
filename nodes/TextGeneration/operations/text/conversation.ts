import { InvalidInputError } from '../../../shared/gateway/errors/errors';
import type {
	AttachmentKind,
	ChatMessage,
	Conversation,
	PriorToolCall,
	ToolMessage,
} from '../../../shared/gateway/text/formats/request';
import {
	asArray,
	asId,
	asObject,
	asObjects,
	asText,
	type Json,
	type JsonObject,
} from '../../../shared/gateway/util/json';
import type { FileReference } from '../../../shared/params/kinds';
import type { Location, Values } from '../../../shared/params/parameter';
import type { sourceFields } from './conversationFields';
import type { generateParameters } from './fields';

type Params = Values<typeof generateParameters>;
type MessageRow = Params['messages'][number];

/** A file that goes with a message. */
export interface AttachmentRow {
	kind: AttachmentKind;
	/** The index of its message in the conversation. */
	message: number;
	/** In the input item, or its URL. */
	source: FileReference | string;
	at: Location;
}

/** The conversation of an item, and the files that go with it. */
export function readConversation(params: Params): {
	conversation: Conversation;
	attachments: AttachmentRow[];
} {
	if (params.inputMode === 'messages') {
		const messages = params.messages.map(readMessage);
		return { conversation: { kind: 'messages', messages }, attachments: filesOf(params.messages) };
	}
	const { systemPrompt } = params;
	if (params.inputMode === 'json') {
		const messages = readMessagesJson(params);
		return { conversation: { kind: 'wire', messages, systemPrompt }, attachments: [] };
	}
	const system: ChatMessage[] = systemPrompt ? [{ role: 'system', text: systemPrompt }] : [];
	const attachments = params.attachments.map(({ values, at }) => {
		return { kind: values.type, message: system.length, source: sourceOf(values), at };
	});
	const messages: ChatMessage[] = [...system, { role: 'user', text: params.prompt }];
	return { conversation: { kind: 'messages', messages }, attachments };
}

function filesOf(rows: MessageRow[]): AttachmentRow[] {
	return rows.flatMap(({ values, at }, message) => {
		const kind = values.role === 'user' ? values.attachment : 'none';
		return kind === 'none' ? [] : [{ kind, message, source: sourceOf(values), at }];
	});
}

function sourceOf({ source, url, binaryPropertyName }: Values<typeof sourceFields>): AttachmentRow['source'] {
	return source === 'url' ? url : binaryPropertyName;
}

function readMessage({ values, at }: MessageRow): ChatMessage | ToolMessage {
	const { role, content: text } = values;
	// The result of a tool may be empty.
	if (role === 'tool') return { role, callId: values.toolCallId.trim(), text };
	const toolCalls = role === 'assistant' ? readToolCalls(values.toolCallsJson ?? []) : [];
	const hasFile = role === 'user' && values.attachment !== 'none';
	if (text.trim() === '' && toolCalls.length === 0 && !hasFile)
		throw at.error(
			"'Content' is empty",
			'If an expression fills it, the field it refers to is empty for this item.',
		);
	const isCachePoint = role !== 'assistant' && values.cache;
	return { role, text, toolCalls, isCachePoint };
}

/** Reads tool calls in the shape of the output field `toolCalls`. */
function readToolCalls(list: Json[]): PriorToolCall[] {
	return list.map((element) => {
		const { id, name, arguments: args = {} } = asObject(element) ?? {};
		const text = typeof args === 'string' ? args : JSON.stringify(args);
		return { id: asId(id) ?? '', name: asText(name) ?? '', arguments: text };
	});
}

function readMessagesJson({ messagesJson: value }: Params): JsonObject[] | string {
	// A JSON string is a plain prompt (§4.1 `input`, §4.2 `prompt`).
	if (typeof value === 'string' && value.trim() !== '') return value;
	const messages = asObjects(value);
	const isList = messages.length === asArray(value).length;
	if (isList && messages.some(({ content }) => content !== '')) return messages;
	throw new InvalidInputError(
		"'Messages (JSON)' is not a list of messages with content",
		'It looks like [{ "role": "user", "content": "Hello" }], with the prompt as the content of a message.',
		'messagesJson',
	);
}
