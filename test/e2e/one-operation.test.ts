import { waitForExecution } from '../../sandbox/n8n/executions';
import { credentialType } from '../../sandbox/n8n/workflows';
import { useEnvironment, type Environment } from './support/environment';
import { byId, gatewayNode, itemsNode, workflowOf } from './support/workflows';

// Who pays: a key that is an expression.

let environment: Environment;

useEnvironment((started) => (environment = started), { settings: { taskDuration: { image: 8_000 } } });

it('a suspended execution is resumed by its callbacks, with a key that is an expression', async () => {
	const { control, baseUrl } = environment.gateway;
	const accounts = ['alice', 'bob'];
	const credential = await environment.client.saveCredential('By item', credentialType, {
		baseUrl,
		apiKey: '={{ $json.key }}',
	});
	const node = gatewayNode('Node', 'mediaTask', {
		operation: 'createAndWait',
		model: byId('aurora/canvas-1'),
		inputMode: 'json',
		inputJson: '={"prompt": "{{ $json.n }}", "quality": "draft", "size": "512x512"}',
		downloadResults: false,
		waitStrategy: 'suspend',
		options: { concurrency: 1, maxWait: 10 },
	});
	const items = accounts.map((account, n) => ({ n, key: control.createKey({ account }).key }));
	for (const account of accounts) control.setBalance('100.00', account);
	const workflow = workflowOf('By item', [itemsNode('Items', items), node], {
		Start: ['Items'],
		Items: ['Node'],
	});
	const execution = await environment.begin(workflow, credential);
	const suspended = await waitForExecution(environment.client, execution, { orWaiting: true });
	expect(suspended.status).toBe('waiting');
	const { nodes } = await environment.end(execution);
	expect(nodes['Node']?.items.map(({ json }) => json['state'])).toStrictEqual(['success', 'success']);
	expect(control.ledger().map(({ account }) => account)).toStrictEqual(accounts);
});
