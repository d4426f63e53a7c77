import type { INodeProperties } from 'n8n-workflow';

import { EFFORTS } from '../../gateway/text/formats/fields';

const effortName = (effort: string) =>
	effort === 'xhigh' ? 'Extra High' : effort.charAt(0).toUpperCase() + effort.slice(1);

/** How much the model thinks before it answers. */
export const reasoning: INodeProperties[] = [
	{
		displayName: 'Reasoning Effort',
		name: 'reasoningEffort',
		type: 'options',
		options: EFFORTS.map((effort) => ({ name: effortName(effort), value: effort })),
		default: 'medium',
		description: 'How much the model thinks before it answers. Thoughts are paid for like the answer.',
	},
	{
		displayName: 'Reasoning Summary',
		name: 'reasoningSummary',
		type: 'string',
		default: 'auto',
		placeholder: 'e.g. auto',
		description: 'How detailed a summary of its thoughts the model gives',
	},
	{
		displayName: 'Reasoning Enabled',
		name: 'reasoningEnabled',
		type: 'boolean',
		default: true,
		description: 'Whether the model thinks before it answers',
	},
	{
		displayName: 'Reasoning Max Tokens',
		name: 'reasoningMaxTokens',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 0 },
		default: 1024,
		description: 'The most that the model may think, in tokens',
	},
	{
		displayName: 'Reasoning Exclude',
		name: 'reasoningExclude',
		type: 'boolean',
		default: true,
		description: 'Whether to leave the thoughts out of the answer. They are paid for all the same.',
	},
	{
		displayName: 'Thinking (JSON)',
		name: 'thinking',
		type: 'json',
		default: '{ "type": "adaptive" }',
		description: 'Whether and how the model thinks before it answers, as an object',
	},
];
