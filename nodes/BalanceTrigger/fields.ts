import type { INodeProperties } from 'n8n-workflow';

/** What the panel of the trigger asks, besides how often it polls. */
export const triggerProperties: INodeProperties[] = [
	{
		// The node creator lists the choices of a trigger whose field has this name.
		displayName: 'Trigger On',
		name: 'fireOn',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'Change',
				value: 'change',
				action: 'On balance change',
				description: 'Whenever the balance is another than at the poll before',
			},
			{
				name: 'Every Poll Below',
				value: 'everyPoll',
				action: 'On every poll below threshold',
				description: 'At every poll that finds the balance below the threshold',
			},
			{
				name: 'Falling Below',
				value: 'below',
				action: 'On balance falling below threshold',
				description: 'Once when the balance falls below the threshold, and again after it has risen',
			},
		],
		default: 'below',
	},
	{
		displayName: 'Threshold (Rubles)',
		name: 'threshold',
		type: 'number',
		typeOptions: { numberPrecision: 2 },
		default: 100,
		required: true,
		displayOptions: { hide: { fireOn: ['change'] } },
		description: 'The workflow starts when less than this is left',
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		displayOptions: { show: { fireOn: ['below'] } },
		options: [
			{
				displayName: 'Margin (Rubles)',
				name: 'margin',
				type: 'number',
				typeOptions: { minValue: 0, numberPrecision: 2 },
				default: 10,
				description:
					'How far above the threshold the balance must rise before the workflow can start again: small ups and downs send no alerts. Without this option, rising to the threshold is enough.',
			},
		],
	},
];
