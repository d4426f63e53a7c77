import { setTimeout as sleep } from 'node:timers/promises';

import type { FaultAction } from '../../sandbox/gateway/gateway';
import { waitForExecution, type RunResult } from '../../sandbox/n8n/executions';
import { manualTrigger, withCredential } from '../../sandbox/n8n/workflows';
import { useEnvironment, type Environment } from './support/environment';
import { byId, gatewayNode, itemsNode, workflowOf } from './support/workflows';

// Money and time on the real n8n, when requests fail, stall and are repeated.

let environment: Environment;

useEnvironment((started) => (environment = started));
beforeEach(async () => {
	await environment.gateway.control.reset();
	environment.gateway.control.configure({ taskDuration: { image: 0 } });
});

const TASKS = '/async/media/tasks';
const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };
const continuing = { onError: 'continueRegularOutput' };

const ledger = () => environment.gateway.control.ledger();
const requests = (method: string, path: string) => environment.gateway.control.requests({ method, path });
const fault = (method: string, path: string, action: FaultAction, times = 1) =>
	environment.gateway.control.addFault({ match: { method, path }, action, times });

/** Creates a picture for each item; each reading of the prompt returns another one. */
function draw(parameters: Record<string, unknown> = {}, settings: Record<string, unknown> = {}) {
	const input = '={"prompt": "{{ $json.n }} {{ Math.random() }}", "quality": "draft", "size": "512x512"}';
	return gatewayNode(
		'Node',
		'mediaTask',
		{
			operation: 'create',
			model: byId('aurora/canvas-1'),
			inputMode: 'json',
			inputJson: input,
			...parameters,
		},
		settings,
	);
}

/** Runs a node once for each of these items. */
async function run(node: ReturnType<typeof gatewayNode>, count = 1): Promise<RunResult> {
	const items = itemsNode(
		'Items',
		Array.from({ length: count }, (_, n) => ({ n })),
	);
	return await environment.runWorkflow(
		workflowOf('Money', [items, node], { Start: ['Items'], Items: ['Node'] }),
	);
}

const itemsOf = (result: RunResult) => (result.nodes['Node']?.items ?? []).map(({ json }) => json);
const taskIds = () => ledger().map(({ taskId }) => taskId);

test('Retry On Fail repeats a creation whose response was lost as it was sent, and pays once', async () => {
	fault('POST', TASKS, { kind: 'loseResponse' }, 2);
	const result = await run(draw({ options: { maxRetries: 0 } }, retrying));
	expect(result.status).toBe('success');
	expect(requests('POST', TASKS)).toHaveLength(3);
	expect(itemsOf(result).map(({ taskId }) => taskId)).toStrictEqual(taskIds());
	expect(ledger()).toHaveLength(1);
});

test('Retry On Fail takes up a task that did not end in the first try', async () => {
	environment.gateway.control.configure({ taskDuration: { image: 4_000 } });
	const options = { maxWait: 0.03 };
	const result = await run(
		draw({ operation: 'createAndWait', downloadResults: false, options }, { ...retrying, maxTries: 5 }),
	);
	expect(result.status).toBe('success');
	expect(itemsOf(result).map(({ taskId }) => taskId)).toStrictEqual(taskIds());
	expect(ledger()).toHaveLength(1);
});

test('an error names every task that is paid for', async () => {
	environment.gateway.control.addFault({
		match: { method: 'POST', path: TASKS, nth: 25 },
		action: { kind: 'error', code: 'insufficient_quota' },
	});
	const result = await run(draw({ options: { concurrency: 1 } }), 25);
	expect(taskIds()).toHaveLength(24);
	for (const taskId of taskIds()) expect(result.error?.description).toContain(String(taskId));
});

test('an error item of a task that is paid for is not retryable', async () => {
	environment.gateway.control.configure({ taskDuration: { image: 600_000 } });
	const result = await run(draw({ operation: 'createAndWait', options: { maxWait: 0.02 } }, continuing));
	const [taskId] = taskIds();
	expect(itemsOf(result)).toMatchObject([
		{ error: { code: 'wait_timeout', taskId, paid: true, retryable: false } },
	]);
});

test('an Idempotency Key for two inputs is an error in every try, and pays once', async () => {
	const options = { idempotencyKey: 'order-1', concurrency: 1 };
	const result = await run(draw({ options }, retrying), 2);
	expect(result.error?.message).toContain('is the same for two different inputs');
	expect(ledger()).toHaveLength(1);
});

test.each<[string, FaultAction]>([
	['comes byte by byte', { kind: 'dripBody', everyMs: 500 }],
	['stalls', { kind: 'stallBody' }],
])('a response that %s ends with the timeout, and may be charged', async (_, action) => {
	fault('POST', '/chat/completions', action, 0);
	const ask = { model: byId('sandbox/swift-1'), prompt: 'Hello', options: { timeout: 2 } };
	const start = Date.now();
	const result = await run(gatewayNode('Node', 'textGeneration', ask, { ...continuing, ...retrying }));
	expect(itemsOf(result)).toMatchObject([
		{ error: { code: 'timeout', mayBeCharged: true, retryable: false } },
	]);
	expect(requests('POST', '/chat/completions')).toHaveLength(1);
	expect(Date.now() - start).toBeLessThan(20_000);
});

test('polls that come byte by byte do not outlast Max Wait', async () => {
	fault('GET', `${TASKS}/*`, { kind: 'dripBody', everyMs: 500 }, 0);
	const start = Date.now();
	const result = await run(draw({ operation: 'createAndWait', options: { maxWait: 0.05 } }, continuing));
	expect(itemsOf(result)).toMatchObject([{ error: { code: 'wait_timeout', paid: true } }]);
	expect(Date.now() - start).toBeLessThan(3_000 + 5_000 + 10_000);
});

test('a cancelled execution logs the creations whose outcome is unknown', async () => {
	fault('POST', TASKS, { kind: 'hang', afterEffect: true }, 0);
	const items = itemsNode(
		'Items',
		[0, 1, 2].map((n) => ({ n })),
	);
	const workflow = workflowOf('Cancel', [items, draw()], { Start: ['Items'], Items: ['Node'] });
	const { id } = await environment.client.createWorkflow(withCredential(workflow, environment.credential));
	const executionId = await environment.client.runManually(id, manualTrigger(workflow));
	for (const end = Date.now() + 20_000; ledger().length < 3 && Date.now() < end; ) await sleep(50);
	await environment.client.stopExecution(executionId);
	expect((await waitForExecution(environment.client, executionId)).status).toBe('canceled');
	const named = 'The outcome of items 0, 1, 2 is unknown: they may have been charged.';
	for (const end = Date.now() + 10_000; !(await environment.n8nLog()).includes(named) && Date.now() < end; )
		await sleep(50);
	expect(await environment.n8nLog()).toContain(named);
	expect(requests('POST', TASKS)).toHaveLength(3);
});

describe('a download', () => {
	/** A task that has ended, and the URL of its file. */
	async function finished(): Promise<{ taskId: string; url: string }> {
		const parameters = { operation: 'createAndWait', downloadResults: false };
		const [json] = itemsOf(await run(draw(parameters)));
		const { taskId, resultUrls } = json as { taskId: string; resultUrls: [string] };
		return { taskId, url: resultUrls[0] };
	}
	const download = async (taskId: string) =>
		await run(
			gatewayNode('Node', 'mediaTask', { operation: 'download', taskId, options: { maxRetries: 0 } }),
		);

	test('that the gateway redirects gives the file, and the key goes nowhere else', async () => {
		const { taskId, url } = await finished();
		fault('GET', `${TASKS}/*/download`, { kind: 'redirect', location: url });
		const result = await download(taskId);
		expect(result.error).toBeUndefined();
		expect(result.nodes['Node']?.items[0]?.binary?.['data']).toMatchObject({ mimeType: 'image/png' });
		const requests = environment.gateway.control.requests({ host: 'files' });
		expect(requests).toMatchObject([{ status: 200 }]);
		expect(JSON.stringify(requests)).not.toContain(environment.gateway.apiKey);
	});

	test('that is an error under the status 200 is that error', async () => {
		const { taskId } = await finished();
		const text = '{"code":403,"msg":"Not on the plan","data":null}';
		const body = { text, contentType: 'application/json' };
		fault('GET', `${TASKS}/*/download`, { kind: 'raw', status: 200, body }, 0);
		const result = await download(taskId);
		expect(result.error?.message).toBe('The gateway denied access');
	});

	describe('of a task without a link', () => {
		/** Runs Create and Wait for a task that ends so. */
		async function draws(result: object) {
			const data = { state: 'success', resultJson: JSON.stringify(result) };
			const text = JSON.stringify({ code: 200, msg: 'success', data });
			const body = { text, contentType: 'application/json' };
			fault('GET', `${TASKS}/*/download`, { kind: 'error', code: 'not_found' }, 0);
			fault('GET', `${TASKS}/*`, { kind: 'raw', status: 200, body }, 0);
			const executed = await run(draw({ operation: 'createAndWait' }));
			expect(executed.error).toBeUndefined();
			return executed;
		}

		test('nor a file is its result', async () => {
			const executed = await draws({ caption: 'a fox' });
			expect(itemsOf(executed)).toMatchObject([{ state: 'success', result: { caption: 'a fox' } }]);
		});

		test('but with a data URL is its file', async () => {
			const executed = await draws({ resultUrls: ['data:image/svg+xml,%3Csvg/%3E'] });
			const [item] = executed.nodes['Node']?.items ?? [];
			expect(item?.binary?.['data']).toMatchObject({ mimeType: 'image/svg+xml', fileExtension: 'svg' });
			expect(item && String(await environment.readBinary(item))).toBe('<svg/>');
		});
	});

	test.each<[string, FaultAction]>([
		['is empty', { kind: 'raw', status: 200, body: 'empty' }],
		['is a web page', { kind: 'raw', status: 200, body: 'html' }],
	])('that %s is an error', async (_, action) => {
		const { taskId } = await finished();
		fault('GET', `${TASKS}/*/download`, action, 0);
		const result = await download(taskId);
		expect(result.error?.message).toMatch(/^(The file is empty|A web page came instead of the file)$/);
	});
});
