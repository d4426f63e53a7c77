import { type ErrorText, UNKNOWN_MODEL } from '../../../errors/texts';
import { BUILT_IN_TOOLS, type TextFormat } from '../format';
import { optionPaths } from '../options';
import { otherFile, toBody } from './body';
import { readCompletion, USAGE } from './response';
import { MessagesStream } from './stream';

const INVALID: ErrorText = {
	message: 'The gateway did not accept the request',
	description:
		'In the API format Messages, this status can mean invalid parameters, an input that is too long or an empty wallet. Read the gateway’s message, and check the parameters and the balance.',
};

/** The messages format: `POST /messages` (§4.3, §2.5, §6.3). It reports no cost. */
export const messages: TextFormat = {
	name: 'messages',
	label: 'Messages',
	description: 'Has thinking and fewer options; the cost is computed from your prices',
	texts: { 400: INVALID, 404: UNKNOWN_MODEL, 409: INVALID, 410: INVALID, 422: INVALID },
	path: '/messages',
	// §4.3, §9: the version of the format, and its documented value.
	headers: { 'anthropic-version': '2023-06-01' },
	options: optionPaths('messages'),
	cost: {
		limits: ['max_tokens'],
		prompts: ['messages', 'system'],
		texts: ['text', 'thinking', 'tool_use', 'tool_result', 'ephemeral'],
		cacheMark: 'cache_control',
		earlier: [],
		described: ['tools'],
		extras: [BUILT_IN_TOOLS],
	},
	usage: USAGE,
	hasStrictTools: false,
	hasStrictSchema: false,
	hasCachePoints: false,
	attachments: { image: 'url or file', file: 'url or file' },
	otherFile,
	toBody,
	readCompletion,
	createStream: (output) => new MessagesStream(output),
};
