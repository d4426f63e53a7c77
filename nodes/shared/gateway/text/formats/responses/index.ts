import { BUILT_IN_TOOLS, type TextFormat } from '../format';
import { optionPaths } from '../options';
import { toBody } from './body';
import { readCompletion, USAGE } from './response';
import { ResponsesStream } from './stream';

/** The responses format: `POST /responses` (§4.1, §2.3, §6.1). */
export const responses: TextFormat = {
	name: 'responses',
	label: 'Responses',
	description: 'Has built-in tools and continues earlier responses; reports the cost',
	path: '/responses',
	headers: {},
	options: optionPaths('responses'),
	cost: {
		limits: ['max_output_tokens'],
		prompts: ['input', 'instructions'],
		texts: 'message input_text output_text summary_text refusal function_call function_call_output'.split(
			' ',
		),
		earlier: ['previous_response_id', 'conversation'],
		described: ['tools', 'text'],
		extras: [
			{ field: 'service_tier', name: 'priority calls', free: ['auto', 'default', 'flex'] },
			BUILT_IN_TOOLS,
		],
	},
	usage: USAGE,
	hasStrictTools: false,
	hasStrictSchema: true,
	hasCachePoints: false,
	attachments: { image: 'url or file', audio: 'file', file: 'url or file' },
	toBody,
	readCompletion,
	createStream: () => new ResponsesStream(),
};
