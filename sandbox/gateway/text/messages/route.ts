/** POST /messages (§4.3). */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { authenticate } from '../../auth';
import type { GatewayContext } from '../../context';
import { traceOf } from '../../control/instrument';
import { ApiError } from '../../errors';
import { completeCall } from '../call';
import { sendStream } from '../eventStream';
import { looksLike } from '../looks';
import { readMessagesRequest } from './request';
import { messageEvents, messageObject, messagesDialect } from './response';

export function messagesRoute(app: FastifyInstance, context: GatewayContext): void {
	app.post('/messages', async (request, reply) => {
		const account = authenticate(context, request);
		checkVersion(request);
		const { call, stream } = readMessagesRequest(request.body);
		const completed = completeCall(context, request, account, call, 'POST /messages');
		const { answer } = traceOf(request).plan;
		const message = looksLike(messageObject(completed), answer.response);
		if (stream) {
			const second = answer.next && looksLike({ ...messageObject(completed), content: [] }, answer.next);
			const events = messageEvents([message, ...(second ? [second] : [])], completed.charge);
			await sendStream(context, request, reply, events, messagesDialect);
			return reply;
		}
		completed.charge();
		return message;
	});
}

/** §9: a `<vendor>-version` header with a date; the vendor's name is not shown. */
function checkVersion(request: FastifyRequest): void {
	const versions = Object.entries(request.headers).filter(([name]) => /^[a-z][a-z0-9]*-version$/.test(name));
	if (versions.some(([, value]) => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value))) return;
	throw new ApiError('invalid_request', 'A <vendor>-version header with a date is required');
}
