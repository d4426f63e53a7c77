import { withOwnAdvice } from '../../../nodes/ChatModel/advice';
import { failureFromAnswer } from '../../../nodes/shared/gateway/errors';

const refusal = (group: 'text' | 'messages', error: object, status = 429) =>
	failureFromAnswer({ group, status, body: JSON.stringify({ error }), now: 0 });

test.each([
	['requests a minute', refusal('text', { code: 'rate_limit_exceeded', message: 'slow down' })],
	['tokens a minute', refusal('text', { code: 'token_limit_exceeded', message: 'slow down' })],
	['the Messages format', refusal('messages', { type: 'rate_limit_error', message: 'slow down' })],
	['a body without a code', refusal('text', {})],
])('a limit of %s: the advice names what there is, not an option of other nodes', (_, failure) => {
	expect(failure.details.description).toContain('Concurrency');
	const advised = withOwnAdvice(failure);
	expect(advised).toMatchObject({
		message: failure.message,
		details: {
			description: expect.stringMatching(/Lower ["']Batch Size["'] of the agent or chain/) as string,
		},
	});
	expect(JSON.stringify(advised)).not.toContain('Concurrency');
});

it('another error comes back as it is', () => {
	const failure = refusal('text', { code: 'internal_error' }, 500);
	expect(withOwnAdvice(failure)).toBe(failure);
});
