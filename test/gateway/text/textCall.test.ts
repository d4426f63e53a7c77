import { ApiError } from '../../../nodes/shared/gateway/errors/errors';
import { textFormat } from '../../../nodes/shared/gateway/text/formats';
import { sendFirstTaken, textCall } from '../../../nodes/shared/gateway/text/textCall';

const rejection = (more: Partial<ApiError['details']> = {}) =>
	new ApiError({
		message: 'No',
		description: '',
		outcome: 'rejected',
		status: 400,
		retryable: false,
		...more,
	});

/** Sends the variants, the models of a body, to a gateway that throws these errors first. */
async function send(errors: Error[], variants = ['large', 'small']) {
	const sent: unknown[] = [];
	const left = [...errors];
	const callOf = (model: string) => textCall(textFormat('chat'), { model }, false);
	const outcome = await sendFirstTaken(variants, callOf, async ({ json }) => {
		sent.push(json.model);
		const error = left.shift();
		if (error) throw error;
		return await Promise.resolve('ok');
	}).catch((error: unknown) => error);
	return { outcome, sent };
}

it('sends the first variant', async () =>
	expect(await send([])).toStrictEqual({ outcome: { result: 'ok', variant: 'large' }, sent: ['large'] }));

it('sends the next one after a 400', async () => {
	const { outcome, sent } = await send([rejection()]);
	expect(outcome).toStrictEqual({ result: 'ok', variant: 'small' });
	expect(sent).toStrictEqual(['large', 'small']);
});

it.each([
	['another status', rejection({ status: 422 })],
	['a 400 that may be charged', rejection({ outcome: 'charged' })],
	['a lost response', rejection({ outcome: 'unknown' })],
	['an input that is too long', rejection({ code: 'context_length_exceeded' })],
	['another error', new Error('No')],
])('does not send it again after %s', async (_, error) => {
	const { outcome, sent } = await send([error]);
	expect(outcome).toBe(error);
	expect(sent).toHaveLength(1);
});

it('does not send the same body again', async () => {
	const { sent } = await send([rejection(), rejection()], ['same', 'same', 'other', 'same']);
	expect(sent).toStrictEqual(['same', 'other']);
});

it('throws the first error when all are rejected', async () => {
	const first = rejection();
	expect((await send([first, rejection()])).outcome).toBe(first);
});

it('throws the second error when it is another one', async () => {
	const second = rejection({ status: 503 });
	expect((await send([rejection(), second])).outcome).toBe(second);
});
