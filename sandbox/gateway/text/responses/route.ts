/** POST /responses (§4.1). */
import type { FastifyInstance } from 'fastify';
import type { Account } from '../../accounts';
import { authenticate } from '../../auth';
import type { GatewayContext } from '../../context';
import { traceOf } from '../../control/instrument';
import { ApiError } from '../../errors';
import { completeCall } from '../call';
import { sendStream } from '../eventStream';
import { looksLike } from '../looks';
import type { JsonObject } from '../../jsonSchema';
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
		const { answer } = traceOf(request).plan;
		const closed = withLooks(closeResponse(open, output, completed), answer.response);
		const completion = plainMessage('assistant', completed.completions[0]?.text ?? '');
		if (read.body.store !== false) {
			const kept = { account: account.name, messages: [...messages, completion] };
			context.responses.set(String(closed.id), kept);
		}
		if (read.stream) {
			const end = withLooks(closed, answer.closing);
			const started = { ...open, id: closed.id, model: closed.model };
			const charge = isCharged(end) ? completed.charge : () => undefined;
			const events = responsesEvents(started, closed, end, charge);
			await sendStream(context, request, reply, events, responsesDialect);
			return reply;
		}
		if (isCharged(closed)) completed.charge();
		return closed;
	});
}

/** §3.3: the charge is applied when a response is complete. */
function isCharged({ status }: JsonObject): boolean {
	return status === 'completed' || status === 'incomplete';
}

/** A status that is not charged takes the usage away, unless the rule gives one. */
function withLooks(response: JsonObject, looks: JsonObject = {}): JsonObject {
	const isOpen = looks.status !== undefined && !isCharged(looks);
	return looksLike({ ...response, ...(isOpen && { completed_at: null, usage: null }) }, looks);
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
