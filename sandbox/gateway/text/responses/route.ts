/** POST /responses (§4.1). */
import type { FastifyInstance } from 'fastify';
import type { Account } from '../../accounts';
import { authenticate } from '../../auth';
import type { GatewayContext } from '../../context';
import { ApiError } from '../../errors';
import { completeCall } from '../call';
import { sendStream } from '../eventStream';
import type { ChatMessage } from '../types';
import { readResponsesRequest, type ResponsesRequest } from './request';
import { closeResponse, openResponse, outputItems } from './response';
import { responsesDialect, responsesEvents } from './stream';

export function responsesRoute(app: FastifyInstance, context: GatewayContext): void {
	app.post('/responses', async (request, reply) => {
		const account = authenticate(context, request);
		const read = readResponsesRequest(request.body);
		const messages = continued(context, account, read);
		const call = { ...read.call, messages: [...instructionMessages(read), ...messages] };
		const completed = completeCall(context, request, account, call, 'POST /responses');
		const open = openResponse(read);
		const output = completed.completions.flatMap((completion) => outputItems(read, completion));
		const closed = closeResponse(open, output, completed);
		const completion = plainMessage('assistant', completed.completions[0]?.text ?? '');
		if (read.body.store !== false) {
			const kept = { account: account.name, messages: [...messages, completion] };
			context.responses.set(String(open.id), kept);
		}
		if (read.stream) {
			const events = responsesEvents(open, closed, completed.charge);
			await sendStream(context, request, reply, events, responsesDialect);
			return reply;
		}
		completed.charge();
		return closed;
	});
}

function continued(context: GatewayContext, account: Account, read: ResponsesRequest): ChatMessage[] {
	if (read.previousId === null) return read.call.messages;
	const previous = context.responses.get(read.previousId);
	// §7.3
	if (previous?.account !== account.name)
		throw new ApiError('model_not_found', `Response ${read.previousId} does not exist`);
	return [...previous.messages, ...read.call.messages];
}

function instructionMessages({ instructions }: ResponsesRequest): ChatMessage[] {
	return instructions === null ? [] : [plainMessage('system', instructions)];
}

function plainMessage(role: ChatMessage['role'], text: string): ChatMessage {
	return { role, text, attachmentTokens: 0, attachments: [] };
}
