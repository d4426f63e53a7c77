import { setTimeout as sleep } from 'node:timers/promises';

import type { WorkflowJson } from '../sandbox/n8n/types';
import { manualTrigger, withCredential } from '../sandbox/n8n/workflows';
import type { OwnEnvironment } from '../test/e2e/support/environment';

const LONGEST_RUN_MS = 10 * 60_000;

export type Place = Pick<OwnEnvironment, 'client' | 'credential' | 'gateway' | 'server'>;

/** Runs a workflow once to its end, and returns the execution's ID. Its data is not read, because that costs n8n time and memory. */
export async function execute({ client, credential }: Place, workflow: WorkflowJson): Promise<string> {
	const { id: workflowId } = await client.createWorkflow(withCredential(workflow, credential));
	const id = await client.runManually(workflowId, manualTrigger(workflow));
	const deadline = Date.now() + LONGEST_RUN_MS;
	for (;;) {
		const status = (await client.listExecutions(workflowId))[0]?.status ?? 'new';
		if (!['new', 'running', 'waiting'].includes(status)) return id;
		if (Date.now() > deadline) throw new Error(`${workflow.name} is still "${status}".`);
		await sleep(250);
	}
}
