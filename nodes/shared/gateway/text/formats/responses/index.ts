import type { TextFormat } from '../format';
import { paths, toBody } from './body';
import { readCompletion } from './response';
import { ResponsesStream } from './stream';

/** The responses format: `POST /responses` (§4.1, §2.3, §6.1). */
export const responses: TextFormat = {
	name: 'responses',
	label: 'Responses',
	description: 'Has built-in tools and continues earlier responses; reports the cost',
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
