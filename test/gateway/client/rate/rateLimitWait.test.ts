import { StoppedError } from '../../../../nodes/shared/gateway/errors/errors';
import { connectionError } from '../../../../nodes/shared/gateway/errors/fromResponse';
import { RateGate } from '../../../../nodes/shared/gateway/client/rate/rateGate';
import {
	RateLimitWait,
	type RateLimitSettings,
} from '../../../../nodes/shared/gateway/client/rate/rateLimitWait';
import { apiErrorOf, rejection } from '../../../helpers/client';
import { refusal, VirtualClock } from '../../../helpers/limitedAccount';

// The waits of one request.

function setUp() {
	const clock = new VirtualClock();
	const gate = new RateGate({ now: clock.now, sleep: clock.sleep, random: () => 0.5 });
	const newWait = (settings: RateLimitSettings = {}) => new RateLimitWait(settings, { gate, now: clock.now });
	return { clock, newWait };
}

const refuse = async (): Promise<never> => await Promise.reject(refusal());

it('a request that is refused again and again lets those pass that came later, after four refusals', async () => {
	const { clock, newWait } = setUp();
	const sent: string[] = [];
	// More tokens than are left, until another request has passed.
	const large = newWait();
	const sendLarge = async () => {
		sent.push('large');
		await (sent.includes('small') ? Promise.resolve() : refuse());
	};
	await apiErrorOf(large.attempt(sendLarge));
	await clock.run(clock.sleep(10));
	const small = newWait().attempt(async () => await Promise.resolve(sent.push('small')));
	for (let count = 0; count < 3; count += 1) await clock.run(apiErrorOf(large.attempt(sendLarge)));
	await clock.run(Promise.all([large.attempt(sendLarge), small]));
	expect(sent).toStrictEqual(['large', 'large', 'large', 'large', 'small', 'large']);
});

it.each([
	['a lost response', connectionError({ kind: 'lost' }, { charged: false })],
	['the end of its execution', new StoppedError('cancelled')],
])('%s tells nothing: the next request is sent at once', async (_, error) => {
	const { clock, newWait } = setUp();
	await apiErrorOf(newWait().attempt(refuse));
	const failed = newWait().attempt(async () => await Promise.reject(error));
	expect(await clock.run(rejection(failed))).toBe(error);
	const begin = clock.now();
	await clock.run(newWait().attempt(async () => await Promise.resolve()));
	expect(clock.now()).toBe(begin);
});

it('a request whose wait is over does not wait again', async () => {
	const { clock, newWait } = setUp();
	const wait = newWait({ rateLimitWaitMs: 500 });
	expect(wait.mayWait(await apiErrorOf(wait.attempt(refuse)))).toBe(true);
	const send = jest.fn(refuse);
	const error = await clock.run(apiErrorOf(wait.attempt(send)));
	expect([wait.mayWait(error), send.mock.calls]).toStrictEqual([false, []]);
});

it('a request that was not refused does not wait', () => {
	expect(setUp().newWait().mayWait(refusal())).toBe(false);
});

it.each([
	[9_999, true],
	[10_000, false],
])('a wait of 10 s continues if the gateway asks for %d ms: %s', async (retryAfterMs, isAllowed) => {
	const wait = setUp().newWait({ rateLimitWaitMs: 10_000 });
	const error = await apiErrorOf(
		wait.attempt(async () => await Promise.reject<never>(refusal(retryAfterMs))),
	);
	expect(wait.mayWait(error)).toBe(isAllowed);
});
