import { getEventListeners } from 'node:events';

import nock from 'nock';
import type { ILoadOptionsFunctions, IPollFunctions, IWebhookFunctions } from 'n8n-workflow';

import { listTextModels } from '../../nodes/shared/gateway/endpoints/models';
import {
	backgroundClient,
	CALLBACK_SETTINGS,
	connect,
	EDITOR_SETTINGS,
	POLL_SETTINGS,
	subNodeClient,
} from '../../nodes/shared/n8n/client';
import { RunSignal } from '../../nodes/shared/n8n/runSignal';
import { apiErrorOf, rejection } from '../helpers/client';
import { editorContext, pollContext, supplyContext, webhookContext } from '../helpers/contexts';
import { inFakeTime, useFakeTime } from '../helpers/fakeTime';
import { useNock } from '../helpers/nock';

useNock();

const balance = { group: 'balance', kind: 'read', path: '/balance' } as const;
const once = { maxRetries: 0, timeoutMs: undefined };
const contextOf = (credential = { baseUrl: 'https://gateway.test/api/v1', apiKey: 'sk-test' }) =>
	editorContext({ node: 'mediaTask', parameters: {}, credential });

/** Lets the gateway fail until it has been asked `failures` times with the key, and counts the requests. */
function gatewayFails({ failures = Infinity, retryAfter = '0' } = {}) {
	const seen = { requests: 0 };
	nock('https://gateway.test', { reqheaders: { authorization: 'Bearer sk-test' } })
		.persist()
		.get('/api/v1/balance')
		.reply(() => {
			seen.requests += 1;
			if (seen.requests > failures) return [200, { amount: 1 }];
			const error = { message: 'no: sk-test, token-1', type: 'api_error' };
			return [503, { error }, { 'retry-after': retryAfter }];
		});
	return seen;
}

describe('a connection', () => {
	it('throws for a base URL that is not a web address', async () => {
		const context = contextOf({ baseUrl: 'gateway', apiKey: 'sk-test' });
		expect(await rejection(connect(context, {}))).toMatchObject({ param: 'baseUrl' });
	});

	it('makes clients with their own settings, which do not show the key', async () => {
		const seen = gatewayFails();
		const connection = await connect(contextOf(), {});
		expect(connection.secrets).toStrictEqual(['sk-test']);
		await apiErrorOf(connection.client({ ...once, maxRetries: 2 }).json(balance));
		expect(seen.requests).toBe(3);
		const { details } = await apiErrorOf(connection.client(once).json(balance));
		expect(seen.requests).toBe(4);
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
});

const poller = { node: 'balanceTrigger', parameters: {}, mode: 'trigger', store: {} } as const;

// For triggers and the editor.
describe('a client outside an execution', () => {
	useFakeTime();

	const trigger = { node: 'mediaTaskTrigger', parameters: {}, mode: 'webhook', store: {} } as const;
	type Context = ILoadOptionsFunctions | IPollFunctions | IWebhookFunctions;

	it.each<[string, () => Context, typeof EDITOR_SETTINGS, number, number]>([
		['a callback', () => webhookContext(trigger, { body: {} }), CALLBACK_SETTINGS, 9, 315_000],
		['a poll', () => pollContext(poller), POLL_SETTINGS, 4, 315_000],
		['the editor', () => contextOf(), EDITOR_SETTINGS, 2, 30_000],
	])('for %s has its number of tries and its timeout', async (_, context, settings, tries, waitedMs) => {
		const seen = gatewayFails();
		const failing = await backgroundClient(context(), settings);
		const { details } = await inFakeTime(apiErrorOf(failing.json(balance)));
		expect([details.status, seen.requests]).toStrictEqual([503, tries]);
		const own = context();
		jest.spyOn(own.helpers, 'httpRequestWithAuthentication').mockReturnValue(new Promise(() => undefined));
		const waiting = await backgroundClient(own, { ...settings, maxRetries: 0 });
		const begin = Date.now();
		expect((await inFakeTime(apiErrorOf(waiting.json(balance)))).details.code).toBe('timeout');
		expect(Date.now() - begin).toBe(waitedMs);
	});
});

describe('the client of a node that serves an agent', () => {
	const aSecond = { maxRetries: 2, timeoutMs: 1_000 };
	const notWaitedFor = { name: 'StoppedError', reason: 'not waited for' };
	const cancelled = { name: 'StoppedError', reason: 'cancelled' };

	/** A sub-node's client in an execution that can be cancelled. */
	async function served(cancel = new AbortController()) {
		const credential = { baseUrl: 'https://gateway.test/api/v1', apiKey: 'sk-test' };
		const { context } = supplyContext({ node: 'chatModel', parameters: {}, credential });
		const reads = jest.spyOn(context, 'getCredentials');
		jest.spyOn(context, 'getExecutionCancelSignal').mockReturnValue(cancel.signal);
		return { context, reads, cancel, ...(await subNodeClient(context, 0, aSecond)) };
	}

	it('reads the credential once for its address and its requests, and retries as its option says', async () => {
		const seen = gatewayFails({ failures: 2 });
		const { client, reads } = await served();
		expect(await client.json(balance)).toStrictEqual({ amount: 1 });
		expect(seen.requests).toBe(3);
		expect(await client.json(balance)).toStrictEqual({ amount: 1 });
		expect(reads).toHaveBeenCalledTimes(1);
	});

	it.each(['cancelled', 'not waited for'])(
		'ends a pause, and sends nothing more, when it is %s',
		async (end) => {
			const seen = gatewayFails({ retryAfter: '100' });
			const { client, cancel, dispose } = await served();
			const outcome = rejection(client.json(balance));
			while (seen.requests === 0) await new Promise((resolve) => setImmediate(resolve));
			if (end === 'cancelled') cancel.abort();
			else dispose();
			const stopped = { name: 'StoppedError', reason: end };
			expect(await outcome).toMatchObject(stopped);
			expect(await rejection(client.json(balance))).toMatchObject(stopped);
			expect(seen.requests).toBe(1);
			dispose();
		},
	);

	it('sends nothing in an execution that was cancelled before, nor when the agent has ended', async () => {
		const seen = gatewayFails();
		const over = new AbortController();
		over.abort();
		expect(await rejection((await served(over)).client.json(balance))).toMatchObject(cancelled);
		const { client, dispose } = await served();
		dispose();
		expect(await rejection(client.json(balance))).toMatchObject(notWaitedFor);
		expect(seen.requests).toBe(0);
	});

	it('removes its listener when the agent has ended', async () => {
		const { cancel, dispose } = await served();
		const listeners = () => getEventListeners(cancel.signal, 'abort').length;
		expect(listeners()).toBe(1);
		dispose();
		expect(listeners()).toBe(0);
	});
});
