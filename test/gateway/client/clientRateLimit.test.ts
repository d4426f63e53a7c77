import type { GatewayRequest } from '../../../nodes/shared/gateway/client/client';
import { StoppedError } from '../../../nodes/shared/gateway/errors/errors';
import { apiErrorOf, rejection, scriptedClient, type Step } from '../../helpers/client';
import { virtualGateway } from '../../helpers/virtualGateway';

// A 429 of the account's rate limit (§7.3, §7.6).

const get: GatewayRequest = { group: 'balance', kind: 'read', path: '/balance' };
const chat: GatewayRequest = {
	group: 'text',
	kind: 'charge',
	method: 'POST',
	path: '/chat/completions',
	json: {},
};
const creation: GatewayRequest = { ...chat, group: 'media', kind: 'keyed', path: '/async/media/tasks' };
const busy: Step = { status: 429 };
const busyFor = (seconds: number): Step => ({ status: 429, headers: { 'retry-after': String(seconds) } });

it.each<[string, GatewayRequest, string]>([
	['text', chat, '{"error":{"code":"token_limit_exceeded","type":"rate_limit_error"}}'],
	['media', creation, '{"code":429,"msg":"slow down","data":null}'],
	['no format', get, ''],
])('a 429 does not count for Max Retries: %s', async (_, request, body) => {
	const steps = [...Array<Step>(6).fill({ status: 429, body }), { body: '{"a":1}' }];
	const { client, sent } = scriptedClient(steps, { maxRetries: 0 });
	expect(await client.json(request)).toStrictEqual({ a: 1 });
	expect(sent).toHaveLength(7);
});

it('of a catalogue pauses nobody else', async () => {
	const headers = { 'retry-after': '20' };
	const { clock, client, log, seconds } = virtualGateway(({ url }) =>
		url.endsWith('/models') && log.length < 2 ? { status: 429, headers } : {},
	);
	const catalogue: GatewayRequest = { ...get, group: 'catalogue', path: '/models' };
	const models = Promise.all([client().json(catalogue), client().json(catalogue)]);
	await clock.run(clock.sleep(1_000));
	await clock.run(client().json(get));
	expect(seconds()).toBeLessThan(5);
	expect(await clock.run(models)).toStrictEqual([{}, {}]);
	expect(seconds()).toBeGreaterThan(20);
});

describe('Rate Limit Wait', () => {
	it('ends a request that is still refused, with the number of tries', async () => {
		const { client, clock, sent } = scriptedClient([busy], { rateLimitWaitMs: 150_000 });
		const { details } = await apiErrorOf(client.json(get));
		expect(details.status).toBe(429);
		expect(clock.now).toBe(1_000_000 + 150_000);
		expect(details.description).toContain(`It was tried ${sent.length} times.`);
	});

	it('of 0 ends it at once, and the pauses of the account do not hold it back', async () => {
		const steps: Step[] = [busy, busy, busy, { body: '{"a":1}' }];
		const { client, clock, sent } = scriptedClient(steps, { rateLimitWaitMs: 0, maxRetries: 10 });
		for (let count = 0; count < 3; count += 1)
			expect((await apiErrorOf(client.json(chat))).details).toMatchObject({
				status: 429,
				outcome: 'rejected',
			});
		expect(await client.json(chat)).toStrictEqual({ a: 1 });
		expect([sent.length, clock.now]).toStrictEqual([4, 1_000_000]);
	});

	it('that ends during a pause of the account: the request is sent a last time', async () => {
		const { clock, client, log } = virtualGateway(() => ({ status: 429 }));
		const patient = client();
		void Promise.all([patient.json(chat), patient.json(chat)]).catch(() => undefined);
		await clock.run(clock.sleep(500));
		const { details } = await clock.run(apiErrorOf(client({ rateLimitWaitMs: 200 }).json(get)));
		expect([details.status, log.filter(({ url }) => url.endsWith('/balance')).length]).toStrictEqual([
			429, 1,
		]);
	});

	it('that is shorter than Retry-After ends it at once, and the error names the time', async () => {
		const { client, sent } = scriptedClient([busyFor(1_200)]);
		const { details } = await apiErrorOf(client.json(get));
		expect([sent.length, details.retryAfterMs]).toStrictEqual([1, 1_200_000]);
		expect(details.description).toContain('The gateway asks to wait 20 minutes before the next try.');
	});

	it('ends after 15 minutes where nothing is set', async () => {
		const { client, clock, sent } = scriptedClient([busyFor(800), {}]);
		await client.json(get);
		expect([sent.length, clock.now]).toStrictEqual([2, 1_800_500]);
	});
});

it('a stop while a request waits says whether an earlier attempt may have had its effect', async () => {
	const stop = { stopAt: 1_030_000 };
	const { client } = scriptedClient(['lost', busyFor(60)], {}, stop);
	expect(await rejection(client.json(creation))).toStrictEqual(new StoppedError('cancelled', 'unknown'));
});

it('a request that was refused to the end after a lost response may have had its effect', async () => {
	const { client } = scriptedClient(['lost', busy], { rateLimitWaitMs: 30_000 });
	expect((await apiErrorOf(client.json(creation))).details).toMatchObject({
		status: 429,
		outcome: 'unknown',
	});
});

describe('a Retry-After', () => {
	/** The pause after a 429 with this header, by a clock that is 10 minutes behind the gateway's. */
	async function pauseAfter(headerOf: (now: number) => string, dateOf: (now: number) => string) {
		const clock = 1_000_000;
		const headers = { 'retry-after': headerOf(clock), date: dateOf(clock + 600_000) };
		const { client, clock: used } = scriptedClient([{ status: 429, headers }, {}]);
		await client.json(get);
		return used.now - clock;
	}
	const utc = (time: number) => new Date(time).toUTCString();

	it.each([
		['of the gateway', (now: number) => utc(now + 605_000), utc],
		['of this server if the gateway does not say its own', (now: number) => utc(now + 5_000), () => 'today'],
	])('that is a date is read by the clock %s', async (_, header, date) => {
		const paused = await pauseAfter(header, date);
		expect(paused).toBeGreaterThanOrEqual(5_000);
		expect(paused).toBeLessThan(10_000);
	});

	it('of hours fails a request at once, and no other one', async () => {
		const { client, clock, sent } = scriptedClient([busyFor(10_800), busyFor(10_800), { body: '{"a":1}' }]);
		for (let count = 0; count < 2; count += 1)
			expect((await apiErrorOf(client.json(get))).details.description).toContain('asks to wait 180 minutes');
		expect(await client.json(get)).toStrictEqual({ a: 1 });
		expect([sent.length, clock.now - 1_000_000 < 2_000]).toStrictEqual([3, true]);
	});
});
