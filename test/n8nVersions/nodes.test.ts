import nock from 'nock';

import { BalanceTrigger } from '../../nodes/BalanceTrigger/BalanceTrigger.node';
import { MediaTaskTrigger } from '../../nodes/MediaTaskTrigger/MediaTaskTrigger.node';
import chatResponse from '../fixtures/chat/plain.json';
import responsesResponse from '../fixtures/responses/plain.json';
import { pollContext, webhookContext } from '../helpers/contexts';
import { binaryStorage, runAgain, runNode, storedBinary, type RunOptions } from '../helpers/engine';
import { catalogue, creations, envelope, files, gateway, model, TASKS } from '../helpers/media';
import { useNock } from '../helpers/nock';
import { olderContext, type OlderN8n } from '../helpers/olderN8n';
import { mockTasks, prompts, sendCallback, suspend, suspending } from '../helpers/suspended';
import { CONTINUE, locator } from '../helpers/values';

// Each node on n8n's engine, without the functions that an older n8n lacks and with the errors that it throws.

useNock();
const olderN8n: Array<[string, OlderN8n]> = [
	['1.123', { version: '1.120.0', lacks: ['isToolExecution', 'getWorkflowSettings'] }],
	['2.30', { version: '2.30.2', lacks: [] }],
];

const writer = locator('acme/writer');
describe.each(olderN8n)('on n8n %s', (_, older) => {
	const run = async (
		node: RunOptions['node'],
		parameters: RunOptions['parameters'],
		more: Partial<RunOptions> = {},
	) => await runNode({ node, parameters, older, ...more });
	const generate = async (more: Partial<RunOptions> = {}) =>
		await run(
			'textGeneration',
			{ resource: 'text', operation: 'generate', model: writer, prompt: 'Hi' },
			more,
		);

	it('text is generated', async () => {
		gateway().post('/api/v1/chat/completions').reply(200, chatResponse);
		const { items, error } = await generate();
		expect([error, items[0]?.json.text]).toStrictEqual([undefined, 'Hello there']);
	});

	it.each([
		['that did not reach the gateway is repeated', 'ECONNREFUSED', 'connect', 'Hello there'],
		['whose response is lost is sent once: it may be charged', 'ECONNRESET', 'read', undefined],
	])('a text call %s', async (_title, code, syscall, text) => {
		const error = Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
		gateway().post('/api/v1/chat/completions').replyWithError(error);
		gateway().post('/api/v1/chat/completions').reply(200, chatResponse);
		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1, ...CONTINUE };
		const { items } = await generate({ settings });
		expect(items[0]?.json.text).toBe(text);
		const isUnknown = text === undefined;
		expect(nock.pendingMocks()).toHaveLength(isUnknown ? 1 : 0);
		expect(items[0]?.json.error ?? {}).toMatchObject(
			isUnknown ? { mayBeCharged: true, retryable: false } : {},
		);
	});

	it('the balance is read', async () => {
		gateway().get('/api/v1/balance').reply(200, { RUB: '12.50' });
		const { items } = await run('balance', { resource: 'balance', operation: 'get' });
		expect(items[0]?.json.amountRub).toBe(12.5);
	});

	it('a media task is created, and its result is downloaded', async () => {
		catalogue();
		const sent = creations();
		const resultUrls = ['https://files.test/a.png'];
		gateway()
			.get(`${TASKS}/t1`)
			.reply(200, envelope({ taskId: 't1', state: 'success', resultJson: { resultUrls } }));
		files().get('/a.png').reply(200, 'pixels', { 'Content-Type': 'image/png' });
		const { items, error } = await run('mediaTask', {
			resource: 'task',
			operation: 'createAndWait',
			model,
			inputMode: 'json',
			inputJson: '{"prompt": "a cat"}',
		});
		expect([error, sent.length]).toStrictEqual([undefined, 1]);
		expect(Object.keys(items[0]?.binary ?? {})).toStrictEqual(['data']);
	});

	it('an execution is suspended for a media task, and resumed by its callback', async () => {
		const tasks = mockTasks(() => 'processing');
		const use = suspending({}, { items: prompts('a'), older });
		const suspended = await suspend(tasks, use);
		tasks.respond = () => 'success';
		const { resumed } = await sendCallback(suspended, use, { item: 0 });
		expect(resumed?.items.map(({ json }) => json.state)).toStrictEqual(['success']);
		expect(tasks.sent).toHaveLength(1);
	});

	it.each([
		['a stored file', async () => await storedBinary('pixels', { mimeType: 'image/png', fileName: 'a.png' })],
		['a file in its item', () => ({ mimeType: 'image/png', fileName: 'a.png', data: 'cGl4ZWxz' })],
	])('%s is uploaded', async (_title, binary) => {
		let body = '';
		nock('https://gateway.test')
			.post('/api/v1/storage/upload', (sent: string) => (body = sent) !== '')
			.reply(200, { id: 'f1' });
		await binaryStorage();
		const items = [{ json: {}, binary: { data: await binary() } }];
		const { error } = await run('storage', { resource: 'file', operation: 'upload' }, { items });
		expect(error).toBeUndefined();
		expect(body).toContain('pixels');
	});

	it('a stored file is downloaded', async () => {
		const url = 'https://files.test/a.png';
		gateway().get('/api/v1/storage/f1').reply(200, { id: 'f1', url });
		files().get('/a.png').reply(200, 'pixels', { 'Content-Type': 'image/png' });
		const { items, error } = await run('storage', { resource: 'file', operation: 'download', fileId: 'f1' });
		expect(error).toBeUndefined();
		expect(items[0]?.binary?.data?.mimeType).toBe('image/png');
	});

	it('an agent’s tool works', async () => {
		gateway()
			.get('/api/v1/storage')
			.reply(200, { assets: [{ id: 'f1' }], total: 120 });
		const parameters = { resource: 'file', operation: 'getMany' };
		const { items, error } = await run('storage', parameters, { asTool: true });
		expect(error).toBeUndefined();
		expect(items).toHaveLength(1);
	});

	it('a callback starts a workflow', async () => {
		const taskId = `task-of-${older.version.replaceAll('.', '-')}`;
		gateway()
			.persist()
			.get(`${TASKS}/${taskId}`)
			.reply(200, envelope({ taskId, state: 'success' }));
		const options = {
			node: 'mediaTaskTrigger',
			parameters: { downloadResults: false },
			mode: 'webhook',
			store: {},
		} as const;
		const context = webhookContext(options, { body: { data: { taskId } } });
		const { workflowData } = await new MediaTaskTrigger().webhook.call(olderContext(context, older));
		expect(workflowData?.[0]?.[0]?.json.taskId).toBe(taskId);
	});

	it('a balance starts a workflow', async () => {
		gateway().get('/api/v1/balance').reply(200, { RUB: '99.90' });
		const parameters = { fireOn: 'below', threshold: 100 };
		const context = pollContext({ node: 'balanceTrigger', parameters, mode: 'trigger', store: {} });
		const output = await new BalanceTrigger().poll.call(olderContext(context, older));
		expect(output?.[0]?.[0]?.json.lowBalance).toBe(true);
	});
});

// Before n8n's change #27547, *Retry On Fail* runs a node again if its first item has an `error` that is not undefined.
it('a response with `error: null`, without Simplify, is not paid again when n8n runs the node again', async () => {
	const response = { ...responsesResponse, error: null };
	// For one request.
	gateway().post('/api/v1/responses').reply(200, response);
	const options: RunOptions = {
		node: 'textGeneration',
		settings: { retryOnFail: true },
		parameters: {
			resource: 'text',
			operation: 'generate',
			format: 'responses',
			model: writer,
			prompt: 'Hi',
			simplify: false,
		},
	};
	const first = await runNode(options);
	const again = await runAgain(first, options);
	for (const { items } of [first, again]) expect(items.map(({ json }) => json)).toStrictEqual([response]);
});
