import { asArray, deepMerge, type Json, type JsonObject } from '../../../util/json';
import { optionPaths, wireOptions } from '../options';
import {
	audioFormat,
	dataUrl,
	withReasoning,
	type Attachment,
	type Conversation,
	type OutputRequest,
	type TextRequest,
	type ToolChoice,
	type ToolDefinition,
	type ToolMessage,
	type ChatMessage,
} from '../request';

/** The paths of the options that this format has. */
export const paths = optionPaths('responses');

/** §4.1: has reasoning items come with the content that can be sent back. */
const ENCRYPTED_REASONING = 'reasoning.encrypted_content';

/** The body of `POST /responses` (§4.1). */
export function toBody(request: TextRequest): JsonObject {
	const { model, conversation, toolChoice, output, options, stream, keepsReasoning } = request;
	const { builtInTools, ...others } = options;
	const tools = [...request.tools.map(toWireTool), ...asArray(builtInTools)];
	const body: JsonObject = {
		model,
		...content(conversation),
		...(stream ? { stream } : {}),
		...(tools.length > 0 ? { tools } : {}),
		...(toolChoice === undefined ? {} : { tool_choice: toWireToolChoice(toolChoice) }),
		...textFormat(output),
		...(keepsReasoning && options.reasoningEffort !== 'none' ? { include: [ENCRYPTED_REASONING] } : {}),
	};
	return deepMerge(body, wireOptions(paths, others));
}

function content(conversation: Conversation): JsonObject {
	if (conversation.kind === 'wire') {
		const { systemPrompt, messages } = conversation;
		return { ...(systemPrompt ? { instructions: systemPrompt } : {}), input: messages };
	}
	const { messages } = conversation;
	const [first, ...rest] = messages;
	// A leading system message becomes `instructions`; later ones keep their place.
	const leads = first?.role === 'system';
	const input = leads ? rest : messages;
	const instructions = leads && first.text !== '' ? { instructions: first.text } : {};
	const [only] = input;
	if (only && input.length === 1 && only.role === 'user' && !only.attachments?.length) {
		return { ...instructions, input: only.text };
	}
	return { ...instructions, input: input.flatMap(toWireMessage) };
}

/** Tool calls and their results are items of their own. */
function toWireMessage(message: ChatMessage | ToolMessage): JsonObject[] {
	if (message.role === 'tool') {
		return [{ type: 'function_call_output', call_id: message.callId, output: message.text }];
	}
	const { role, text, attachments = [], toolCalls = [], reasoning = [] } = message;
	const calls = toolCalls.map(({ id, name, arguments: args }) => {
		return { type: 'function_call', call_id: id, name, arguments: args };
	});
	if (attachments.length === 0) {
		const said = text === '' && calls.length > 0 ? [] : [{ role, content: text }];
		return withReasoning(said, calls, reasoning);
	}
	const textParts = text === '' ? [] : [{ type: 'input_text', text }];
	return [{ role, content: [...textParts, ...attachments.map(toWirePart)] }, ...calls];
}

/** §4.1 shows no parts: these are from the official clients of this format. */
function toWirePart({ kind, source }: Attachment): JsonObject {
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

function toWireTool({ name, description, parameters }: ToolDefinition): JsonObject {
	return { type: 'function', name, ...(description ? { description } : {}), parameters };
}

function toWireToolChoice(choice: ToolChoice): Json {
	if (typeof choice === 'string') return choice;
	return 'builtIn' in choice ? { type: choice.builtIn } : { type: 'function', name: choice.name };
}

function textFormat(output: OutputRequest): JsonObject {
	if (output.kind === 'text') return {};
	if (output.kind === 'jsonObject') return { text: { format: { type: 'json_object' } } };
	const { name, schema, strict } = output;
	return {
		text: {
			format: {
				type: 'json_schema',
				name,
				schema,
				...(strict === undefined ? {} : { strict }),
			},
		},
	};
}
