import type { GatewayRequest } from '../../../nodes/shared/gateway/client/client';
import { problemError } from '../../../nodes/shared/gateway/errors/fromResponse';
import { apiErrorOf, rejection, scriptedClient, type Step } from '../../helpers/client';

const get: GatewayRequest = { group: 'balance', kind: 'read', path: '/balance' };
const busy = (seconds: number): Step => ({ status: 503, headers: { 'retry-after': String(seconds) } });

/** The description of the error of a request, and how often it was sent. */
async function errorOf(request: GatewayRequest, steps: Step[], maxRetries = 3) {
	const { client, sent } = scriptedClient(steps, { maxRetries });
	const { details } = await apiErrorOf(client.json(request));
	return { description: details.description, tries: sent.length };
}

describe('retries', () => {
	it.each<[string, Partial<GatewayRequest>, number]>([
		['as the settings allow', {}, 4],
		['none of a poll', { kind: 'poll' }, 1],
	])('are as many as allowed: %s', async (_, traits, tries) => {
		expect((await errorOf({ ...get, ...traits }, [{ status: 503 }])).tries).toBe(tries);
		const { client, sent } = scriptedClient([{ status: 503 }]);
		await apiErrorOf(client.stream({ ...get, ...traits }, () => Promise.resolve()));
		expect(sent).toHaveLength(tries);
	});

	it('of a download are limited by Max Retries', async () => {
		const { client, sent } = scriptedClient(['lost'], { maxRetries: 2 });
		await apiErrorOf(client.downloadUrl('https://files.test/a', () => Promise.resolve()));
		expect(sent).toHaveLength(3);
	});

	it('fetch a file again when its stream breaks while it is stored', async () => {
		const { client, sent } = scriptedClient([{ body: 'x' }]);
		const store = async () => {
			if (sent.length === 1) throw problemError('lost', 'file');
			return await Promise.resolve('stored');
		};
		expect(await client.downloadUrl('https://files.test/a', store)).toBe('stored');
		expect(sent).toHaveLength(2);
	});

	it('are not made after an error that is not the gateway’s', async () => {
		const bug = new TypeError('a bug');
		const { client, sent, pauses } = scriptedClient([bug, {}]);
		expect(await rejection(client.json(get))).toBe(bug);
		expect([sent.length, pauses]).toStrictEqual([1, []]);
	});

	it('have growing pauses with jitter, and end with the first success', async () => {
		const steps: Step[] = [{ status: 503 }, { status: 500 }, 'lost', { body: '{"a":1}' }];
		const { client, pauses } = scriptedClient(steps, {}, { random: () => 0.1 });
		expect(await client.json(get)).toStrictEqual({ a: 1 });
		expect(pauses).toStrictEqual([100, 200, 400]);
	});

	it('end at once when the run ends during a pause', async () => {
		const { client, sent } = scriptedClient([{ status: 503 }], {}, { stopAt: 0 });
		expect(await rejection(client.json(get))).toMatchObject({ name: 'StoppedError', reason: 'cancelled' });
		expect(sent).toHaveLength(1);
	});
});

describe('the note on tries', () => {
	it.each<[string, Step[], number, string]>([
		['after one try', [{ status: 503 }], 0, ''],
		['after two tries', [{ status: 503 }], 1, ' It was tried 2 times.'],
		['after a Retry-After', [busy(330)], 3, ' The gateway asks to wait 5.5 minutes before the next try.'],
		[
			'after a try and a Retry-After',
			[{ status: 503 }, busy(3_600)],
			3,
			' The gateway asks to wait 60 minutes before the next try. It was tried 2 times.',
		],
	])('%s', async (_, steps, maxRetries, expected) => {
		const { description } = await errorOf(get, steps, maxRetries);
		const alone = await errorOf(get, [{ status: 503 }], 0);
		expect(description).toBe(alone.description + expected);
	});

	it('is not needed after the longest allowed pause', async () => {
		const { client, pauses } = scriptedClient([busy(300), { body: '{"a":1}' }]);
		expect(await client.json(get)).toStrictEqual({ a: 1 });
		expect(pauses).toStrictEqual([300_500]);
	});

	it('is not added to an error of a single try', async () => {
		const error = problemError('lost', 'charge');
		const { client } = scriptedClient([error]);
		expect(await rejection(client.json({ ...get, kind: 'charge' }))).toStrictEqual(error);
	});
});
