import type { INodeProperties } from 'n8n-workflow';

import { inputProperties, modelField } from '../input';
import { inputFilesField } from '../inputFiles';

/** Parameters of every operation that creates a task. */
export const orderFields: INodeProperties[] = [
	modelField,
	...inputProperties('mapMediaInput'),
	inputFilesField,
];

/** Options of every operation that creates a task. */
export const orderOptions: INodeProperties[] = [
	{
		displayName: 'Callback URL',
		name: 'callbackUrl',
		type: 'string',
		default: '',
		placeholder: 'e.g. https://n8n.example.com/webhook/…',
		description: 'An address that the gateway calls when the task has ended',
		hint: 'To start a workflow, copy it from the panel of a Gateway Media Task Trigger: “Webhook URLs”, “Production URL”',
	},
	{
		displayName: 'Idempotency Key',
		name: 'idempotencyKey',
		type: 'string',
		default: '',
		placeholder: 'e.g. order-{{ $json.orderId }}',
		description:
			'Your own key for this creation, up to 255 characters. The same key always gives the same task and is charged once. Overrides the scope.',
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
		description: 'What counts as the same creation, which is charged once',
	},
	{
		displayName: 'Max Price (Rubles)',
		name: 'maxPriceRub',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 2 },
		default: 0,
		description:
			'What a task may cost. The price is looked up in the catalogue first; when it is higher, or cannot be told, nothing is uploaded or created and the item is an error.',
	},
	{
		displayName: 'Session ID',
		name: 'sessionId',
		type: 'string',
		default: '',
		description: 'The media session to which the task belongs',
	},
];
