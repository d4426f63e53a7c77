import nock from 'nock';

import { listTextModels } from '../../nodes/shared/gateway/endpoints/models';
import { connect } from '../../nodes/shared/n8n/client';
import { RunSignal } from '../../nodes/shared/n8n/runSignal';
import { apiErrorOf, rejection } from '../helpers/client';
import { editorContext } from '../helpers/contexts';
import { useNock } from '../helpers/nock';

useNock();

const balance = { group: 'balance', kind: 'read', path: '/balance' } as const;
const once = { maxRetries: 0, timeoutMs: undefined };
const contextOf = (credential = { baseUrl: 'https://gateway.test/api/v1', apiKey: 'sk-test' }) =>
	editorContext({ node: 'mediaTask', parameters: {}, credential });

const gatewayFails = () => {
	const seen = { requests: 0 };
	nock('https://gateway.test')
		.persist()
		.get('/api/v1/balance')
		.reply(() => {
			seen.requests += 1;
			return [503, { error: { message: 'no: sk-test, token-1', type: 'api_error' } }, { 'retry-after': '0' }];
		});
	return seen;
};

it('reads the credential once for several clients', async () => {
	nock('https://gateway.test').get('/api/v1/balance').twice().reply(200, { amount: 1 });
	const context = contextOf();
	const reads = jest.spyOn(context, 'getCredentials');
	const connection = await connect(context, {});
	await connection.client(once).json(balance);
	await connection.client(once).json(balance);
	expect(reads).toHaveBeenCalledTimes(1);
});

it('throws for a base URL that is not a web address', async () => {
	const context = contextOf({ baseUrl: 'gateway', apiKey: 'sk-test' });
	expect(await rejection(connect(context, {}))).toMatchObject({ param: 'baseUrl' });
});

it('makes clients that each have their own settings', async () => {
	const seen = gatewayFails();
	const connection = await connect(contextOf(), {});
	await apiErrorOf(connection.client({ ...once, maxRetries: 2 }).json(balance));
	expect(seen.requests).toBe(3);
	await apiErrorOf(connection.client(once).json(balance));
	expect(seen.requests).toBe(4);
});

it('does not show the key', async () => {
	gatewayFails();
	const connection = await connect(contextOf(), {});
	expect(connection.secrets).toStrictEqual(['sk-test']);
	const { details } = await apiErrorOf(connection.client(once).json(balance));
	expect(details.description).toContain('no: [key], token-1');
});

it('sends each request in a slot', async () => {
	const seen = gatewayFails();
	const slots: number[] = [];
	const withSlot = async <T>(work: () => Promise<T>): Promise<T> => {
		slots.push(seen.requests);
		return await work();
	};
	const connection = await connect(contextOf(), { withSlot });
	await apiErrorOf(connection.client({ ...once, maxRetries: 1 }).json(balance));
	expect(slots).toStrictEqual([0, 1]);
});

it('sends nothing when the run ends while a request waits for its slot', async () => {
	const seen = gatewayFails();
	const signal = new RunSignal(undefined);
	const withSlot = async <T>(work: () => Promise<T>): Promise<T> => {
		signal.abort('other item failed');
		return await work();
	};
	const connection = await connect(contextOf(), { signal, withSlot });
	const error = await rejection(connection.client(once).json(balance));
	expect([error, seen.requests]).toMatchObject([{ reason: 'other item failed' }, 0]);
});

it.each([
	['other item failed', 1],
	['cancelled', 0],
] as const)(
	'reads a catalogue after the run has ended, unless it was cancelled: %s',
	async (reason, requests) => {
		let seen = 0;
		nock('https://gateway.test')
			.get('/api/v1/models')
			.optionally()
			.reply(() => [200, { data: [{ id: `m${(seen += 1)}` }] }]);
		const signal = new RunSignal(undefined);
		signal.abort(reason);
		const connection = await connect(contextOf(), { signal });
		const models = await listTextModels(connection.client(once)).catch(() => []);
		expect([models.length, seen]).toStrictEqual([requests, requests]);
	},
);

it('uses the present time, random numbers in [0, 1), and real pauses', async () => {
	const client = (await connect(contextOf(), {})).client(once);
	const before = Date.now();
	await client.pause(3);
	await client.sleep(3);
	const now = client.now();
	// Timers may fire a millisecond early.
	expect(now).toBeGreaterThanOrEqual(before + 4);
	expect(now).toBeLessThanOrEqual(Date.now());
	const randomNumbers = Array.from({ length: 20 }, () => client.random());
	expect(randomNumbers.filter((random) => random >= 0 && random < 1)).toHaveLength(20);
	expect(new Set(randomNumbers).size).toBeGreaterThan(1);
});
