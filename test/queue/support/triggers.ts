import { randomUUID } from 'node:crypto';
import type { WorkflowNode } from '../../../sandbox/n8n/types';
import { gatewayNode } from '../../e2e/support/workflows';

/** A node that starts a workflow by a call. */
export interface Trigger {
	node: WorkflowNode;
	/** The path of its production URL. */
	path: string;
}

/** n8n's Webhook node, for POST. */
export function webhook(responseMode: 'onReceived' | 'streaming'): Trigger {
	const webhookId = randomUUID();
	const parameters = { httpMethod: 'POST', path: webhookId, responseMode, options: {} };
	const type = 'n8n-nodes-base.webhook';
	return {
		node: { name: 'Webhook', type, typeVersion: 2.1, webhookId, parameters },
		path: `/webhook/${webhookId}`,
	};
}

/** The package's Media Task Trigger. */
export function taskTrigger(parameters: Record<string, unknown>): Trigger {
	const webhookId = randomUUID();
	return {
		node: gatewayNode('Trigger', 'mediaTaskTrigger', parameters, { webhookId }),
		path: `/webhook/${webhookId}/media-task`,
	};
}
