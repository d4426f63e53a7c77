import type { StoredWorkflow } from '../../../sandbox/n8n/types';
import type { Environment } from './environment';
import { eventually } from './eventually';
import { catcher, clusterOf, gatewayNode } from './workflows';

let count = 0;

/** A published trigger. */
export interface PublishedTrigger {
	workflow: StoredWorkflow;
	url: string;
}

/** Publishes a trigger, and waits until its webhook is there. */
export async function publishTrigger(
	environment: Environment,
	parameters: object = {},
	settings: object = {},
): Promise<PublishedTrigger> {
	count += 1;
	const webhookId = `trigger-${count}-5f6c1c6e-8f6d-4a39`;
	const trigger = gatewayNode('Trigger', 'mediaTaskTrigger', { ...parameters }, { webhookId });
	const workflow = clusterOf(`Trigger ${count}`, [trigger], [], [catcher('After')]);
	workflow.settings = { ...workflow.settings, ...settings };
	const stored = await environment.publish(workflow);
	const url = `${environment.client.url}/webhook/${webhookId}/media-task`;
	await listening(url);
	return { workflow: stored, url };
}

/** Waits until the webhook is there: a call that names no task is answered with 400 then. */
export async function listening(url: string): Promise<void> {
	await eventually(async () => expect((await fetch(url)).status).not.toBe(404), 30_000);
}

/** Calls a webhook with JSON. */
export async function call(url: string, body: unknown): Promise<Response> {
	const headers = { 'content-type': 'application/json' };
	return await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
}
