/** POST /chat/completions (§4.2). */
import type { FastifyInstance } from 'fastify';
import { authenticate } from '../../auth';
import type { GatewayContext } from '../../context';
import { traceOf } from '../../control/instrument';
import { completeCall } from '../call';
import { sendStream } from '../eventStream';
import { looksLike } from '../looks';
import { readChatRequest } from './request';
import { chatCompletion } from './response';
import { chatDialect, chatEvents } from './stream';

export function chatRoute(app: FastifyInstance, context: GatewayContext): void {
	app.post('/chat/completions', async (request, reply) => {
		const account = authenticate(context, request);
		const chat = readChatRequest(request.body);
		const completed = completeCall(context, request, account, chat.call, 'POST /chat/completions');
		const { answer } = traceOf(request).plan;
		const response = looksLike(chatCompletion(chat, completed), answer.response);
		if (chat.stream) {
			await sendStream(context, request, reply, chatEvents(response, completed.charge), chatDialect);
			return reply;
		}
		completed.charge();
		return response;
	});
}
