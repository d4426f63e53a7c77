import nock from 'nock';

import { subNodeClient } from '../../../nodes/shared/execution/subNodeClient';
import { supplyContext } from '../../helpers/contexts';
import { rejection } from '../../helpers/client';
import { useNock } from '../../helpers/nock';

// The client of a node that serves an agent.

const balance = { group: 'balance', method: 'GET', path: '/balance' } as const;

function served() {
	const { context } = supplyContext({
		node: 'chatModel',
		parameters: {},
		credential: { baseUrl: 'https://gateway.test/api/v1', apiKey: 'sk-1' },
	});
	return { context, reads: jest.spyOn(context, 'getCredentials') };
}

useNock();

it('reads the credential once for its address and its requests', async () => {
	nock('https://gateway.test').get('/api/v1/balance').twice().reply(200, { amount: 1 });
	const { context, reads } = served();
	const { client } = await subNodeClient(context, { maxRetries: 0, timeoutMs: undefined });
	await client.json(balance);
	await client.json(balance);
	expect(reads).toHaveBeenCalledTimes(1);
});

it('sends nothing again when the agent has ended during a pause', async () => {
	let sent = 0;
	nock('https://gateway.test')
		.get('/api/v1/balance')
		.times(2)
		.reply(() => {
			sent += 1;
			return [503, {}, { 'retry-after': '2' }];
		});
	const { context } = served();
	const { client, dispose } = await subNodeClient(context, { maxRetries: 1, timeoutMs: undefined });
	const outcome = rejection(client.json(balance));
	while (sent === 0) await new Promise((resolve) => setImmediate(resolve));
	dispose();
	expect(await outcome).toMatchObject({ name: 'Stopped', reason: 'not waited for' });
	expect(sent).toBe(1);
});
