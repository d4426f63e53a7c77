import nock from 'nock';

import { subNodeClient } from '../../nodes/shared/n8n/client';
import { supplyContext } from '../helpers/contexts';
import { apiErrorOf, rejection } from '../helpers/client';
import { eventually } from '../helpers/time';
import { useNock } from '../helpers/nock';

// The client of a node that serves an agent.

const balance = { group: 'balance', kind: 'read', path: '/balance' } as const;

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
	const { client } = await subNodeClient(context, 0, { maxRetries: 0, timeoutMs: undefined });
	await client.json(balance);
	await client.json(balance);
	expect(reads).toHaveBeenCalledTimes(1);
});

it('does not repeat a request when the agent has ended during a pause', async () => {
	let sent = 0;
	nock('https://gateway.test')
		.get('/api/v1/balance')
		.times(2)
		.reply(() => {
			sent += 1;
			return [503, {}, { 'retry-after': '2' }];
		});
	const { context } = served();
	const { client, dispose } = await subNodeClient(context, 0, { maxRetries: 1, timeoutMs: undefined });
	const outcome = rejection(client.json(balance));
	while (sent === 0) await new Promise((resolve) => setImmediate(resolve));
	dispose();
	expect(await outcome).toMatchObject({ name: 'StoppedError', reason: 'not waited for' });
	expect(sent).toBe(1);
});

const gatewayFails = (headers = {}) => {
	const counter = { requests: 0 };
	nock('https://gateway.test')
		.persist()
		.get('/api/v1/balance')
		.reply(() => {
			counter.requests += 1;
			return [503, {}, headers];
		});
	return counter;
};
const aSecond = { maxRetries: 2, timeoutMs: 1_000 };

it('ends a pause when the execution is cancelled, and sends nothing more', async () => {
	const counter = gatewayFails({ 'retry-after': '100' });
	const { context } = served();
	const cancel = new AbortController();
	jest.spyOn(context, 'getExecutionCancelSignal').mockReturnValue(cancel.signal);
	const { client, dispose } = await subNodeClient(context, 0, aSecond);
	const outcome = rejection(client.json(balance));
	while (counter.requests === 0) await new Promise((resolve) => setImmediate(resolve));
	cancel.abort();
	expect(await outcome).toMatchObject({ name: 'StoppedError', reason: 'cancelled' });
	expect(await rejection(client.json(balance))).toMatchObject({ name: 'StoppedError', reason: 'cancelled' });
	expect(counter.requests).toBe(1);
	dispose();
});

it('sends nothing in an execution that was cancelled before', async () => {
	const counter = gatewayFails();
	const { context } = served();
	jest.spyOn(context, 'getExecutionCancelSignal').mockReturnValue(AbortSignal.abort());
	const { client } = await subNodeClient(context, 0, aSecond);
	expect(await rejection(client.json(balance))).toMatchObject({ name: 'StoppedError', reason: 'cancelled' });
	expect(counter.requests).toBe(0);
});

it('sends nothing when the agent has ended', async () => {
	const counter = gatewayFails();
	const { client, dispose } = await subNodeClient(served().context, 0, aSecond);
	dispose();
	expect(await rejection(client.json(balance))).toMatchObject({
		name: 'StoppedError',
		reason: 'not waited for',
	});
	expect(counter.requests).toBe(0);
});

it('removes its listener when the agent has ended', async () => {
	const { context } = served();
	const { signal } = new AbortController();
	const [added, removed] = [
		jest.spyOn(signal, 'addEventListener'),
		jest.spyOn(signal, 'removeEventListener'),
	];
	jest.spyOn(context, 'getExecutionCancelSignal').mockReturnValue(signal);
	const { dispose } = await subNodeClient(context, 0, aSecond);
	dispose();
	const listeners = (calls: unknown[][]) => calls.map(([type, listener]) => [type, listener]);
	expect(added).toHaveBeenCalledTimes(1);
	expect(listeners(removed.mock.calls)).toStrictEqual(listeners(added.mock.calls));
});

it('passes the cancel signal on to downloads', async () => {
	const { context } = served();
	const cancel = new AbortController();
	jest.spyOn(context, 'getExecutionCancelSignal').mockReturnValue(cancel.signal);
	const sent = jest.spyOn(context.helpers, 'httpRequest').mockReturnValue(new Promise(() => undefined));
	const { client } = await subNodeClient(context, 0, aSecond);
	const failed = rejection(
		client.downloadUrl('https://files.test/a', () => Promise.reject(new Error('not used'))),
	);
	await eventually(() => sent.mock.calls.length > 0);
	cancel.abort();
	expect(await failed).toMatchObject({ reason: 'cancelled' });
	expect(sent.mock.calls.map(([{ abortSignal }]) => abortSignal?.aborted)).toStrictEqual([true]);
});

it('retries as often as its option says', async () => {
	let requests = 0;
	nock('https://gateway.test')
		.persist()
		.get('/api/v1/balance')
		.reply(() => {
			requests += 1;
			return requests < 3 ? [503, {}, { 'retry-after': '0' }] : [200, { amount: 1 }];
		});
	const { client } = await subNodeClient(served().context, 0, aSecond);
	expect(await client.json(balance)).toStrictEqual({ amount: 1 });
	expect(requests).toBe(3);
});

it('does not show the key', async () => {
	nock('https://gateway.test')
		.get('/api/v1/balance')
		.reply(403, { error: { message: 'no: sk-1-2' } });
	const { context } = supplyContext({
		node: 'chatModel',
		parameters: {},
		credential: { baseUrl: 'https://gateway.test/api/v1', apiKey: 'sk-1-2' },
	});
	const { client } = await subNodeClient(context, 0, aSecond);
	expect((await apiErrorOf(client.json(balance))).details.description).toContain('[key]');
});
