import { setTimeout as sleep } from 'node:timers/promises';

import type { StoredWorkflow } from '../../../sandbox/n8n/types';
import { withCredential } from '../../../sandbox/n8n/workflows';
import type { Environment } from './environment';
import { catcher, gatewayNode } from './workflows';

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
	const trigger = gatewayNode(
		'Trigger',
		'mediaTaskTrigger',
		{ ...parameters },
		{
			id: 'trigger',
			position: [0, 0],
			webhookId,
		},
	);
	const workflow = {
		name: `Trigger ${count}`,
		nodes: [trigger, { ...catcher('After'), id: 'after', position: [220, 0] }],
		connections: { Trigger: { main: [[{ node: 'After', type: 'main', index: 0 }]] } },
		settings: { executionOrder: 'v1', ...settings },
	};
	const stored = await environment.client.createWorkflow(withCredential(workflow, environment.credential));
	await environment.client.activate(stored);
	const url = `${environment.client.url}/webhook/${webhookId}/media-task`;
	await listening(url);
	return { workflow: stored, url };
}

/** Waits until the webhook is there: a call that names no task is answered with 400 then. */
export async function listening(url: string): Promise<void> {
	for (const end = Date.now() + 30_000; (await fetch(url)).status === 404 && Date.now() < end; )
		await sleep(50);
}

/** Calls a webhook with JSON. */
export const call = async (url: string, body: unknown, method = 'POST') =>
	await fetch(url, {
		method,
		headers: { 'content-type': 'application/json' },
		...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
	});
