import type { ItemContext } from '../../../shared/run/operation';
import type { Row } from '../../../shared/params/rows';
import { readModelId } from '../../../shared/fields/models';
import { readTextOptions } from '../../../shared/fields/textOptions';
import { readExtraBody, readFormat } from '../../../shared/fields/textRequest';
import { InvalidInputError } from '../../../shared/gateway/errors/errors';
import type { TextFormat } from '../../../shared/gateway/text/formats/format';
import {
	ROLES,
	type Conversation,
	type OutputRequest,
	type TextRequest,
	type ToolChoice,
	type ToolDefinition,
	type ChatMessage,
} from '../../../shared/gateway/text/formats/request';
import { asArray, asObject, type JsonObject } from '../../../shared/gateway/util/json';

/** What an item asks for, its attachments not yet looked at. */
export interface GenerateParameters {
	format: TextFormat;
	request: TextRequest;
	/** Rows of the attachments to the prompt. */
	attachments: Row[];
	/** Merged into the body last. */
	extraBody: JsonObject;
	simplify: boolean;
}

const INPUT_MODES = ['simple', 'messages', 'json'] as const;
const OUTPUT_FORMATS = ['text', 'jsonObject', 'jsonSchema'] as const;

/** The name of an answer for which the user needs none; a format may need one to ask for JSON. */
const JSON_ANSWER_NAME = 'answer';

/**
 * Reads what an item asks for.
 *
 * @throws {InvalidInputError} for what cannot be sent, naming the parameter
 */
export function readParameters(item: ItemContext): GenerateParameters {
	const { parameters } = item;
	const format = readFormat(parameters);
	const mode = parameters.choice('inputMode', 'Input Mode', INPUT_MODES);
	const tools = readTools(parameters.rows('tools', 'Tools'));
	const options = readTextOptions(parameters.options, format);
	const hasTools = tools.length > 0 || asArray(options.builtInTools).length > 0;
	return {
		format,
		request: {
			model: readModelId(parameters),
			conversation: readConversation(item, mode),
			tools,
			toolChoice: readToolChoice(item, tools, hasTools),
			output: readOutput(item),
			options,
			stream: readStream(item),
		},
		attachments: mode === 'simple' ? parameters.rows('attachments', 'Attachments') : [],
		extraBody: readExtraBody(parameters, "Use the option 'Stream' instead."),
		simplify: parameters.flag('simplify', 'Simplify'),
	};
}

function readConversation(item: ItemContext, mode: (typeof INPUT_MODES)[number]): Conversation {
	const { parameters } = item;
	if (mode === 'messages') return { kind: 'messages', messages: readChatMessages(item) };
	const systemPrompt = parameters.text('systemPrompt', 'System Prompt');
	if (mode === 'json') {
		return { kind: 'wire', messages: readMessages(item), ...(systemPrompt ? { systemPrompt } : {}) };
	}
	const prompt = parameters.requiredText(
		'prompt',
		'Prompt',
		'Enter what the model is asked. If an expression fills it, the field it refers to is empty for this item.',
	);
	const system: ChatMessage[] = systemPrompt ? [{ role: 'system', text: systemPrompt }] : [];
	return { kind: 'messages', messages: [...system, { role: 'user', text: prompt }] };
}

function readChatMessages({ parameters }: ItemContext): ChatMessage[] {
	const rows = parameters.rows('messages', 'Messages');
	if (rows.length === 0) {
		throw new InvalidInputError(
			'There are no messages',
			'Add at least one message of the user. Nothing was sent.',
			'messages',
		);
	}
	return rows.map((row) => {
		const text = row.text('content', 'Content');
		if (text.trim() === '') {
			throw row.invalid(
				'the message is empty',
				'Enter its content. If an expression fills it, the field it refers to is empty for this item.',
			);
		}
		return { role: row.choice('role', 'Role', ROLES), text };
	});
}

function readMessages({ parameters }: ItemContext): JsonObject[] | string {
	const example = '[{ "role": "user", "content": "Hello" }]';
	const value = parameters.json('messagesJson', 'Messages (JSON)', example);
	// A JSON string stands for a plain prompt (§4.1 `input`, §4.2 `prompt`).
	if (typeof value === 'string' && value.trim() !== '') return value;
	const messages = asArray(value).map(asObject);
	const assembled = messages.filter((message) => message !== undefined);
	if (assembled.length > 0 && assembled.length === messages.length) {
		if (assembled.every(({ content }) => content === '')) {
			throw new InvalidInputError(
				"'Messages (JSON)' has no content",
				"Enter what the model is asked as the 'content' of a message. Nothing was sent.",
				'messagesJson',
			);
		}
		return assembled;
	}
	throw new InvalidInputError(
		"'Messages (JSON)' is not a list of messages",
		`It looks like ${example} and has at least one message. Nothing was sent.`,
		'messagesJson',
	);
}

function readOutput({ parameters }: ItemContext): OutputRequest {
	const kind = parameters.choice('outputFormat', 'Output Format', OUTPUT_FORMATS);
	if (kind === 'text') return { kind };
	if (kind === 'jsonObject') return { kind, name: JSON_ANSWER_NAME };
	const name = parameters.requiredId(
		'schemaName',
		'Schema Name',
		'Enter a name for the answer, such as invoice.',
	);
	const example = '{ "type": "object", "properties": { "title": { "type": "string" } } }';
	const schema = asObject(parameters.json('jsonSchema', 'JSON Schema', example));
	if (!schema) {
		throw new InvalidInputError(
			"'JSON Schema' is not an object",
			`It looks like ${example}. Nothing was sent.`,
			'jsonSchema',
		);
	}
	return {
		kind,
		name,
		schema,
		description: parameters.options.optionalText('schemaDescription', 'Schema Description'),
		strict: parameters.options.boolean('schemaStrict', 'Schema Strict'),
	};
}

function readTools(rows: Row[]): ToolDefinition[] {
	const names = new Set<string>();
	return rows.map((row) => {
		const tool = readTool(row);
		if (names.has(tool.name)) {
			throw row.invalid(`there already is a tool called "${tool.name}"`, 'Give each tool a name of its own.');
		}
		names.add(tool.name);
		return tool;
	});
}

function readTool(row: Row): ToolDefinition {
	const name = row.text('name', 'Name').trim();
	if (name === '') throw row.invalid('the tool has no name', 'Enter its name, such as get_weather.');
	return {
		name,
		description: row.text('description', 'Description') || undefined,
		parameters: row.object('parameters', 'Parameters (JSON Schema)') ?? { type: 'object', properties: {} },
		strict: row.flag('strict', 'Strict') || undefined,
	};
}

function readToolChoice(
	{ parameters }: ItemContext,
	tools: ToolDefinition[],
	hasTools: boolean,
): ToolChoice | undefined {
	const choice = parameters.text('toolChoice', 'Tool Choice') || 'auto';
	if (choice === 'auto' || (!hasTools && choice !== 'function')) return undefined;
	if (choice === 'none' || choice === 'required') return choice;
	// An expression may name the tool right away.
	const name = choice === 'function' ? parameters.text('toolChoiceName', 'Tool to Call').trim() : choice;
	if (tools.some((tool) => tool.name === name)) return { name };
	throw new InvalidInputError(
		name === '' ? "'Tool to Call' is empty" : `There is no tool called "${name}"`,
		`Choose one of the tools of this node: ${tools.map((tool) => tool.name).join(', ') || 'there are none'}. Nothing was sent.`,
		choice === 'function' ? 'toolChoiceName' : 'toolChoice',
	);
}

/** As the user says; else as the workflow does. As an agent's tool the node has nobody to stream to. */
function readStream({ parameters, run }: ItemContext): boolean {
	return parameters.options.boolean('stream', 'Stream') ?? run.chunkWriter !== undefined;
}
