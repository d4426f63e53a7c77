import type { INodeProperties } from 'n8n-workflow';

/** What the panel of the trigger asks. */
export const triggerProperties: INodeProperties[] = [
	{
		displayName:
			'Open “Webhook URLs” above and copy the URL into the option “Callback URL” of Gateway Media Task: the production URL for published workflows, the test URL while you try things out. The gateway must be able to reach it.',
		name: 'callbackNotice',
		type: 'notice',
		default: '',
	},
	{
		displayName: 'Events',
		name: 'events',
		type: 'options',
		options: [
			{
				name: 'Both',
				value: 'both',
				action: 'On a media task that has ended',
				description: 'Whatever becomes of the task',
			},
			{
				name: 'Fail',
				value: 'fail',
				action: 'On a media task that has failed',
				description: 'The task has failed',
			},
			{
				name: 'Success',
				value: 'success',
				action: 'On a media task that has succeeded',
				description: 'The result is there',
			},
		],
		default: 'success',
		description: 'Which tasks start the workflow',
	},
	{
		displayName: 'Download Results',
		name: 'downloadResults',
		type: 'boolean',
		default: true,
		description: 'Whether to fetch the generated files into binary fields, besides giving their URLs',
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			{
				displayName: 'Archive the Task',
				name: 'archiveTask',
				type: 'boolean',
				default: true,
				description:
					'Whether to move the task to the archived list of the gateway. Where several n8n processes take calls, this makes sure that only one of them starts the workflow.',
			},
			{
				displayName: 'Include Callback',
				name: 'includeCallback',
				type: 'boolean',
				default: true,
				description: 'Whether to put out the call of the gateway, too: its body, query and headers',
			},
			{
				displayName: 'Put Output File in Field',
				name: 'binaryPropertyName',
				type: 'string',
				default: 'data',
				placeholder: 'e.g. data',
				description: 'Name of the binary field for the result. Further files get _1, _2 … appended.',
			},
		],
	},
];
