import { resultOf, waitForExecution } from '../../sandbox/n8n/executions';
import { credentialType, withCredential } from '../../sandbox/n8n/workflows';
import { useEnvironment, type Environment } from './support/environment';
import { byId, gatewayNode, itemsNode, workflowOf } from './support/workflows';

// Who pays: accounts by item, and a key that is an expression.

let environment: Environment;

useEnvironment((started) => (environment = started));
beforeEach(async () => {
	await environment.gateway.control.reset();
	environment.gateway.control.configure({ taskDuration: { image: 0 } });
});

const ledger = () => environment.gateway.control.ledger();

const task = (parameters: Record<string, unknown> = {}) =>
	gatewayNode('Node', 'mediaTask', {
		operation: 'createAndWait',
		model: byId('aurora/canvas-1'),
		inputMode: 'json',
		inputJson: '={"prompt": "{{ $json.n }} {{ Math.random() }}", "quality": "draft", "size": "512x512"}',
		downloadResults: false,
		options: { concurrency: 1 },
		...parameters,
	});
const text = gatewayNode('Node', 'textGeneration', {
	model: byId('sandbox/balanced-2'),
	prompt: '=Hello {{ $json.n }}',
});
const flow = (items: Array<Record<string, unknown>>, node: ReturnType<typeof gatewayNode>) =>
	workflowOf('One operation', [itemsNode('Items', items), node], { Start: ['Items'], Items: ['Node'] });

test.each([
	['texts', text],
	['media tasks', task()],
])('%s are charged to the account of their item, with a key that is an expression', async (_, node) => {
	const { control, baseUrl } = environment.gateway;
	const accounts = ['alice', 'bob', 'alice', 'bob'];
	const keys = new Map(accounts.map((account) => [account, control.createKey({ account }).key]));
	for (const account of keys.keys()) control.setBalance('100.00', account);
	const credential = await environment.client.saveCredential('By item', credentialType, {
		baseUrl,
		apiKey: '={{ $json.key }}',
	});
	const workflow = flow(
		accounts.map((account, n) => ({ n, key: keys.get(account) })),
		node,
	);
	const { id } = await environment.client.createWorkflow(withCredential(workflow, credential));
	const execution = await environment.client.runManually(id, 'Start');
	expect((await waitForExecution(environment.client, execution)).status).toBe('success');
	expect(
		ledger()
			.map(({ account }) => account)
			.sort(),
	).toStrictEqual(['alice', 'alice', 'bob', 'bob']);
});

it('a suspended execution is resumed by its callbacks, with a key that is an expression', async () => {
	const { control, baseUrl } = environment.gateway;
	control.configure({ taskDuration: { image: 8_000 } });
	const keys = ['alice', 'bob'].map((account) => control.createKey({ account }).key);
	for (const account of ['alice', 'bob']) control.setBalance('100.00', account);
	const credential = await environment.client.saveCredential('By item', credentialType, {
		baseUrl,
		apiKey: '={{ $json.key }}',
	});
	const node = task({ waitStrategy: 'suspend', options: { concurrency: 1, maxWait: 10 } });
	const workflow = flow(
		keys.map((key, n) => ({ n, key })),
		node,
	);
	const { id } = await environment.client.createWorkflow(withCredential(workflow, credential));
	const execution = await environment.client.runManually(id, 'Start');
	const suspended = await waitForExecution(environment.client, execution, { orWaiting: true });
	expect(suspended.status).toBe('waiting');
	const { nodes } = resultOf(await waitForExecution(environment.client, execution));
	expect(nodes['Node']?.items.map(({ json }) => json['state'])).toStrictEqual(['success', 'success']);
	expect(ledger().map(({ account }) => account)).toStrictEqual(['alice', 'bob']);
});
