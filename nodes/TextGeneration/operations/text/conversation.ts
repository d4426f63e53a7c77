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
	asText,
	type Json,
	type JsonObject,
} from '../../../shared/gateway/util/json';
import type { FileReference } from '../../../shared/params/kinds';
import type { Location, Values } from '../../../shared/params/parameter';
import type { sourceFields } from './conversationFields';
import type { generateParameters } from './fields';

/** The parameters of a conversation. */
type Params = Values<
	Pick<
		typeof generateParameters,
		'inputMode' | 'systemPrompt' | 'prompt' | 'attachments' | 'messages' | 'messagesJson'
	>
>;
type MessageRow = Params['messages'][number];

/** A file that goes with a message. */
export interface AttachmentRow {
	kind: AttachmentKind;
	/** The index of its message in the conversation. */
	message: number;
	/** In the input item, or its URL. */
	source: FileReference | string;
	at: Location;
	/** Whether it is a file of a preset: a `file` is then a document. */
	isPreset?: boolean;
}

/**
 * Reads the conversation of an item, and the files that go with it.
 *
 * @throws {InvalidInputError} for what cannot be sent, with the name of the parameter
 */
export function readConversation(params: Params): {
	conversation: Conversation;
	attachments: AttachmentRow[];
} {
	if (params.inputMode === 'messages') {
		const { messages } = params;
		return {
			conversation: { kind: 'messages', messages: readMessages(messages) },
			attachments: filesOf(messages),
		};
	}
	const { systemPrompt } = params;
	if (params.inputMode === 'json') {
		const messages = readMessagesJson(params);
		const conversation: Conversation = { kind: 'wire', messages, ...(systemPrompt ? { systemPrompt } : {}) };
		return { conversation, attachments: [] };
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

function readMessages(rows: MessageRow[]): Array<ChatMessage | ToolMessage> {
	if (rows.length === 0) {
		throw new InvalidInputError(
			'There are no messages',
			'Add at least one message with the role User.',
			'messages',
		);
	}
	return rows.map(readMessage);
}

function readMessage({ values, at }: MessageRow): ChatMessage | ToolMessage {
	const { role, content: text } = values;
	// The result of a tool may be empty.
	if (role === 'tool') return { role, callId: values.toolCallId.trim(), text };
	const toolCalls = role === 'assistant' ? readToolCalls(values.toolCallsJson ?? [], at) : [];
	const hasFile = role === 'user' && values.attachment !== 'none';
	if (text.trim() === '' && toolCalls.length === 0 && !hasFile)
		throw at.error("'Content' is empty", EMPTY_MESSAGE);
	const isCachePoint = role !== 'assistant' && values.cache;
	return {
		role,
		text,
		...(toolCalls.length > 0 ? { toolCalls } : {}),
		...(isCachePoint ? { isCachePoint } : {}),
	};
}

const EMPTY_MESSAGE =
	'Enter the content of the message. If an expression fills it, the field it refers to is empty for this item.';

/** Reads tool calls in the shape of the output field `toolCalls`. */
function readToolCalls(list: Json[], at: Location): PriorToolCall[] {
	return list.map((element) => {
		const { id, name, arguments: args = {} } = asObject(element) ?? {};
		const call = { id: asId(id), name: asText(name) };
		if (call.id === undefined || call.name === undefined) {
			throw at.error(
				"'Tool Calls (JSON)' has a tool call without an ID or a name",
				"Each has an ID, a name and arguments, as in the output field 'toolCalls'.",
			);
		}
		return {
			id: call.id,
			name: call.name,
			arguments: typeof args === 'string' ? args : JSON.stringify(args),
		};
	});
}

function readMessagesJson({ messagesJson: value }: Params): JsonObject[] | string {
	// A JSON string is a plain prompt (§4.1 `input`, §4.2 `prompt`).
	if (typeof value === 'string' && value.trim() !== '') return value;
	const elements = asArray(value).map(asObject);
	const messages = elements.filter((message) => message !== undefined);
	if (messages.length === 0 || messages.length < elements.length) {
		throw new InvalidInputError(
			"'Messages (JSON)' is not a list of messages",
			'It looks like [{ "role": "user", "content": "Hello" }] and has at least one message.',
			'messagesJson',
		);
	}
	if (messages.every(({ content }) => content === '')) {
		throw new InvalidInputError(
			"'Messages (JSON)' has no content",
			"Enter the prompt as the 'content' of a message.",
			'messagesJson',
		);
	}
	return messages;
}
