import { apiErrorOf, scriptedClient } from '../../../helpers/client';

// `Retry-After` headers that cannot be meant.

const get = { group: 'balance', kind: 'read', path: '/balance' } as const;
const taken = { body: '{"amount":"1"}' };
const refused = (headers: Record<string, string>) => ({ status: 429, headers });
const HOUR = 3_600_000;

it.each([
	['a Unix time in place of seconds', '1767225600'],
	['the end of time as a date', 'Fri, 31 Dec 9999 23:59:59 GMT'],
])('%s is ignored', async (_, header) => {
	const { client, clock } = scriptedClient([refused({ 'retry-after': header }), taken]);
	const begin = clock.now;
	expect(await client.json(get)).toStrictEqual({ amount: '1' });
	expect(clock.now - begin).toBeLessThan(5_000);
});

it('hours fail a request at once, and no other one', async () => {
	const busy = refused({ 'retry-after': String((3 * HOUR) / 1_000) });
	const { client, clock, sent } = scriptedClient([busy, busy, taken]);
	const begin = clock.now;
	for (let count = 0; count < 2; count += 1)
		expect((await apiErrorOf(client.json(get))).details.description).toContain('asks to wait 180 minutes');
	expect(await client.json(get)).toStrictEqual({ amount: '1' });
	expect([sent.length, clock.now - begin < 2_000]).toStrictEqual([3, true]);
});

it('a date is read by the clock of the gateway', async () => {
	const { clock } = scriptedClient([]);
	// This server's clock is 10 minutes late.
	const date = (milliseconds: number) => new Date(clock.now + 600_000 + milliseconds).toUTCString();
	const late = scriptedClient([refused({ date: date(0), 'retry-after': date(5_000) }), taken]);
	await late.client.json(get);
	expect(late.clock.now - clock.now).toBeLessThan(10_000);
});

it('a date is read by this server’s clock if the gateway does not say its own', async () => {
	const { clock } = scriptedClient([]);
	const inFive = new Date(clock.now + 5_000).toUTCString();
	const { client, clock: used } = scriptedClient([refused({ date: 'today', 'retry-after': inFive }), taken]);
	await client.json(get);
	expect(used.now - clock.now).toBeGreaterThanOrEqual(5_000);
	expect(used.now - clock.now).toBeLessThan(10_000);
});
