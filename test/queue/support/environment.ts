import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGateway, type Gateway } from '../../../sandbox/gateway/gateway';
import type { N8nClient } from '../../../sandbox/n8n/client';
import { resultOf, waitForExecution, type RunResult } from '../../../sandbox/n8n/executions';
import { packPackage } from '../../../sandbox/n8n/package';
import { QueueCluster } from '../../../sandbox/n8n/queue/cluster';
import type { Stored, StoredWorkflow, WorkflowNode } from '../../../sandbox/n8n/types';
import { withCredential } from '../../../sandbox/n8n/workflows';
import { signInWithCredential } from '../../e2e/support/environment';
import { clusterOf, type Service } from '../../e2e/support/workflows';
import type { Trigger } from './triggers';

/** A sandbox gateway and n8n in queue mode with the package installed, private to one test file. */
export class QueueEnvironment {
	private constructor(
		private readonly folder: string,
		readonly gateway: Gateway,
		readonly cluster: QueueCluster,
		/** n8n's API at the main process, signed in as its owner. */
		readonly client: N8nClient,
		private readonly credential: Stored,
	) {}

	/** Starts everything on free ports and in a folder of its own. Takes 20 to 40 s. */
	static async start(): Promise<QueueEnvironment> {
		const folder = await mkdtemp(join(tmpdir(), 'ai-gateway-queue-'));
		const undo: Array<() => Promise<void>> = [async () => await rm(folder, { recursive: true, force: true })];
		try {
			const gateway = await startGateway({});
			undo.push(async () => await gateway.close());
			const cluster = await QueueCluster.start({ folder, tarball: await packPackage(), webhooks: 2 });
			undo.push(async () => await cluster.stop());
			const { client, credential } = await signInWithCredential(cluster.main.url, gateway);
			return new QueueEnvironment(folder, gateway, cluster, client, credential);
		} catch (error) {
			for (const step of undo.reverse()) await step();
			throw error;
		}
	}

	/** Publishes a workflow of nodes one after the other, and waits until its webhook is open. */
	async publish(trigger: Trigger, ...nodes: WorkflowNode[]): Promise<PublishedWorkflow> {
		return await this.publishCluster(trigger, nodes, []);
	}

	/** Publishes a workflow in which nodes serve the last of those that follow one another. */
	async publishCluster(
		trigger: Trigger,
		nodes: WorkflowNode[],
		services: Array<[Service, WorkflowNode]>,
		after: WorkflowNode[] = [],
	): Promise<PublishedWorkflow> {
		const workflow = clusterOf(`Queue ${trigger.path}`, [trigger.node, ...nodes], services, after);
		const stored = await this.client.createWorkflow(withCredential(workflow, this.credential));
		await this.client.activate(stored);
		const url = `${this.cluster.webhookUrl}${trigger.path}`;
		await until('the webhook is open', async () => await isOpen(url));
		return { ...stored, path: trigger.path, url };
	}

	/** Runs a workflow of nodes one after the other as the editor's button does. Returns the execution's ID. */
	async runManually(...nodes: WorkflowNode[]): Promise<string> {
		const start = { name: 'Start', type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} };
		const workflow = clusterOf(`Manual ${nodes.map(({ name }) => name).join()}`, [start, ...nodes], []);
		const { id } = await this.client.createWorkflow(withCredential(workflow, this.credential));
		return await this.client.runManually(id, start.name);
	}

	/** The executions of a workflow, once there are so many and all have ended. */
	async ended(workflow: Stored, expected: number): Promise<RunResult[]> {
		const ids = await this.started(workflow, expected);
		return await Promise.all(ids.map(async (id) => resultOf(await waitForExecution(this.client, id))));
	}

	/**
	 * The ids of a workflow's executions, once there are so many, the newest first. An execution that changes between n8n's
	 * two queries is missing in one list or the other, so the list that is long enough is the one that is returned.
	 */
	async started(workflow: Stored, expected: number): Promise<string[]> {
		let ids: string[] = [];
		await until(`${expected} executions`, async () => {
			ids = (await this.client.listExecutions(workflow.id)).map(({ id }) => id);
			return ids.length >= expected;
		});
		return ids;
	}

	/** Ends everything and removes its files. */
	async close(): Promise<void> {
		await this.cluster.stop();
		await this.gateway.close();
		await rm(this.folder, { recursive: true, force: true });
	}
}

/** A workflow whose webhook is open. */
export interface PublishedWorkflow extends StoredWorkflow {
	/** The way to its webhook, at any webhook process. */
	path: string;
	/** The address that n8n gives out. */
	url: string;
}

/** Whether a webhook is registered: a preflight request starts nothing, and names its methods only then. */
async function isOpen(url: string): Promise<boolean> {
	const { headers } = await fetch(url, { method: 'OPTIONS', headers: { origin: 'http://localhost' } });
	return headers.get('access-control-allow-methods')?.includes('POST') ?? false;
}

/** Posts JSON. */
export async function post(url: string, body: unknown): Promise<Response> {
	const headers = { 'content-type': 'application/json' };
	return await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
}

/**
 * Waits for a condition.
 * @param what names it in the error
 * @throws when it has not come true after three minutes
 */
export async function until(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
	const deadline = Date.now() + 180_000;
	while (!(await isTrue())) {
		if (Date.now() > deadline) throw new Error(`Waited for three minutes, and in vain: ${what}`);
		await sleep(50);
	}
}
