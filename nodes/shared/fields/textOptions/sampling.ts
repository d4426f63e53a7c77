import type { INodeProperties } from 'n8n-workflow';

/** How the model chooses its words, and how many. */
export const sampling: INodeProperties[] = [
	{
		displayName: 'Max Tokens',
		name: 'maxTokens',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: 1024,
		description:
			'The longest answer, in tokens. Also limits what a call can cost. In the API format Messages it defaults to 4096.',
	},
	{
		displayName: 'Max Completion Tokens',
		name: 'maxCompletionTokens',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: 1024,
		description:
			"The longest answer including the model’s thoughts, in tokens. An alternative to 'Max Tokens'.",
	},
	{
		displayName: 'Temperature',
		name: 'temperature',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 2, numberPrecision: 2 },
		default: 1,
		description: 'How freely the model chooses its words: low for facts, high for ideas',
	},
	{
		displayName: 'Top P',
		name: 'topP',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 1, numberPrecision: 2 },
		default: 1,
		description: 'Only the most likely words that together have this probability are considered',
	},
	{
		displayName: 'Top K',
		name: 'topK',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 0 },
		default: 40,
		description: 'Only so many of the most likely words are considered',
	},
	{
		displayName: 'Frequency Penalty',
		name: 'frequencyPenalty',
		type: 'number',
		typeOptions: { minValue: -2, maxValue: 2, numberPrecision: 2 },
		default: 0,
		description: 'Above 0, words become less likely the more often they have been used',
	},
	{
		displayName: 'Presence Penalty',
		name: 'presencePenalty',
		type: 'number',
		typeOptions: { minValue: -2, maxValue: 2, numberPrecision: 2 },
		default: 0,
		description: 'Above 0, words that have been used once become less likely: the model turns to new topics',
	},
	{
		displayName: 'Stop Sequences',
		name: 'stop',
		type: 'string',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Sequence' },
		default: [],
		placeholder: 'e.g. END',
		description: 'The answer ends before any of these texts',
	},
	{
		displayName: 'Seed',
		name: 'seed',
		type: 'number',
		typeOptions: { numberPrecision: 0 },
		default: 1,
		description: 'The same seed with the same input gives the same answer, as far as the model can',
	},
	{
		displayName: 'Number of Answers',
		name: 'n',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: 2,
		description: 'How many answers to get. Each becomes an item of its own; the cost stands with the first.',
	},
	{
		displayName: 'Log Probabilities',
		name: 'logprobs',
		type: 'boolean',
		default: true,
		description:
			"Whether to get the probability of each token. It is in the raw output: turn 'Simplify' off.",
	},
	{
		displayName: 'Top Log Probabilities',
		name: 'topLogprobs',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 0 },
		default: 3,
		description:
			"For how many alternatives to each token to get the probability. They are in the raw output: turn 'Simplify' off.",
	},
	{
		displayName: 'Logit Bias (JSON)',
		name: 'logitBias',
		type: 'json',
		default: '{}',
		description:
			'How much more (above 0) or less (below 0) likely tokens are to become, as an object of token IDs and numbers',
	},
];
