import { kindOfType } from '../../../util/fileType';
import { asObject, asObjects, compact, parseJson, type JsonObject } from '../../../util/json';
import { unlessEmpty } from '../completion';
import { addDelta } from '../deltas';
import { BUILT_IN_TOOLS, DEFAULT_MAX_TOKENS, type TextFormat } from '../format';
import { withReasoning } from '../reasoning';
import {
	wireBody,
	type Attachment,
	type Conversation,
	type Message,
	type OutputRequest,
	type TextRequest,
	type ToolChoice,
	type ToolDefinition,
} from '../request';
import { readCompletion, USAGE } from './response';
import { MessagesStream } from './stream';

/** The messages format: `POST /messages` (§4.3, §2.5, §6.3). It reports no cost. */
export const messages: TextFormat = {
	name: 'messages',
	label: 'Messages',
	description: 'Has thinking and fewer options; the cost is computed from your prices',
	endpoint: 'messages',
	path: '/messages',
	// §4.3, §9: the version of the format, and its documented value.
	headers: { 'anthropic-version': '2023-06-01' },
	cost: {
		limits: ['max_tokens'],
		prompts: ['messages', 'system'],
		texts: ['text', 'thinking', 'redacted_thinking', 'tool_use', 'tool_result', 'ephemeral'],
		earlier: [],
		described: ['tools'],
		extras: [BUILT_IN_TOOLS],
	},
	usage: USAGE,
	hasJsonTool: true,
	attachments: { image: 'url or file', file: 'url or file' },
	takesDocument,
	toBody,
	readCompletion,
	createStream: (output) => new MessagesStream(output),
};

type JsonOutput = Exclude<OutputRequest, { kind: 'text' }>;

function toBody(request: TextRequest): JsonObject {
	const { conversation, output, fields } = request;
	return wireBody(request, {
		...content(conversation),
		max_tokens: fields.max_tokens ?? DEFAULT_MAX_TOKENS,
		...(output.kind === 'text' ? toolFields(request) : jsonFields(request, output)),
	});
}

/** System texts go into a field of their own; the messages are only those of user and assistant. */
function content(conversation: Conversation): JsonObject {
	if (conversation.kind === 'wire')
		return { system: conversation.systemPrompt || undefined, messages: conversation.messages };
	const isSystem = ({ role }: Message) => role === 'system' || role === 'developer';
	const system = conversation.messages.filter(isSystem).map(({ text }) => text);
	const others = conversation.messages.filter((message) => !isSystem(message));
	const messages: JsonObject[] = [];
	for (const message of others.flatMap(toWireMessage)) {
		const last = messages.at(-1);
		// The results of tools that were called together are one message.
		if (last && isToolResult(last) && isToolResult(message))
			addDelta(last, { content: asObjects(message.content) }, NO_FIELDS);
		else messages.push(message);
	}
	return { system: system.join('\n\n') || undefined, messages };
}

const NO_FIELDS: ReadonlySet<string> = new Set();

function isToolResult({ content }: JsonObject): boolean {
	return asObjects(content)[0]?.type === 'tool_result';
}

/** No message for empty text, which models of this format reject. */
function toWireMessage(message: Message): JsonObject[] {
	if (message.role === 'tool') {
		const { callId, text } = message;
		return [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: callId, content: text }] }];
	}
	const { role, text, attachments = [], toolCalls = [], reasoning = [] } = message;
	const isEmpty = text.trim() === '';
	if (attachments.length === 0 && toolCalls.length === 0) return isEmpty ? [] : [{ role, content: text }];
	const calls = toolCalls.map(({ id, name, arguments: args }) => {
		return { type: 'tool_use', id, name, input: asObject(parseJson(args)) ?? {} };
	});
	const textParts = isEmpty ? [] : [{ type: 'text', text }];
	// Attachments come before the prompt, as the vendor of this format recommends.
	const content = [...attachments.map(toWirePart), ...textParts];
	return [{ role, content: withReasoning(reasoning, content, calls) }];
}

function takesDocument(mimeType: string): boolean {
	const kind = kindOfType(mimeType);
	return kind === 'pdf' || kind === 'text';
}

/** §4.3 shows no parts: these are from the official client of this format. */
function toWirePart({ kind, source }: Attachment): JsonObject {
	const type = kind === 'image' ? 'image' : 'document';
	if ('url' in source) return { type, source: { type: 'url', url: source.url } };
	const { mimeType, base64, fileName } = source;
	const whole = { type: 'base64', media_type: mimeType, data: base64 };
	if (kind === 'image') return { type, source: whole };
	if (kindOfType(mimeType) !== 'text') return { type, source: whole, title: fileName };
	const data = Buffer.from(base64, 'base64')
		.toString()
		.replace(/^\uFEFF/, '');
	return { type, source: { type: 'text', media_type: 'text/plain', data }, title: fileName };
}

function toolFields({ tools, toolChoice, fields }: TextRequest): JsonObject {
	return {
		tools: unlessEmpty(tools.map(toWireTool)),
		tool_choice: toolChoice && allowedChoice(toWireToolChoice(toolChoice), fields),
	};
}

/** A choice of tools that the model takes: models that think reject a tool that they must call. */
function allowedChoice(choice: JsonObject, { thinking }: JsonObject): JsonObject {
	const thinks = (asObject(thinking)?.type ?? 'disabled') !== 'disabled';
	return thinks && choice.type !== 'none' ? { type: 'auto' } : choice;
}

/** JSON output is the arguments of a tool that the model must call: there is no other way to request it. */
function jsonFields({ tools, toolChoice, fields }: TextRequest, output: JsonOutput): JsonObject {
	const mayCallOthers = tools.length > 0 && toolChoice !== 'none';
	const either = mayCallOthers ? { type: 'any' } : { type: 'tool', name: output.name };
	const forced = typeof toolChoice === 'object' ? toWireToolChoice(toolChoice) : either;
	const jsonTool = {
		name: output.name,
		description: 'Gives the answer as JSON. Always answer by calling it.',
		input_schema: { type: 'object', ...(output.kind === 'jsonSchema' ? output.schema : {}) },
	};
	return { tools: [...tools.map(toWireTool), jsonTool], tool_choice: allowedChoice(forced, fields) };
}

function toWireTool({ name, description, parameters }: ToolDefinition): JsonObject {
	return compact({ name, description: description || undefined, input_schema: parameters });
}

function toWireToolChoice(choice: ToolChoice): JsonObject {
	if (typeof choice === 'string') return { type: choice === 'required' ? 'any' : choice };
	return { type: 'tool', name: choice.name };
}
