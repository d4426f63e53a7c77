import { join } from 'node:path';

import { resultOf, waitForExecution } from '../../sandbox/n8n/executions';
import { manualTrigger, withCredential } from '../../sandbox/n8n/workflows';
import { agent, model, start } from './support/agents';
import { useOwnEnvironment, type OwnEnvironment } from './support/environment';
import { clusterOf, gatewayNode, workflowOf } from './support/workflows';

// An n8n that does not bring the SDK for AI nodes.

let environment: OwnEnvironment;

const hideSdk = join(__dirname, 'support', 'hide-ai-sdk.js');
useOwnEnvironment((started) => (environment = started), {
	n8n: { NODE_OPTIONS: `--require ${hideSdk}` },
});

it('loads all nodes of the package, and the others work', async () => {
	const types = await environment.client.nodeTypes();
	const names = types.map(({ name }) => name);
	for (const name of [
		'textGeneration',
		'mediaTask',
		'mediaTaskTrigger',
		'storage',
		'balanceTrigger',
		'chatModel',
	]) {
		expect(names).toContain(`n8n-nodes-ai-gateway.${name}`);
	}
	const balance = gatewayNode('Balance', 'balance', {});
	const result = await environment.runWorkflow(workflowOf('Balance', [balance], { Start: ['Balance'] }));
	expect(result.nodes['Balance']?.items[0]?.json).toMatchObject({ currency: 'RUB' });
});

it('the chat model says which n8n it needs and sends nothing', async () => {
	const { client, credential, gateway } = environment;
	await gateway.control.reset();
	const workflow = withCredential(clusterOf('Agent', [start, agent('Hello')], [model()]), credential);
	const { id } = await client.createWorkflow(workflow);
	const execution = await waitForExecution(client, await client.runManually(id, manualTrigger(workflow)));
	const { status, error } = resultOf(execution);
	expect(status).toBe('error');
	expect(JSON.stringify(error)).toContain('The Gateway Chat Model needs n8n 2.16 or newer');
	expect(gateway.control.requests()).toStrictEqual([]);
});
