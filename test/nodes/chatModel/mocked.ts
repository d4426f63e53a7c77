import type { JsonObject } from '../../../nodes/shared/gateway/util/json';
import { gateway } from '../../helpers/media';
import { supplied } from './supplied';

/** The model with a gateway that responds to one request with `body`, and the requests. The test uses nock. */
export async function modelWith(body: string) {
	const requests: JsonObject[] = [];
	const type = body.startsWith('{') ? 'application/json' : 'text/event-stream';
	gateway()
		.post('/api/v1/chat/completions', (sent: JsonObject) => requests.push(sent) > 0)
		.reply(200, body, { 'content-type': type });
	const options = { temperature: 0.5, extraBody: '{ "user": "me" }' };
	return { ...(await supplied({ options })), requests };
}
