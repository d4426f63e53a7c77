import { asArray, type Json, type JsonObject } from '../../../util/json';
import { deepMerge, wireOptions } from '../fields';
import {
	audioFormat,
	dataUrl,
	type Attachment,
	type Conversation,
	type OutputRequest,
	type TextRequest,
	type ToolChoice,
	type ToolDefinition,
	type ToolTurn,
	type Turn,
} from '../request';
import { noUserMessage } from '../conversation';
import { fields } from './fields';

/** The body of `POST /responses` (§4.1). */
export function toBody(request: TextRequest): JsonObject {
	const { model, conversation, toolChoice, output, options, stream } = request;
	// Options of the stream mean nothing without one.
	const { builtInTools, streamOptions, ...others } = options;
	const tools = [...request.tools.map(wireTool), ...asArray(builtInTools)];
	const body: JsonObject = {
		model,
		...content(conversation),
		...(stream ? { stream } : {}),
		...(tools.length > 0 ? { tools } : {}),
		...(toolChoice === undefined ? {} : { tool_choice: wireToolChoice(toolChoice) }),
		...textFormat(output),
	};
	return deepMerge(body, wireOptions(fields, { ...others, ...(stream ? { streamOptions } : {}) }));
}

function content(conversation: Conversation): JsonObject {
	if (conversation.kind === 'wire') {
		const { systemPrompt, messages } = conversation;
		return { ...(systemPrompt ? { instructions: systemPrompt } : {}), input: messages };
	}
	const { turns } = conversation;
	const [first, ...rest] = turns;
	// A leading system turn is what `instructions` are for; later ones keep their place.
	const leads = first?.role === 'system';
	const said = leads ? rest : turns;
	const instructions = leads && first.text !== '' ? { instructions: first.text } : {};
	if (said.length === 0) throw noUserMessage('Responses');
	const [only] = said;
	if (only && said.length === 1 && only.role === 'user' && !only.attachments?.length) {
		return { ...instructions, input: only.text };
	}
	return { ...instructions, input: said.flatMap(wireTurn) };
}

/** Calls of tools and their results are items of their own. */
function wireTurn(turn: Turn | ToolTurn): JsonObject[] {
	if (turn.role === 'tool') {
		return [{ type: 'function_call_output', call_id: turn.callId, output: turn.text }];
	}
	const { role, text, attachments = [], toolCalls = [] } = turn;
	const calls = toolCalls.map(({ id, name, arguments: args }) => {
		return { type: 'function_call', call_id: id, name, arguments: args };
	});
	if (attachments.length === 0) {
		return text === '' && calls.length > 0 ? calls : [{ role, content: text }, ...calls];
	}
	const said = text === '' ? [] : [{ type: 'input_text', text }];
	return [{ role, content: [...said, ...attachments.map(wirePart)] }, ...calls];
}

/** §4.1 shows no parts; these are those of the official clients of this format. */
function wirePart({ kind, source }: Attachment): JsonObject {
	if (kind === 'image') {
		return { type: 'input_image', image_url: 'url' in source ? source.url : dataUrl(source) };
	}
	if ('url' in source) return { type: 'input_file', file_url: source.url };
	if (kind === 'audio') {
		return {
			type: 'input_audio',
			input_audio: { data: source.base64, format: audioFormat(source.mimeType) },
		};
	}
	return { type: 'input_file', filename: source.fileName, file_data: dataUrl(source) };
}

function wireTool({ name, description, parameters }: ToolDefinition): JsonObject {
	return { type: 'function', name, ...(description ? { description } : {}), parameters };
}

function wireToolChoice(choice: ToolChoice): Json {
	return typeof choice === 'string' ? choice : { type: 'function', name: choice.name };
}

function textFormat(output: OutputRequest): JsonObject {
	if (output.kind === 'text') return {};
	if (output.kind === 'jsonObject') return { text: { format: { type: 'json_object' } } };
	const { name, schema, description, strict } = output;
	return {
		text: {
			format: {
				type: 'json_schema',
				name,
				...(description ? { description } : {}),
				schema,
				...(strict === undefined ? {} : { strict }),
			},
		},
	};
}
