import nock from 'nock';
import type { ILoadOptionsFunctions, IPollFunctions, IWebhookFunctions } from 'n8n-workflow';

import {
	backgroundClient,
	CALLBACK_SETTINGS,
	EDITOR_SETTINGS,
	POLL_SETTINGS,
} from '../../nodes/shared/n8n/client';
import { apiErrorOf } from '../helpers/client';
import { editorContext, pollContext, webhookContext } from '../helpers/contexts';
import { inFakeTime, useFakeTime } from '../helpers/fakeTime';
import { useNock } from '../helpers/nock';

// The client outside an execution: for triggers and the editor.

useNock();
useFakeTime();

const balance = { group: 'balance', kind: 'read', path: '/balance' } as const;
type Context = ILoadOptionsFunctions | IPollFunctions | IWebhookFunctions;

const trigger = { node: 'mediaTaskTrigger', parameters: {}, mode: 'webhook', store: {} } as const;
const poller = { node: 'balanceTrigger', parameters: {}, mode: 'trigger', store: {} } as const;
const uses: Array<[string, () => Context, typeof EDITOR_SETTINGS, number]> = [
	['a callback', () => webhookContext(trigger, { body: {} }), CALLBACK_SETTINGS, 9],
	['a poll', () => pollContext(poller), POLL_SETTINGS, 4],
	['the editor', () => editorContext({ node: 'mediaTask', parameters: {} }), EDITOR_SETTINGS, 2],
];

describe.each(uses)('for %s', (use, context, settings, tries) => {
	it(`sends a request up to ${tries} times while the gateway fails, with the key`, async () => {
		let requests = 0;
		nock('https://gateway.test', { reqheaders: { authorization: 'Bearer sk-test' } })
			.persist()
			.get('/api/v1/balance')
			.reply(() => {
				requests += 1;
				return [503, ''];
			});
		const client = await backgroundClient(context(), settings);
		const { details } = await inFakeTime(apiErrorOf(client.json(balance)));
		expect([details.status, requests]).toStrictEqual([503, tries]);
	});

	it(`waits ${use === 'the editor' ? 'half a minute' : 'as long as a request may take'} for each response`, async () => {
		const own = context();
		jest.spyOn(own.helpers, 'httpRequestWithAuthentication').mockReturnValue(new Promise(() => undefined));
		const client = await backgroundClient(own, { ...settings, maxRetries: 0 });
		const begin = Date.now();
		const { details } = await inFakeTime(apiErrorOf(client.json(balance)));
		const waitedMs = use === 'the editor' ? 30_000 : 315_000;
		expect([details.code, Date.now() - begin]).toStrictEqual(['timeout', waitedMs]);
	});

	it('does not show the key', async () => {
		nock('https://gateway.test')
			.get('/api/v1/balance')
			.reply(403, { error: { message: 'no: sk-test' } });
		const client = await backgroundClient(context(), settings);
		const { details } = await inFakeTime(apiErrorOf(client.json(balance)));
		expect(details.description).toContain('[key]');
		expect(JSON.stringify(details)).not.toContain('sk-test');
	});
});

it('sends any number of requests at a time', async () => {
	let waiting = 0;
	let release: () => void = () => undefined;
	const all = new Promise<void>((resolve) => (release = resolve));
	nock('https://gateway.test')
		.get('/api/v1/balance')
		.times(20)
		.reply(async () => {
			waiting += 1;
			if (waiting === 20) release();
			await all;
			return [200, { amount: 1 }];
		});
	const client = await backgroundClient(pollContext(poller), POLL_SETTINGS);
	const bodies = await Promise.all(Array.from({ length: 20 }, async () => await client.json(balance)));
	expect(bodies).toStrictEqual(Array(20).fill({ amount: 1 }));
});

it('the gateway’s own 504 after 300 s (§8) arrives before the request times out', async () => {
	const context = pollContext(poller);
	const slow = jest.spyOn(context.helpers, 'httpRequestWithAuthentication').mockImplementation(async () => {
		await new Promise((resolve) => setTimeout(resolve, 301_000));
		return { statusCode: 504, headers: {}, body: '{"error":{"code":"gateway_timeout"}}' };
	});
	const client = await backgroundClient(context, { ...POLL_SETTINGS, maxRetries: 0 });
	const { details } = await inFakeTime(apiErrorOf(client.json(balance)));
	expect(details).toMatchObject({ status: 504, code: 'gateway_timeout' });
	expect(slow).toHaveBeenCalledTimes(1);
});
