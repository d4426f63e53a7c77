import { InvalidInput } from '../../../errors/errors';
import type { Json, JsonObject } from '../../../util/json';
import { wireOptions } from '../fields';
import {
	audioFormat,
	dataUrl,
	type Attachment,
	type Conversation,
	type MadeToolCall,
	type OutputRequest,
	type TextRequest,
	type ToolChoice,
	type ToolDefinition,
	type ToolTurn,
	type Turn,
} from '../request';
import { fields } from './fields';

/** The body of `POST /chat/completions` (§4.2). */
export function toBody(request: TextRequest): JsonObject {
	const { model, conversation, tools, toolChoice, output, options, stream } = request;
	return {
		model,
		...content(conversation),
		...(stream ? { stream } : {}),
		...(tools.length > 0 ? { tools: tools.map(wireTool) } : {}),
		...(toolChoice === undefined ? {} : { tool_choice: wireToolChoice(toolChoice) }),
		...responseFormat(output),
		...wireOptions(fields, options),
	};
}

/** §4.2: content comes from `messages`, or from `prompt`, a plain string. */
function content(conversation: Conversation): JsonObject {
	if (conversation.kind === 'turns') return { messages: conversation.turns.map(wireTurn) };
	const { systemPrompt, messages } = conversation;
	const system: JsonObject[] = systemPrompt ? [{ role: 'system', content: systemPrompt }] : [];
	if (typeof messages !== 'string') return { messages: [...system, ...messages] };
	return system.length > 0
		? { messages: [...system, { role: 'user', content: messages }] }
		: { prompt: messages };
}

function wireTurn(turn: Turn | ToolTurn): JsonObject {
	if (turn.role === 'tool') return { role: turn.role, tool_call_id: turn.callId, content: turn.text };
	const { role, text, attachments = [], toolCalls = [] } = turn;
	if (toolCalls.length > 0) return { role, content: text || null, tool_calls: toolCalls.map(wireMadeCall) };
	if (attachments.length === 0) return { role, content: text };
	const said = text === '' ? [] : [{ type: 'text', text }];
	return { role, content: [...said, ...attachments.map(wirePart)] };
}

function wireMadeCall({ id, name, arguments: args }: MadeToolCall): JsonObject {
	return { id, type: 'function', function: { name, arguments: args } };
}

function wirePart({ kind, source }: Attachment): JsonObject {
	const isLinked = 'url' in source;
	const url = isLinked ? source.url : dataUrl(source);
	if (kind === 'image') return { type: 'image_url', image_url: { url } };
	if (kind === 'video') return { type: 'video_url', video_url: { url } };
	if (isLinked) throw notLinked();
	if (kind === 'file') return { type: 'file', file: { filename: source.fileName, file_data: url } };
	return {
		type: 'input_audio',
		input_audio: { data: source.base64, format: audioFormat(source.mimeType) },
	};
}

function notLinked(): InvalidInput {
	return new InvalidInput(
		'The address of a sound or a file cannot be sent',
		'The API format Chat Completions takes them as files alone. Nothing was sent.',
	);
}

function wireTool({ name, description, parameters, strict }: ToolDefinition): JsonObject {
	return {
		type: 'function',
		function: {
			name,
			...(description ? { description } : {}),
			parameters,
			...(strict ? { strict } : {}),
		},
	};
}

function wireToolChoice(choice: ToolChoice): Json {
	return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.name } };
}

function responseFormat(output: OutputRequest): JsonObject {
	if (output.kind === 'text') return {};
	if (output.kind === 'jsonObject') return { response_format: { type: 'json_object' } };
	const { name, schema, description, strict } = output;
	return {
		response_format: {
			type: 'json_schema',
			json_schema: {
				name,
				...(description ? { description } : {}),
				schema,
				...(strict === undefined ? {} : { strict }),
			},
		},
	};
}
