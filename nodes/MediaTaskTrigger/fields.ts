import type { INodeProperties } from 'n8n-workflow';

import { binaryPropertyOption, downloadField } from '../shared/fields/mediaResults';

/** What the panel of the trigger asks. */
export const triggerProperties: INodeProperties[] = [
	{
		displayName:
			"Open 'Webhook URLs' above and copy the production URL (for tests, the test URL) into the option 'Callback URL' of Gateway Media Task. The gateway must be able to reach it.",
		name: 'callbackNotice',
		type: 'notice',
		default: '',
	},
	{
		displayName: 'Trigger On',
		name: 'events',
		type: 'options',
		options: [
			{
				name: 'Task Ended',
				value: 'both',
				action: 'On media task ended',
				description: 'With or without a result',
			},
			{
				name: 'Task Failed',
				value: 'fail',
				action: 'On media task failed',
				description: 'It has ended without a result',
			},
			{
				name: 'Task Succeeded',
				value: 'success',
				action: 'On media task succeeded',
				description: 'It has ended, and its result is there',
			},
		],
		default: 'success',
	},
	downloadField,
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
					'Whether to move the task to the archived list. Where several n8n processes take calls, this makes sure that only one of them starts the workflow.',
			},
			{
				displayName: 'Include Callback',
				name: 'includeCallback',
				type: 'boolean',
				default: true,
				description:
					"Whether to add the gateway’s call to the output: its body, query and headers, in the field 'callback'",
			},
			binaryPropertyOption,
		],
	},
];
