import type { FaultAction } from '../../sandbox/gateway/gateway';
import { waitForExecution, type RunResult } from '../../sandbox/n8n/executions';
import { manualTrigger, withCredential } from '../../sandbox/n8n/workflows';
import { useEnvironment, type Environment } from './support/environment';
import { eventually } from './support/eventually';
import { byId, gatewayNode, itemsNode, workflowOf } from './support/workflows';

// Time on the real n8n: responses that stall, and executions that are stopped.

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

/** Creates a picture for each item. */
const draw = (parameters: Record<string, unknown> = {}, settings: Record<string, unknown> = {}) =>
	gatewayNode(
		'Node',
		'mediaTask',
		{
			operation: 'create',
			model: byId('aurora/canvas-1'),
			inputMode: 'json',
			inputJson: '={"prompt": "{{ $json.n }}", "quality": "draft", "size": "512x512"}',
			...parameters,
		},
		settings,
	);

/** A node behind so many items. */
function behind(count: number, node: ReturnType<typeof gatewayNode>) {
	const items = itemsNode(
		'Items',
		Array.from({ length: count }, (_, n) => ({ n })),
	);
	return workflowOf('Time', [items, node], { Start: ['Items'], Items: ['Node'] });
}

const itemsOf = (result: RunResult) => (result.nodes['Node']?.items ?? []).map(({ json }) => json);

test.each<[string, FaultAction]>([
	['comes byte by byte', { kind: 'dripBody', everyMs: 500 }],
	['stalls', { kind: 'stallBody' }],
])('a response that %s ends with the timeout, and may be charged', async (_, action) => {
	fault('POST', '/chat/completions', action, 0);
	const ask = { model: byId('sandbox/swift-1'), prompt: 'Hello', options: { timeout: 2 } };
	const start = Date.now();
	const result = await environment.runWorkflow(
		behind(1, gatewayNode('Node', 'textGeneration', ask, { ...continuing, ...retrying })),
	);
	expect(itemsOf(result)).toMatchObject([
		{ error: { code: 'timeout', mayBeCharged: true, retryable: false } },
	]);
	expect(requests('POST', '/chat/completions')).toHaveLength(1);
	expect(Date.now() - start).toBeLessThan(20_000);
});

test('polls that come byte by byte do not outlast Max Wait', async () => {
	fault('GET', `${TASKS}/*`, { kind: 'dripBody', everyMs: 500 }, 0);
	const start = Date.now();
	const result = await environment.runWorkflow(
		behind(1, draw({ operation: 'createAndWait', options: { maxWait: 0.05 } }, continuing)),
	);
	expect(itemsOf(result)).toMatchObject([{ error: { code: 'wait_timeout', paid: true } }]);
	expect(Date.now() - start).toBeLessThan(3_000 + 5_000 + 10_000);
});

test('a cancelled execution logs the creations whose outcome is unknown', async () => {
	fault('POST', TASKS, { kind: 'hang', afterEffect: true }, 0);
	const workflow = behind(3, draw());
	const { id } = await environment.client.createWorkflow(withCredential(workflow, environment.credential));
	const executionId = await environment.client.runManually(id, manualTrigger(workflow));
	await eventually(() => Promise.resolve(expect(ledger()).toHaveLength(3)));
	await environment.client.stopExecution(executionId);
	expect((await waitForExecution(environment.client, executionId)).status).toBe('canceled');
	const named = 'The outcome of items 0, 1, 2 is unknown: they may have been charged.';
	await eventually(async () => expect(await environment.n8nLog()).toContain(named));
	expect(requests('POST', TASKS)).toHaveLength(3);
});
