import { binaryFields } from '../../../shared/fields/files';
import { BETWEEN_URLS } from '../../../shared/gateway/util/text';
import { formatsWhere } from '../../../shared/fields/textOptions';
import { rows } from '../../../shared/params/groups';
import { choice, flag, jsonList, several, shownFor, text } from '../../../shared/params/kinds';

const AUDIO = { name: 'Audio', value: 'audio' } as const;
const FILE = { name: 'File', value: 'file', description: 'A document such as a PDF' } as const;
const IMAGE = { name: 'Image', value: 'image' } as const;
const VIDEO = { name: 'Video', value: 'video' } as const;
const KINDS = [AUDIO, FILE, IMAGE, VIDEO] as const;

const url = several(
	text({
		displayName: 'URLs',
		required: true,
		placeholder: 'e.g. https://example.com/image.png',
		description: 'Separate several with commas',
	}),
	BETWEEN_URLS,
);

export const sourceFields = {
	source: choice({
		displayName: 'Source',
		options: [
			{ name: 'Binary Field', value: 'binary', description: 'A file that an earlier node returned' },
			{ name: 'URL', value: 'url', description: 'A web address that can be read without signing in' },
		],
		default: 'binary',
	}),
	...shownFor({ source: ['binary'] }, { binaryPropertyName: binaryFields }),
	...shownFor({ source: ['url'] }, { url }),
};

export const attachments = rows({
	displayName: 'Attachments',
	placeholder: 'Add Attachment',
	typeOptions: { multipleValueButtonText: 'Add Attachment' },
	description: 'Files to send with the prompt. The supported types depend on the API format and the model.',
	forExpressions: "'Input Binary Fields' takes several files in one row, also from an expression.",
	group: 'attachment',
	groupLabel: 'Attachment',
	fields: { type: choice({ displayName: 'Type', options: KINDS, default: 'image' }), ...sourceFields },
});

const role = choice({
	displayName: 'Role',
	options: [
		{ name: 'Assistant', value: 'assistant', description: 'A response of the model' },
		{
			name: 'Developer',
			value: 'developer',
			description: 'Instructions for newer models, instead of System',
		},
		{ name: 'System', value: 'system', description: 'Instructions for the model' },
		{ name: 'Tool', value: 'tool', description: 'The result of a tool that the model called' },
		{ name: 'User', value: 'user', description: 'A message to the model' },
	],
	default: 'user',
});

// Not `required`: n8n would ask for it wherever the role is an expression.
const toolCallId = text({
	displayName: 'Tool Call ID',
	placeholder: 'e.g. call_…',
	description: "The ID of the tool call, from the output field 'toolCalls'",
	whenEmpty: "Enter the ID of the tool call. The output field 'toolCalls' has it.",
});

const toolCallsJson = jsonList({
	displayName: 'Tool Calls (JSON)',
	rows: 3,
	default: '',
	placeholder: 'e.g. {{ $json.toolCalls }}',
	example: '[{ "id": "call_1", "name": "get_weather", "arguments": { "city": "Oslo" } }]',
	description:
		"The tool calls of the model, as in the output field 'toolCalls'. Add their results as messages with the role 'Tool'.",
}).optional();

const attachment = choice({
	displayName: 'Attachment',
	options: [AUDIO, FILE, IMAGE, { name: 'None', value: 'none' }, VIDEO],
	default: 'none',
	description: 'A file to send with the message. The supported types depend on the API format and the model.',
});

const cache = flag({
	displayName: 'Cache',
	default: false,
	description:
		'Whether the provider caches the conversation up to this message, if the model supports it. Requests with the same beginning then cost less.',
}).shownIf(formatsWhere(({ hasCachePoints }) => hasCachePoints));

const fileOfMessage = shownFor({ attachment: KINDS.map(({ value }) => value) }, sourceFields);

export const messages = rows({
	displayName: 'Messages',
	typeOptions: { sortable: true, multipleValueButtonText: 'Add Message' },
	placeholder: 'Add Message',
	default: { message: [{ role: 'user', content: '' }] },
	required: true,
	description: 'The conversation so far, oldest message first',
	forExpressions: "The 'Input Mode' 'Messages (JSON)' takes an expression.",
	group: 'message',
	groupLabel: 'Message',
	fields: {
		role,
		// May be empty if there is a file or tool calls.
		content: text({ displayName: 'Content', rows: 3, placeholder: 'e.g. What can I cook with leeks?' }),
		...shownFor({ role: ['tool'] }, { toolCallId }),
		...shownFor({ role: ['assistant'] }, { toolCallsJson }),
		...shownFor({ role: ['user'] }, { attachment, ...fileOfMessage }),
		...shownFor({ role: ['developer', 'system', 'user'] }, { cache }),
	},
});
