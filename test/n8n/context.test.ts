import { Readable } from 'node:stream';

import type { ILoadOptionsFunctions, INode, IPollFunctions, IWebhookFunctions } from 'n8n-workflow';
import nock from 'nock';

import { readMediaTask } from '../../nodes/shared/gateway/endpoints/tasks';
import { CALLBACK_SETTINGS, connect, EDITOR_SETTINGS, POLL_SETTINGS } from '../../nodes/shared/n8n/client';
import { isBinaryValue } from '../../nodes/shared/n8n/binary';
import { isTool } from '../../nodes/shared/n8n/context';
import type { Slots } from '../../nodes/shared/gateway/client/client';
import type { Transport } from '../../nodes/shared/gateway/client/transport';
import { RunSignal } from '../../nodes/shared/gateway/client/limits';
import { downloadFiles, taskJson } from '../../nodes/shared/n8n/taskResults';
import { apiErrorOf, gatewayFailure, rejection, scriptedClient, slots } from '../helpers/client';
import { editorContext, pollContext, webhookContext } from '../helpers/contexts';
import { useNock } from '../helpers/nock';

describe('client', () => {
	useNock();

	const balance = { endpoint: 'fetchBalance', kind: 'read', path: '/balance' } as const;
	const contextOf = () => editorContext({ node: 'mediaTask', parameters: {} });

	/** Lets the gateway fail, and counts the requests. */
	function gatewayFails() {
		const seen = { requests: 0, status: 503 };
		nock('https://gateway.test')
			.persist()
			.get('/api/v1/balance')
			.reply(() => {
				seen.requests += 1;
				return [seen.status, gatewayFailure(seen.status), { 'retry-after': '0' }];
			});
		return seen;
	}

	it('each request is sent in a slot, and none when the run ends while it waits for one', async () => {
		const seen = gatewayFails();
		const run = new RunSignal();
		const taken: number[] = [];
		const all: Slots['requests'] = {
			run: async (work) => {
				taken.push(seen.requests);
				if (taken.length === 3) run.abort('other item failed');
				return await work();
			},
		};
		const client = await connect(contextOf(), { maxRetries: 1 }, { run, slots: slots(all) });
		await apiErrorOf(client.json(balance));
		const error = await rejection(client.json(balance));
		expect([error, seen.requests]).toMatchObject([{ reason: 'other item failed' }, 2]);
		expect(taken).toStrictEqual([0, 1, 2]);
	});

	const poller = { node: 'balanceTrigger', parameters: {}, mode: 'trigger', store: {} } as const;

	// For triggers and the editor.
	describe('a client outside an execution', () => {
		const trigger = { node: 'mediaTaskTrigger', parameters: {}, mode: 'webhook', store: {} } as const;
		type Context = ILoadOptionsFunctions | IPollFunctions | IWebhookFunctions;

		it.each<[string, () => Context, typeof EDITOR_SETTINGS, number, number, number]>([
			['a callback', () => webhookContext(trigger, { body: {} }), CALLBACK_SETTINGS, 9, 315_000, 900],
			['a poll', () => pollContext(poller), POLL_SETTINGS, 4, 315_000, 60],
			['the editor', () => contextOf(), EDITOR_SETTINGS, 2, 30_000, 5],
		])(
			'for %s has its number of tries, its timeout and its wait',
			async (_, context, settings, ...expected) => {
				const [tries, waitedMs, limitedSeconds] = expected;
				const seen = gatewayFails();
				const failing = await connect(context(), settings);
				const { details } = await apiErrorOf(failing.json(balance));
				expect([details.status, seen.requests]).toStrictEqual([503, tries]);
				const own = context();
				jest
					.spyOn(own.helpers, 'httpRequestWithAuthentication')
					.mockReturnValue(new Promise(() => undefined));
				const waiting = await connect(own, { ...settings, maxRetries: 0 });
				const begin = Date.now();
				expect((await apiErrorOf(waiting.json(balance))).details.code).toBe('timeout');
				expect(Date.now() - begin).toBe(waitedMs);
				seen.status = 429;
				const limitedFrom = Date.now();
				const limited = await connect(context(), settings);
				expect((await apiErrorOf(limited.json(balance))).details.status).toBe(429);
				expect(Math.round((Date.now() - limitedFrom) / 1_000)).toBe(limitedSeconds);
			},
		);
	});
});

it.each<[object, string, boolean]>([
	[{ isToolExecution: () => true }, 'storage', true],
	[{ isToolExecution: () => false }, 'storage', false],
	[{ isToolExecution: () => false }, 'storageTool', true],
	// Before n8n 2.2.
	[{}, 'storage', false],
	[{}, 'storageTool', true],
])('a context with %j of a node %s is an agent’s tool: %s', (functions, type, expected) =>
	expect(isTool({ ...functions, getNode: () => ({ type }) as INode })).toBe(expected),
);

it.each<[object, boolean]>([
	[{ mimeType: 'image/png', data: 'QQ==' }, true],
	[{ mimeType: 'image/png', id: 'filesystem-v2:1' }, true],
	[{ mimeType: 'image/png' }, false],
	[{ mimeType: 'image/png', data: 7 }, false],
	[{ data: 'QQ==' }, false],
	[[], false],
])('%j is a file of n8n: %s', (value, isFile) => expect(isBinaryValue(value)).toBe(isFile));

it.each([
	['before', true],
	['after', false],
])('a cancellation of a run overrides an error %s it', async (_, failsFirst) => {
	const controller = new AbortController();
	const run = new RunSignal(controller.signal);
	const [fail, cancel] = [() => run.abort('other item failed'), () => controller.abort()];
	for (const end of failsFirst ? [fail, cancel] : [cancel, fail]) end();
	expect(run.isCancelled).toBe(true);
	expect(await rejection(run.until(async () => await Promise.resolve()))).toMatchObject({
		reason: 'cancelled',
	});
});

const task = (...resultUrls: string[]) =>
	readMediaTask({ data: { state: 'success', resultJson: { resultUrls } } }, 't1');

it('where n8n cannot store a result, its error is thrown as it is, and the download ends', async () => {
	const full = new Error('The disk is full');
	const body = Readable.from([Buffer.from('a')]);
	const transport: Transport = async (_, read) =>
		await read({ status: 200, headers: {}, body }, () => body.destroy());
	const { client } = scriptedClient([], { maxRetries: 0 }, { dependencies: { transport } });
	const helpers = { prepareBinaryData: async () => await Promise.reject(full) };
	const downloading = downloadFiles({ client, n8n: { helpers } }, task('https://files.test/a'), 'data');
	expect(await rejection(downloading)).toBe(full);
	expect(body.destroyed).toBe(true);
});

it('the JSON of a task begins with the most important fields, and has no empty columns', () => {
	const base = { resultUrls: [], result: 'text', state: 'fail', taskId: 't1' };
	const more = { model: 'm', createdAt: '2026-01-01T00:00:00.000Z', failMsg: 'no', failCode: 'NSFW' };
	const json = taskJson({ ...more, tracks: undefined, ...base }, 6.5);
	expect(json).toStrictEqual({ ...base, ...more, priceRub: 6.5 });
	const order = 'taskId state priceRub failCode failMsg model createdAt resultUrls result';
	expect(Object.keys(json).join(' ')).toBe(order);
	expect(taskJson(task())).toStrictEqual({ taskId: 't1', state: 'success', resultUrls: [] });
});
