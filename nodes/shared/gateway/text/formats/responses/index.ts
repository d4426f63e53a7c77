import { asArray, asObject, compact, type Json, type JsonObject } from '../../../util/json';
import { unlessEmpty } from '../completion';
import { BUILT_IN_TOOLS, type TextFormat } from '../format';
import { withReasoning } from '../reasoning';
import {
	inputAudio,
	urlOf,
	withJsonWord,
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
import { ResponsesStream } from './stream';

const EARLIER = ['previous_response_id', 'conversation'];

const REASONING = ['reasoning', 'reasoning_text', 'summary_text'];

const CALLS = ['function_call', 'function_call_output'];

/** The responses format: `POST /responses` (§4.1, §2.3, §6.1). */
export const responses: TextFormat = {
	name: 'responses',
	label: 'Responses',
	description: 'Has built-in tools and continues earlier responses; reports the cost',
	endpoint: 'responses',
	path: '/responses',
	headers: {},
	cost: {
		limits: ['max_output_tokens'],
		prompts: ['input', 'instructions', ...EARLIER],
		texts: ['message', 'input_text', 'output_text', 'refusal', ...REASONING, ...CALLS],
		earlier: EARLIER,
		described: ['tools', 'text'],
		extras: [
			{ field: 'service_tier', name: 'priority calls', free: ['auto', 'default', 'flex'] },
			BUILT_IN_TOOLS,
		],
	},
	usage: USAGE,
	hasStrictSchema: true,
	attachments: { image: 'url or file', audio: 'file', file: 'url or file' },
	toBody,
	readCompletion,
	createStream: () => new ResponsesStream(),
};

/** §4.1: has reasoning items come with the content that can be sent back. */
const ENCRYPTED_REASONING = 'reasoning.encrypted_content';

function toBody(request: TextRequest): JsonObject {
	const { conversation, toolChoice, output, keepsReasoning } = request;
	const { tools: builtIn, ...fields } = request.fields;
	const tools = [...request.tools.map(toWireTool), ...asArray(builtIn)];
	const sendsReasoning = keepsReasoning && asObject(fields.reasoning)?.effort !== 'none';
	const withoutTools = { ...request, fields };
	return wireBody(withoutTools, {
		...content(conversation, output),
		tools: unlessEmpty(tools),
		tool_choice: toolChoice && toWireToolChoice(toolChoice),
		text: jsonFormat(output),
		include: sendsReasoning ? [ENCRYPTED_REASONING] : undefined,
	});
}

function content(conversation: Conversation, output: OutputRequest): JsonObject {
	if (conversation.kind === 'wire')
		return { instructions: conversation.systemPrompt || undefined, input: conversation.messages };
	const { messages } = conversation;
	const [first, ...rest] = messages;
	// A leading system message becomes `instructions`, which replace no input (§4.1); later ones stay where they are.
	const leads = first?.role === 'system' && rest.length > 0;
	// Vendors look for the word in the input only.
	const input = withJsonWord(leads ? rest : messages, output);
	const instructions = (leads && first.text) || undefined;
	const [only] = input;
	if (only && input.length === 1 && only.role === 'user' && !only.attachments?.length) {
		return { instructions, input: only.text };
	}
	return { instructions, input: input.flatMap(toWireMessage) };
}

function toWireMessage(message: Message): JsonObject[] {
	if (message.role === 'tool')
		return [{ type: 'function_call_output', call_id: message.callId, output: message.text }];
	const { role, text, attachments = [], toolCalls = [], reasoning = [] } = message;
	const calls = toolCalls.map(({ id, name, arguments: args }) => {
		return { type: 'function_call', call_id: id, name, arguments: args };
	});
	if (attachments.length === 0) {
		const said = text === '' && calls.length > 0 ? [] : [{ role, content: text }];
		return withReasoning(reasoning, said, calls);
	}
	const textParts = text === '' ? [] : [{ type: 'input_text', text }];
	return [{ role, content: [...textParts, ...attachments.map(toWirePart)] }, ...calls];
}

/** §4.1 shows no parts: these are from the official clients of this format. */
function toWirePart({ kind, source }: Attachment): JsonObject {
	if (kind === 'image') return { type: 'input_image', image_url: urlOf(source) };
	if ('url' in source) return { type: 'input_file', file_url: source.url };
	if (kind === 'audio') return inputAudio(source);
	return { type: 'input_file', filename: source.fileName, file_data: urlOf(source) };
}

function toWireTool({ name, description, parameters }: ToolDefinition): JsonObject {
	return compact({ type: 'function', name, description: description || undefined, parameters });
}

function toWireToolChoice(choice: ToolChoice): Json {
	return typeof choice === 'string' ? choice : { type: 'function', name: choice.name };
}

function jsonFormat(output: OutputRequest): JsonObject | undefined {
	if (output.kind === 'text') return undefined;
	if (output.kind === 'jsonObject') return { format: { type: 'json_object' } };
	const { name, schema, strict } = output;
	return { format: compact({ type: 'json_schema', name, schema, strict }) };
}
