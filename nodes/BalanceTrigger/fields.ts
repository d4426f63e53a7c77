import { choice, number } from '../shared/params/kinds';
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
});
