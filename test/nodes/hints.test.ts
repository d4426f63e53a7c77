import nock from 'nock';
import type { ICredentialTestFunctions, ILoadOptionsFunctions } from 'n8n-workflow';

import { BalanceTrigger } from '../../nodes/BalanceTrigger/BalanceTrigger.node';
import { MediaTaskTrigger } from '../../nodes/MediaTaskTrigger/MediaTaskTrigger.node';
import { testGateway } from '../../nodes/shared/n8n/credentialTest';
import { subNodeClient } from '../../nodes/shared/n8n/client';
import { mapMediaInput } from '../../nodes/shared/fields/mediaForm';
import { searchTextModels } from '../../nodes/shared/fields/models';
import { rejection } from '../helpers/client';
import { editorContext, pollContext, supplyContext, webhookContext } from '../helpers/contexts';
import { runNode } from '../helpers/engine';
import { useNock } from '../helpers/nock';

// The hint of a rate limit, with and without options in the panel.

useNock();

const credential = { baseUrl: 'https://gateway.test/api/v1', apiKey: 'sk-1' };
/** Too long for a retry. */
const RETRY_TOMORROW = { 'retry-after': '86400' };
const BUSY = { error: { message: 'slow down', code: 'rate_limit_exceeded' } };

const busy = (path: string) =>
	nock('https://gateway.test').get(`/api/v1${path}`).reply(429, BUSY, RETRY_TOMORROW);
const hintOf = (error: unknown) => (error as { description?: string }).description ?? '';

const ALL_OPTIONS = /Concurrency|Rate Limit Wait|Timeout|Batch Size/;

it('the hint of an action node names its options', async () => {
	busy('/balance');
	const { error } = await runNode({ node: 'balance', parameters: {}, credential });
	expect(error?.description).toContain("Raise the option 'Rate Limit Wait (Minutes)'");
});

it('the hint of a polling trigger names no option', async () => {
	busy('/balance');
	const parameters = { fireOn: 'below', threshold: 100 };
	const context = pollContext({ node: 'balanceTrigger', parameters, credential, mode: 'trigger', store: {} });
	const hint = hintOf(await rejection(new BalanceTrigger().poll.call(context)));
	expect(hint).toContain('The limit of requests per minute was reached.');
	expect(hint).not.toMatch(ALL_OPTIONS);
});

it('the hint of a webhook trigger that cannot fetch a file names no option', async () => {
	const done = { taskId: 't1', state: 'success', resultJson: '{"resultUrls":["https://files.test/a.png"]}' };
	nock('https://gateway.test')
		.get('/api/v1/async/media/tasks/t1')
		.reply(200, { code: 200, msg: 'success', data: done });
	nock('https://files.test').get('/a.png').reply(429, '', RETRY_TOMORROW);
	const context = webhookContext(
		{ node: 'mediaTaskTrigger', parameters: {}, credential, mode: 'webhook', store: {} },
		{ body: { taskId: 't1' } },
	);
	const { workflowData } = await new MediaTaskTrigger().webhook.call(context);
	const report = workflowData?.[0]?.[0]?.json.downloadError;
	expect(report).toMatchObject({ httpCode: '429' });
	expect(hintOf(report)).toContain('the file stays at the gateway');
	expect(hintOf(report)).not.toMatch(ALL_OPTIONS);
});

it.each<[string, string, (context: ILoadOptionsFunctions) => Promise<object>]>([
	['the list of models', '/models', async (context) => await searchTextModels.call(context)],
	['the form of a model', '/media/models', async (context) => await mapMediaInput.call(context)],
])('the hint of %s names no option', async (_, path, load) => {
	busy(path);
	const parameters = { model: { __rl: true, mode: 'id', value: 'acme/painter' } };
	const hint = hintOf(await rejection(load(editorContext({ node: 'mediaTask', parameters, credential }))));
	expect(hint).toContain('The limit of requests per minute was reached.');
	expect(hint).not.toMatch(ALL_OPTIONS);
});

it('the hint of a credential test names no option', async () => {
	const request = async () => await Promise.resolve({ statusCode: 429, body: JSON.stringify(BUSY) });
	const context = { helpers: { request } } as unknown as ICredentialTestFunctions;
	const { message } = await testGateway.call(context, {
		id: '1',
		name: 'Gateway',
		type: 'aiGatewayApi',
		data: credential,
	});
	expect(message).toContain('The limit of requests per minute was reached.');
	expect(message).not.toMatch(ALL_OPTIONS);
});

it('the hint of the chat model names the option of the agent or chain', async () => {
	busy('/models');
	const { context } = supplyContext({ node: 'chatModel', parameters: {}, credential });
	const { client } = await subNodeClient(context, 0, { maxRetries: 0, timeoutMs: undefined });
	const error = await rejection(client.json({ group: 'catalogue', kind: 'read', path: '/models' }));
	expect(error).toMatchObject({
		details: {
			description: expect.stringMatching(
				/Lower 'Batch Size' of the agent or chain, raise the option/,
			) as string,
		},
	});
});
