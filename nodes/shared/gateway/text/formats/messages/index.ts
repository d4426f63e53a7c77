import type { TextFormat } from '../format';
import { paths, toBody } from './body';
import { readCompletion } from './response';
import { MessagesStream } from './stream';
import { VERSION } from './version';

/** The messages format: `POST /messages` (§4.3, §2.5, §6.3). It reports no cost. */
export const messages: TextFormat = {
	name: 'messages',
	label: 'Messages',
	description: 'Has thinking and fewer options; the cost is computed from your prices',
	group: 'messages',
	path: '/messages',
	headers: VERSION,
	options: paths,
	hasStrictTools: false,
	hasStrictSchema: false,
	hasCachePoints: false,
	attachments: { image: 'url or file', file: 'url or file' },
	toBody,
	readCompletion,
	createStream: (output) => new MessagesStream(output),
};
