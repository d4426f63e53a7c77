import { apiErrorOf, scriptedClient } from '../../../helpers/client';

// `Retry-After` headers that cannot be meant.

const get = { group: 'balance', method: 'GET', path: '/balance' } as const;
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

it('hours fail a request at once, and after a quarter of an hour the next one is sent', async () => {
	const header = String((3 * HOUR) / 1_000);
	const { client, clock, sent } = scriptedClient([refused({ 'retry-after': header }), taken]);
	const begin = clock.now;
	await apiErrorOf(client.json(get));
	clock.now = begin + 14 * 60_000;
	const { description } = (await apiErrorOf(client.json(get))).details;
	expect(description).toContain('This request was not sent.');
	clock.now = begin + 16 * 60_000;
	expect(await client.json(get)).toStrictEqual({ amount: '1' });
	expect(sent).toHaveLength(2);
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
