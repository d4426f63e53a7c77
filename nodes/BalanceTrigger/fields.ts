import { collection } from '../shared/params/groups';
import { choice, number, optional } from '../shared/params/kinds';
import { declare } from '../shared/params/parameter';

export const parameters = declare({
	// The node creator lists the options of the field with this label.
	fireOn: choice({
		displayName: 'Trigger On',
		noDataExpression: true,
		options: [
			{
				name: 'Falls Below',
				value: 'below',
				action: 'On balance falling below threshold',
				description: 'Once when the balance falls below the threshold, and again after it has risen',
			},
			{
				name: 'Changes',
				value: 'change',
				action: 'On balance change',
				description: 'Whenever the balance has changed since the last poll',
			},
			{
				name: 'Is Below',
				value: 'everyPoll',
				action: 'On every poll below threshold',
				description: 'At every poll that finds the balance below the threshold',
			},
		],
		default: 'below',
	}),
	threshold: number({
		displayName: 'Threshold (₽)',
		decimals: 2,
		default: 100,
		required: true,
		displayOptions: { hide: { fireOn: ['change'] } },
		description: 'The workflow starts when the balance is below this amount',
	}),
	options: collection(
		{
			margin: optional(
				number({
					displayName: 'Margin (₽)',
					min: 0,
					decimals: 2,
					default: 10,
					description:
						'How far above the threshold the balance must rise before the workflow can start again, so that small changes send no alerts. Without this option, reaching the threshold is enough.',
				}),
			),
		},
		{ displayOptions: { show: { fireOn: ['below'] } } },
	),
});
