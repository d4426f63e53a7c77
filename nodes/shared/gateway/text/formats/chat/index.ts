import { BUILT_IN_TOOLS, type TextFormat } from '../format';
import { optionPaths } from '../options';
import { toBody } from './body';
import { readCompletion, USAGE } from './response';
import { ChatStream } from './stream';

/** The chat format: `POST /chat/completions` (§4.2, §2.4, §6.2). */
export const chat: TextFormat = {
	name: 'chat',
	label: 'Chat Completions',
	description: 'Has most options and kinds of attachments; reports the cost',
	path: '/chat/completions',
	headers: {},
	options: optionPaths('chat'),
	cost: {
		limits: ['max_tokens', 'max_completion_tokens'],
		prompts: ['messages', 'prompt'],
		texts: ['text', 'function', 'ephemeral'],
		cacheMark: 'cache_control',
		earlier: ['audio'],
		described: ['tools', 'response_format'],
		extras: [
			{ field: 'plugins', name: 'plugins' },
			{ field: 'modalities', name: 'images and audio in the response', free: ['text'] },
			{ field: 'web_search_options', name: 'web searches' },
			BUILT_IN_TOOLS,
		],
	},
	usage: USAGE,
	hasStrictTools: true,
	hasStrictSchema: true,
	hasCachePoints: true,
	attachments: { image: 'url or file', audio: 'file', video: 'url or file', file: 'file' },
	toBody,
	readCompletion,
	createStream: () => new ChatStream(),
};
