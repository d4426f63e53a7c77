import type { INodeProperties } from 'n8n-workflow';

/** What the gateway keeps of the call, and what the call goes on from. */
export const state: INodeProperties[] = [
	{
		displayName: 'Truncation',
		name: 'truncation',
		type: 'options',
		options: [
			{ name: 'Auto', value: 'auto', description: 'The middle of an input that is too long is left out' },
			{ name: 'Disabled', value: 'disabled', description: 'An input that is too long is refused' },
		],
		default: 'auto',
		description: 'What happens to an input that is longer than the model can read',
	},
	{
		displayName: 'Store',
		name: 'store',
		type: 'boolean',
		default: true,
		description: 'Whether the gateway keeps the answer, so that a later call can go on from it',
	},
	{
		displayName: 'Background',
		name: 'background',
		type: 'boolean',
		default: false,
		description:
			'Whether the gateway answers at once and works on, at your cost. The output then has only the ID and the state, and the gateway shows no way to fetch the answer afterwards.',
	},
	{
		displayName: 'Previous Response ID',
		name: 'previousResponseId',
		type: 'string',
		default: '',
		placeholder: 'e.g. resp_…',
		description: 'The ID of an earlier answer of the API format Responses, to continue that conversation',
	},
	{
		displayName: 'Conversation (JSON)',
		name: 'conversation',
		type: 'json',
		default: '{ "id": "" }',
		description: "The conversation that the call belongs to, as an object, instead of 'Previous Response ID'",
	},
	{
		displayName: 'Metadata (JSON)',
		name: 'metadata',
		type: 'json',
		default: '{}',
		description: 'Names and values of your own that are kept with the answer',
	},
	{
		displayName: 'Stream Options (JSON)',
		name: 'streamOptions',
		type: 'json',
		default: '{}',
		description: 'Options of the stream, sent when the answer is streamed',
	},
	{
		displayName: 'User',
		name: 'user',
		type: 'string',
		default: '',
		placeholder: 'e.g. customer-42',
		description: 'Your own name or ID of the person on whose behalf the call is made',
	},
];
