import { ApiError } from '../../../nodes/shared/gateway/errors/errors';
import type { TextRequest } from '../../../nodes/shared/gateway/text/formats/request';
import { textFormat } from '../../../nodes/shared/gateway/text/formats';
import { sendFirstTaken, withoutReasoning } from '../../../nodes/shared/gateway/text/reasoning';
import { textBody, textCall } from '../../../nodes/shared/gateway/text/textCall';
import type { JsonObject } from '../../../nodes/shared/gateway/util/json';

const chat = textFormat('chat');
const reasoning = [{ wire: { reasoning: 'Hm' }, callsBefore: 0 }];
const request: TextRequest = {
	model: 'm',
	conversation: {
		kind: 'messages',
		messages: [
			{ role: 'user', text: 'Go' },
			{ role: 'assistant', text: '', toolCalls: [{ id: 'a', name: 'f', arguments: '{}' }], reasoning },
			{ role: 'tool', callId: 'a', text: 'x' },
		],
	},
	tools: [],
	output: { kind: 'text' },
	options: {},
	stream: false,
	keepsReasoning: true,
};
const rejection = (more: Partial<ApiError['details']> = {}) =>
	new ApiError({
		message: 'No',
		description: '',
		outcome: 'rejected',
		status: 400,
		retryable: false,
		...more,
	});

/** Sends the request to a gateway that throws these errors first. */
async function send(errors: Error[], given = request) {
	const bodies: JsonObject[] = [];
	const left = [...errors];
	const toCall = (one: TextRequest) => textCall(chat, textBody(chat, one, {}), false);
	const outcome = await sendFirstTaken([given, withoutReasoning(given)], toCall, async (one) => {
		bodies.push(toCall(one).json);
		const error = left.shift();
		if (error) throw error;
		return await Promise.resolve('ok');
	}).catch((error: unknown) => error);
	return { outcome, bodies };
}

it('sends a request with reasoning', async () => {
	const { outcome, bodies } = await send([]);
	expect(outcome).toStrictEqual({ response: 'ok', index: 0 });
	expect(JSON.stringify(bodies)).toContain('"reasoning":"Hm"');
});

it('sends it without after a 400', async () => {
	const { outcome, bodies } = await send([rejection()]);
	expect(outcome).toStrictEqual({ response: 'ok', index: 1 });
	expect(bodies).toHaveLength(2);
	expect(JSON.stringify(bodies[1])).not.toContain('Hm');
});

it.each([
	['another status', rejection({ status: 422 })],
	['a 400 that may be charged', rejection({ outcome: 'charged' })],
	['a lost response', rejection({ outcome: 'unknown' })],
	['an input that is too long', rejection({ code: 'context_length_exceeded' })],
	['another error', new Error('No')],
])('does not send it again after %s', async (_, error) => {
	const { outcome, bodies } = await send([error]);
	expect(outcome).toBe(error);
	expect(bodies).toHaveLength(1);
});

it('does not send the same request again', async () => {
	const { bodies } = await send([rejection()], withoutReasoning(request));
	expect(bodies).toHaveLength(1);
});

it('throws the first error when both requests are rejected', async () => {
	const first = rejection();
	expect((await send([first, rejection()])).outcome).toBe(first);
});

it('throws the second error when it is another one', async () => {
	const second = rejection({ status: 503 });
	expect((await send([rejection(), second])).outcome).toBe(second);
});

it('leaves messages in the format’s own shape as they are', () => {
	const conversation = { kind: 'wire' as const, messages: [{ role: 'assistant', reasoning: 'Hm' }] };
	expect(withoutReasoning({ ...request, conversation }).conversation).toBe(conversation);
});
