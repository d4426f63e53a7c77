/** POST /responses (§4.1). */
import type { FastifyInstance } from 'fastify';
import type { Account } from '../../accounts';
import { authenticate } from '../../auth';
import type { GatewayContext } from '../../context';
import { answerCall } from '../call';
import { sendStream } from '../eventStream';
import type { ChatMessage } from '../types';
import { readResponsesRequest, type ResponsesRequest } from './request';
import { closeResponse, openResponse, outputItems } from './response';
import { responsesDialect, responsesEvents } from './stream';

export function responsesRoute(app: FastifyInstance, context: GatewayContext): void {
	app.post('/responses', async (request, reply) => {
		const account = authenticate(context, request);
		const read = readResponsesRequest(request.body);
		const turns = continued(context, account, read);
		const call = { ...read.call, turns: [...instructionTurns(read), ...turns] };
		const answered = answerCall(context, request, account, call, 'POST /responses');
		const open = openResponse(read);
		const output = answered.answers.flatMap((answer) => outputItems(read, answer));
		const closed = closeResponse(open, output, answered);
		const answer = plainTurn('assistant', answered.answers[0]?.text ?? '');
		if (read.body.store !== false) {
			context.responses.keep(String(open.id), account.name, [...turns, answer]);
		}
		if (read.stream) {
			const events = responsesEvents(open, closed, answered.charge);
			await sendStream(context, request, reply, events, responsesDialect(open));
			return reply;
		}
		answered.charge();
		return closed;
	});
}

/** The input, after the turns of the previous response if one is named. */
function continued(context: GatewayContext, account: Account, read: ResponsesRequest): ChatMessage[] {
	if (read.previousId === null) return read.call.turns;
	return [...context.responses.turns(read.previousId, account.name), ...read.call.turns];
}

function instructionTurns({ instructions }: ResponsesRequest): ChatMessage[] {
	return instructions === null ? [] : [plainTurn('system', instructions)];
}

function plainTurn(role: ChatMessage['role'], text: string): ChatMessage {
	return { role, text, attachmentTokens: 0, attachments: [] };
}
