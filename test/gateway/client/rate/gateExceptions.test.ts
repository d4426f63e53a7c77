import type { Passage, WaitSettings } from '../../../../nodes/shared/gateway/client/rate/passage';
import { RateGate } from '../../../../nodes/shared/gateway/client/rate/rateGate';
import { refusal, VirtualClock } from '../../../helpers/limitedAccount';

// What passes, waits or counts otherwise than the pace of the account says.

function setUp() {
	const clock = new VirtualClock();
	const start = clock.now();
	const gate = new RateGate({ now: clock.now, sleep: clock.sleep, random: () => 0 });
	const wait = async (settings: Partial<WaitSettings> = {}) =>
		await clock.run(gate.wait({ lane: 'other', longestMs: Infinity, ...settings }));
	const seconds = () => Math.round((clock.now() - start) / 1_000);
	const pass = (usesTokens = false): Passage => {
		const passage = gate.tryPass();
		if (!passage) throw new Error('The gate is closed');
		return Object.assign(passage, { usesTokens });
	};
	const sleep = async (duration: number) => await clock.run(clock.sleep(duration * 1_000));
	return { clock, gate, wait, seconds, pass, sleep };
}

describe('a request that passes a block', () => {
	it('is sent only while there is a block', () => {
		const { gate, pass } = setUp();
		const first = pass();
		expect(gate.passBlock()).toBeUndefined();
		gate.refused(first, refusal(30_000));
		expect(gate.passBlock()).toMatchObject({ isOutside: true });
	});

	it('keeps to the limit of its node', () => {
		const { gate, pass } = setUp();
		gate.refused(pass(), refusal(30_000));
		expect(gate.passBlock(2)).toBeDefined();
		expect(gate.passBlock(2)).toBeDefined();
		expect(gate.passBlock(2)).toBeUndefined();
	});

	it('does not end the block when it is taken', async () => {
		const { gate, pass, wait, seconds } = setUp();
		gate.refused(pass(), refusal(30_000));
		const outside = gate.passBlock();
		if (outside) gate.accepted(outside);
		expect(gate.tryPass()).toBeUndefined();
		await wait();
		expect(seconds()).toBe(30);
	});

	test.each([
		['lengthens it by its Retry-After', 90_000, 90],
		['changes nothing without one', undefined, 30],
		['does not shorten it', 2_000, 30],
	])('when it is refused, %s', async (_, retryAfterMs, expected) => {
		const { gate, pass, wait, seconds } = setUp();
		gate.refused(pass(), refusal(30_000));
		const outside = gate.passBlock();
		if (outside) gate.refused(outside, refusal(retryAfterMs));
		await wait();
		expect(seconds()).toBe(expected);
	});
});

describe('all requests are held back for one', () => {
	it('for a minute, and pass when it has been sent', async () => {
		const { gate, wait, seconds, clock, pass } = setUp();
		pass();
		expect(gate.hold(60_000)).toBe(60_000);
		expect(gate.tryPass()).toBeUndefined();
		const other = gate.wait({ lane: 'other', longestMs: Infinity });
		await clock.run(clock.sleep(60_000));
		expect(gate.passHold()).toStrictEqual({ at: clock.now() });
		await clock.run(other);
		expect(seconds()).toBe(61);
		await wait();
		expect(seconds()).toBe(61);
	});

	it('not longer than the one may wait', () => {
		const { gate } = setUp();
		expect(gate.hold(59_999)).toBeUndefined();
		expect(gate.tryPass()).toBeDefined();
	});

	it('once in five minutes', async () => {
		const { gate, sleep } = setUp();
		gate.hold(60_000);
		await sleep(300);
		expect(gate.hold(60_000)).toBeUndefined();
		await sleep(2);
		expect(gate.hold(60_000)).toBe(60_000);
	});
});

describe('a request that alone is refused', () => {
	it('blocks nobody, and does not count as taken', () => {
		const { gate, pass } = setUp();
		const refused = pass();
		gate.refusedAlone(refused, refused);
		expect([gate.isLimited, gate.tryPass() !== undefined]).toStrictEqual([false, true]);
	});

	it('lets another one probe during a block', async () => {
		const { gate, pass, wait, seconds } = setUp();
		gate.refused(pass(), refusal(5_000));
		const probe = await wait();
		gate.refusedAlone(probe, probe);
		await wait();
		expect(seconds()).toBe(5);
	});

	it.each([
		['restores the pace that only its refusals have lowered', 1, true],
		['restores nothing while others were refused, too', 2, false],
	])('%s', async (_, count, isRestored) => {
		const { gate, pass, wait } = setUp();
		const requests = Array.from({ length: count }, () => ({}));
		for (let taken = 0; taken < 3; taken += 1) gate.accepted(pass());
		const sent = requests.map((request) => ({ request, passage: pass() }));
		for (const { request, passage } of sent) gate.refused(passage, refusal(10_000), request);
		gate.accepted(await wait());
		expect(gate.tryPass()).toBeUndefined();
		gate.refusedAlone(await wait(), requests[0] ?? {});
		expect(gate.tryPass() !== undefined).toBe(isRestored);
	});
});

describe('the gateway takes others', () => {
	/** Of ten requests that are sent one after the other, the first is refused. */
	async function others(usesTokens: boolean, isTaken: (index: number) => boolean) {
		const { gate, wait, pass, clock } = setUp();
		const refused = pass(usesTokens);
		gate.refused(refused, refusal(1_000));
		for (let index = 0; index < 10; index += 1) {
			await clock.run(clock.sleep(1));
			const passage = Object.assign(await wait(), { usesTokens });
			if (isTaken(index)) gate.accepted(passage);
			else gate.refused(passage, refusal(1_000));
		}
		return gate.takesOthers(refused.at);
	}

	test.each([
		['if most are taken', true, (index: number) => index % 3 > 0, true],
		['but not if most are refused', true, (index: number) => index % 3 === 0, false],
		['which is not known of requests that use no tokens', false, () => true, undefined],
	])('%s', async (_, usesTokens, isTaken, expected) => {
		expect(await others(usesTokens, isTaken)).toBe(expected);
	});

	it('is forgotten with the limit', async () => {
		const { gate, pass, sleep } = setUp();
		const refused = pass(true);
		gate.refused(refused, refusal(1_000));
		await sleep(120);
		pass();
		expect(gate.takesOthers(-Infinity)).toBeUndefined();
	});
});

it('a request that was refused waits until others that were sent later have been taken', async () => {
	const { gate, clock, pass } = setUp();
	const earlier = pass();
	await clock.run(clock.sleep(10));
	const first = pass();
	gate.refused(first, refusal(1_000));
	const order: string[] = [];
	const sendLater = async (name: string, settings: Partial<WaitSettings>) => {
		const passage = await gate.wait({ lane: 'other', longestMs: Infinity, ...settings });
		order.push(name);
		await clock.sleep(5);
		gate.accepted(passage);
	};
	const all = [
		sendLater('refused', { since: 0, afterOthers: { count: 2, sentAfter: first.at } }),
		...['a', 'b', 'c', 'd'].map(async (name) => await sendLater(name, {})),
	];
	gate.accepted(earlier);
	await clock.run(Promise.all(all));
	expect(order).toStrictEqual(['a', 'b', 'refused', 'c', 'd']);
});
