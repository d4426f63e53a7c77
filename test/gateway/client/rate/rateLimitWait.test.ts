import { ApiError, StoppedError } from '../../../../nodes/shared/gateway/errors/errors';
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
	const dependencies = { now: clock.now, pause: clock.sleep, random: () => 0 };
	const newWait = (settings: RateLimitSettings = {}) =>
		new RateLimitWait(gate, { usesTokens: true, ...settings }, dependencies);
	return { clock, gate, newWait };
}

const refuse = async (): Promise<never> => await Promise.reject(refusal());

it('after a refusal, another request is tried first, if one waits', async () => {
	const { clock, newWait } = setUp();
	const sent: string[] = [];
	const [refused, other] = [newWait(), newWait()];
	await apiErrorOf(refused.attempt(refuse));
	const send = (name: string) => async () => await Promise.resolve(sent.push(name));
	await clock.run(Promise.all([refused.attempt(send('refused')), other.attempt(send('other'))]));
	expect(sent).toStrictEqual(['other', 'refused']);
});

it.each([
	[1, ['other 0', 'refused', 'other 1']],
	[2, ['other 0', 'other 1', 'other 2', 'refused']],
])('after %d refusals, some others are taken first', async (refusals, order) => {
	const { clock, newWait } = setUp();
	const sent: string[] = [];
	const send = (name: string) => async () => await Promise.resolve(sent.push(name));
	const refused = newWait();
	for (let count = 0; count < refusals; count += 1) await clock.run(apiErrorOf(refused.attempt(refuse)));
	const again = refused.attempt(send('refused'));
	await clock.run(clock.sleep(10));
	const others = Array.from({ length: order.length - 1 }, async (_, index) => {
		await newWait().attempt(send(`other ${index}`));
	});
	await clock.run(Promise.all([again, ...others]));
	expect(sent).toStrictEqual(order);
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

it('a refused request whose time is half over keeps its place', async () => {
	const { clock, newWait } = setUp();
	const sent: string[] = [];
	const refused = newWait({ rateLimitWaitMs: 10_000 });
	const refuseFor = async () => await Promise.reject<never>(refusal(2_000));
	for (let count = 0; count < 4; count += 1) await clock.run(apiErrorOf(refused.attempt(refuseFor)));
	const again = refused.attempt(async () => await Promise.resolve(sent.push('refused')));
	await clock.run(clock.sleep(10));
	const other = newWait().attempt(async () => await Promise.resolve(sent.push('other')));
	await clock.run(Promise.all([again, other]));
	expect(sent).toStrictEqual(['refused', 'other']);
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

it.each([
	['others go on beside a text', true],
	['others wait with a request that uses no tokens', false],
])('after another refusal, %s', async (_, usesTokens) => {
	const { clock, gate, newWait } = setUp();
	const take = async () => await newWait({ usesTokens }).attempt(async () => await Promise.resolve());
	await take();
	const refused = newWait({ usesTokens });
	await apiErrorOf(refused.attempt(refuse));
	await clock.run(clock.sleep(1_500));
	await clock.run(Promise.all([take(), take(), take()]));
	await clock.run(clock.sleep(1));
	await clock.run(apiErrorOf(refused.attempt(refuse)));
	expect(gate.tryPass() !== undefined).toBe(usesTokens);
});

it('the pauses of a text that alone is refused double up to half a minute, or are as long as Retry-After', async () => {
	const { clock, newWait } = setUp();
	const take = async () => await clock.run(newWait().attempt(async () => await Promise.resolve()));
	const text = newWait();
	const pauses: number[] = [];
	const retryAfter = [
		undefined,
		undefined,
		undefined,
		undefined,
		undefined,
		undefined,
		50_000,
		undefined,
		undefined,
	];
	for (const retryAfterMs of retryAfter) {
		const begin = clock.now();
		await clock.run(apiErrorOf(text.attempt(async () => await Promise.reject<never>(refusal(retryAfterMs)))));
		pauses.push(Math.round((clock.now() - begin) / 1_000));
		await clock.run(clock.sleep(2));
		await take();
		await clock.run(clock.sleep(2));
	}
	expect(pauses).toStrictEqual([0, 0, 2, 4, 8, 16, 30, 50, 30]);
});

it('an error of the source of its body tells nothing about the gateway', async () => {
	const { clock, newWait } = setUp();
	await apiErrorOf(newWait().attempt(refuse));
	const missing = new ApiError({
		message: '',
		description: '',
		delivery: 'responded',
		status: 404,
		retryable: false,
		isSource: true,
	});
	await clock.run(apiErrorOf(newWait().attempt(async () => await Promise.reject<never>(missing))));
	const begin = clock.now();
	await clock.run(apiErrorOf(newWait().attempt(refuse)));
	await clock.run(newWait().attempt(async () => await Promise.resolve()));
	expect(clock.now() - begin).toBeGreaterThanOrEqual(1_500);
});

it('a request may have its place from an earlier time', async () => {
	const { clock, newWait } = setUp();
	await apiErrorOf(newWait().attempt(refuse));
	const order: string[] = [];
	const send = async (name: string, since?: number) =>
		await newWait({ since }).attempt(async () => await Promise.resolve(order.push(name)));
	await clock.run(clock.sleep(10));
	await clock.run(Promise.all([send('later'), send('earlier', clock.now() - 5)]));
	expect(order).toStrictEqual(['earlier', 'later']);
});
