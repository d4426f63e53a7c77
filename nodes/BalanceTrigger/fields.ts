import { choice, integer, number } from '../shared/params/kinds';

export const parameters = {
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
				name: 'Runs Out Soon',
				value: 'daysLeft',
				action: 'On balance running out soon',
				description: 'Once when the balance will last fewer days at the pace of the last week',
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
		description: 'The workflow starts when the balance is below this amount',
	}).shownIf({ fireOn: ['below'] }),
	days: integer({
		displayName: 'Days',
		min: 1,
		default: 3,
		required: true,
		description:
			'The workflow starts when the balance will last less than this. How long it lasts is known after a day of polls.',
	}).shownIf({ fireOn: ['daysLeft'] }),
};
