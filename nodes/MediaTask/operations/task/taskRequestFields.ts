import type { INodeProperties } from 'n8n-workflow';

import { inputProperties, modelField } from '../input';
import { inputFilesField } from '../inputFiles';

/** Parameters of every operation that creates a task. */
export const taskRequestFields: INodeProperties[] = [
	modelField,
	...inputProperties('mapMediaInput'),
	inputFilesField,
];

/** Options of every operation that creates a task. */
export const taskRequestOptions: INodeProperties[] = [
	{
		displayName: 'Callback URL',
		name: 'callbackUrl',
		type: 'string',
		default: '',
		placeholder: 'e.g. https://n8n.example.com/webhook/…',
		description: 'An address that the gateway calls when the task has ended',
		hint: "To start a workflow, copy the production URL under 'Webhook URLs' from the panel of a Gateway Media Task Trigger",
	},
	{
		displayName: 'Idempotency Key',
		name: 'idempotencyKey',
		type: 'string',
		default: '',
		placeholder: 'e.g. order-{{ $json.orderId }}',
		description:
			"Your own key for this creation, up to 255 characters. The same key always gives the same task and is charged once. Overrides 'Idempotency Scope'.",
	},
	{
		displayName: 'Idempotency Scope',
		name: 'idempotencyScope',
		type: 'options',
		options: [
			{
				name: 'Execution',
				value: 'execution',
				description:
					'Retries within one execution create and charge once; a new execution creates a new task',
			},
			{
				name: 'Workflow',
				value: 'workflow',
				description: 'The same input in this node is never paid twice, also when the workflow runs again',
			},
		],
		default: 'execution',
		description: "What counts as the same creation, which is charged once. Defaults to 'Execution'.",
	},
	{
		displayName: 'Max Price (Rubles)',
		name: 'maxPriceRub',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 2 },
		default: 100,
		description:
			'The most that a task may cost. When its price in the catalogue is higher, or cannot be told, nothing is uploaded or created and the item fails. 0 creates only what is free.',
	},
	{
		displayName: 'Session ID',
		name: 'sessionId',
		type: 'string',
		default: '',
		placeholder: 'e.g. 7c9e6679-7425-40de-944b-e07fc1f90ae7',
		description: 'The ID of the media session to which the task belongs',
	},
];
