import type { INodeProperties } from 'n8n-workflow';

import { code } from '../markdown';
import { collected, valueLabel } from './conditions';

/** The fields of the API formats (§4.1, 4.2) for which there is no option. A field of an object includes those in it. */
export const FIELDS_WITHOUT_OPTION: Readonly<Record<string, readonly string[]>> = {
	chat: [
		'logit_bias',
		'logprobs',
		'max_completion_tokens',
		'n',
		'parallel_tool_calls',
		'plugins',
		'provider.max_price',
		'reasoning.enabled',
		'top_logprobs',
		'user',
	],
	responses: [
		'conversation',
		'include',
		'metadata',
		'parallel_tool_calls',
		'stream_options',
		'text.format.description',
		'top_logprobs',
	],
};

/** What may be in *Extra Body*, for a panel with options and a choice of the format. */
export function extraBodyFields(
	panel: readonly INodeProperties[],
	options: INodeProperties | undefined,
): string[] {
	const format = panel.find(({ name }) => name === 'format');
	const extraBody = options && collected(options).find(({ name }) => name === 'extraBody');
	if (!format || !extraBody) return [];
	const lists = Object.entries(FIELDS_WITHOUT_OPTION).map(
		([name, fields]) => `- ${valueLabel(format, name)}: ${fields.map(code).join(', ')}`,
	);
	const name = `*${extraBody.displayName}*`;
	return [
		`Fields without an option, for ${name}:`,
		lists.join('\n'),
		`A field of the request that ${name} sets to null is left out. In Chat Completions, \`{ "messages": null, "prompt": "Say hello" }\` sends a prompt in place of messages.`,
	];
}
