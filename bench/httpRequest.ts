import type { WorkflowNode } from '../sandbox/n8n/types';

/** n8n's own HTTP Request node, the baseline of the benchmarks. */
export function httpRequest(name: string, parameters: Record<string, unknown>): WorkflowNode {
	return { name, type: 'n8n-nodes-base.httpRequest', typeVersion: 4.2, parameters };
}

/** Its parameters for a request with the gateway's key. */
export function signedWith(apiKey: string): Record<string, unknown> {
	const header = { name: 'Authorization', value: `Bearer ${apiKey}` };
	return { sendHeaders: true, headerParameters: { parameters: [header] } };
}
