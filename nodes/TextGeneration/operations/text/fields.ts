import type { INodeProperties } from 'n8n-workflow';

import { simplifyField } from '../../../shared/fields/common';
import { formatField, textModelField } from '../../../shared/fields/textRequest';
import { outputFields, toolFields } from './outputFields';

/** Shown when the input is given in one of these ways. */
function inInputMode(modes: string[], property: INodeProperties): INodeProperties {
	return { ...property, displayOptions: { show: { inputMode: modes } } };
}

const inputModeField: INodeProperties = {
	displayName: 'Input Mode',
	name: 'inputMode',
	type: 'options',
	options: [
		{ name: 'Messages', value: 'messages', description: 'A conversation, message by message' },
		{
			name: 'Messages (JSON)',
			value: 'json',
			description: 'A conversation in the shape of the chosen API format, for everything that it can do',
		},
		{ name: 'Prompt', value: 'simple', description: 'One prompt, with a system prompt and files if need be' },
	],
	default: 'simple',
	description: 'How to say what the model is asked',
};

const promptFields: INodeProperties[] = [
	inInputMode(['simple', 'json'], {
		displayName: 'System Prompt',
		name: 'systemPrompt',
		type: 'string',
		typeOptions: { rows: 3 },
		default: '',
		placeholder: 'e.g. You write short, friendly product texts.',
		description: 'What the model is to be and how it is to answer, for every prompt alike',
	}),
	inInputMode(['simple'], {
		displayName: 'Prompt',
		name: 'prompt',
		type: 'string',
		typeOptions: { rows: 5 },
		default: '',
		required: true,
		placeholder: 'e.g. Describe this product in three sentences: {{ $json.name }}',
		description: 'What you ask the model',
	}),
];

const attachmentsField = inInputMode(['simple'], {
	displayName: 'Attachments',
	name: 'attachments',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Attachment' },
	placeholder: 'Add Attachment',
	default: {},
	description:
		'Files that go with the prompt, as far as the model understands them. The API format Responses takes no videos, Messages neither videos nor audio.',
	options: [
		{
			displayName: 'Attachment',
			name: 'attachment',
			values: [
				{
					displayName: 'Type',
					name: 'type',
					type: 'options',
					options: [
						{ name: 'Audio', value: 'audio' },
						{ name: 'File', value: 'file', description: 'A document such as a PDF' },
						{ name: 'Image', value: 'image' },
						{ name: 'Video', value: 'video' },
					],
					default: 'image',
				},
				{
					displayName: 'Source',
					name: 'source',
					type: 'options',
					options: [
						{ name: 'Binary Field', value: 'binary', description: 'A file that an earlier node put out' },
						{ name: 'URL', value: 'url', description: 'A web address that can be read without signing in' },
					],
					default: 'binary',
				},
				{
					displayName: 'Input Binary Field',
					name: 'binaryPropertyName',
					type: 'string',
					default: 'data',
					required: true,
					placeholder: 'e.g. data',
					description: 'The name of the input binary field containing the file',
					displayOptions: { show: { source: ['binary'] } },
				},
				{
					displayName: 'URL',
					name: 'url',
					type: 'string',
					default: '',
					required: true,
					placeholder: 'e.g. https://example.com/image.png',
					displayOptions: { show: { source: ['url'] } },
				},
			],
		},
	],
});

const messagesField = inInputMode(['messages'], {
	displayName: 'Messages',
	name: 'messages',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true, sortable: true, multipleValueButtonText: 'Add Message' },
	placeholder: 'Add Message',
	default: { message: [{ role: 'user', content: '' }] },
	required: true,
	description: 'The conversation so far, oldest message first',
	options: [
		{
			displayName: 'Message',
			name: 'message',
			values: [
				{
					displayName: 'Role',
					name: 'role',
					type: 'options',
					options: [
						{ name: 'Assistant', value: 'assistant', description: 'What the model said' },
						{ name: 'Developer', value: 'developer', description: 'Instructions, as newer models call them' },
						{ name: 'System', value: 'system', description: 'What the model is to be and how to answer' },
						{ name: 'User', value: 'user', description: 'What is said to the model' },
					],
					default: 'user',
				},
				{
					displayName: 'Content',
					name: 'content',
					type: 'string',
					typeOptions: { rows: 3 },
					default: '',
					required: true,
					placeholder: 'e.g. What can I cook with leeks?',
				},
			],
		},
	],
});

const messagesJsonField = inInputMode(['json'], {
	displayName: 'Messages (JSON)',
	name: 'messagesJson',
	type: 'json',
	typeOptions: { rows: 6 },
	default: '[\n  { "role": "user", "content": "" }\n]',
	required: true,
	description:
		'The messages as the chosen API format writes them, as a list. A text from another node goes in through JSON.stringify(…), without quotes around it.',
});

/** The parameters of text: generate, in the order of the panel. */
export const generateFields: INodeProperties[] = [
	textModelField,
	formatField,
	inputModeField,
	...promptFields,
	attachmentsField,
	messagesField,
	messagesJsonField,
	...outputFields,
	...toolFields,
	simplifyField,
];
