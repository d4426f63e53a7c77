import type { TextFormat } from '../format';
import { paths, toBody } from './body';
import { readCompletion } from './response';
import { ResponsesStream } from './stream';

/** The responses format: `POST /responses` (§4.1, §2.3, §6.1). */
export const responses: TextFormat = {
	name: 'responses',
	label: 'Responses',
	description: 'OpenAI’s Responses API, with built-in tools and reasoning summaries; reports the cost',
	group: 'text',
	path: '/responses',
	headers: {},
	options: paths,
	hasStrictTools: false,
	hasStrictSchema: true,
	hasCachePoints: false,
	attachments: { image: 'url or file', audio: 'file', file: 'url or file' },
	toBody,
	readCompletion,
	createStream: () => new ResponsesStream(),
};
