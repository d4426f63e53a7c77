import { useOwnEnvironment, type OwnEnvironment } from './support/environment';
import { byId, gatewayNode, itemsNode, workflowOf } from './support/workflows';

// n8n's protection against requests to internal addresses (SSRF).

let environment: OwnEnvironment;

useOwnEnvironment((started) => (environment = started), {
	n8n: { N8N_SSRF_PROTECTION_ENABLED: 'true' },
});

test('a gateway at a blocked address: nothing is sent, and the error says what to do', async () => {
	const text = gatewayNode(
		'Node',
		'textGeneration',
		{ model: byId('sandbox/balanced-2'), prompt: 'Hello' },
		{ onError: 'continueRegularOutput' },
	);
	const { nodes } = await environment.runWorkflow(
		workflowOf('Blocked', [itemsNode('Items', [{ n: 0 }]), text], { Start: ['Items'], Items: ['Node'] }),
	);
	expect(nodes['Node']?.items[0]?.json['error']).toMatchObject({
		message: 'This n8n server does not allow requests to that address',
		description: expect.stringContaining('N8N_SSRF_ALLOWED_IP_RANGES') as string,
		retryable: false,
	});
	expect(nodes['Node']?.items[0]?.json['error']).not.toHaveProperty('mayBeCharged');
	expect(environment.gateway.control.requests()).toStrictEqual([]);
});
