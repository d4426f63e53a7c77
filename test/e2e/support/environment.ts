import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INodeExecutionData } from 'n8n-workflow';
import { startGateway, type Gateway, type GatewayOptions } from '../../../sandbox/gateway/gateway';
import { N8nClient } from '../../../sandbox/n8n/client';
import { resultOf, waitForExecution, type Execution, type RunResult } from '../../../sandbox/n8n/executions';
import { installPackage, packPackage } from '../../../sandbox/n8n/package';
import { N8nServer } from '../../../sandbox/n8n/server';
import type { Stored, StoredWorkflow, WorkflowJson } from '../../../sandbox/n8n/types';
import { credentialType, manualTrigger, withCredential } from '../../../sandbox/n8n/workflows';
import { eventually } from './eventually';
import { borrowN8n, owner } from './n8nPool';

/** Signs in to a new n8n as its owner and stores the credential for the gateway. */
export async function signInWithCredential(
	n8nUrl: string,
	gateway: Gateway,
): Promise<{ client: N8nClient; credential: Stored }> {
	const client = new N8nClient(n8nUrl);
	await client.signIn(owner);
	return { client, credential: await saveGatewayCredential(client, gateway) };
}

async function saveGatewayCredential(client: N8nClient, { baseUrl, apiKey }: Gateway): Promise<Stored> {
	return await client.saveCredential('Sandbox gateway', credentialType, { baseUrl, apiKey });
}

/** A sandbox gateway, private to one test file, and a real n8n with the package installed. */
export class Environment {
	protected constructor(
		readonly gateway: Gateway,
		/** n8n's API, signed in as its owner. */
		readonly client: N8nClient,
		/** The stored credential for the gateway. */
		readonly credential: Stored,
		private readonly logFile: string,
		/** The length of n8n's log when this began. */
		private readonly logStart: number,
	) {}

	/** Uses the n8n of this worker, which has no workflows and no other credentials. */
	static async borrow(gatewayOptions?: GatewayOptions): Promise<Environment> {
		const { url, session, logFile } = await borrowN8n();
		const client = new N8nClient(url, session);
		const gateway = await startGateway(gatewayOptions);
		const credential = await saveGatewayCredential(client, gateway);
		return new Environment(gateway, client, credential, logFile, (await readFile(logFile)).length);
	}

	/** Stores a workflow with the credential filled in. */
	async store(workflow: WorkflowJson, credential = this.credential): Promise<StoredWorkflow> {
		return await this.client.createWorkflow(withCredential(workflow, credential));
	}

	/** Stores and publishes a workflow. */
	async publish(workflow: WorkflowJson): Promise<StoredWorkflow> {
		const stored = await this.store(workflow);
		await this.client.activate(stored);
		return stored;
	}

	/** Stores a workflow and runs it from its manual trigger; returns the execution's ID. */
	async begin(workflow: WorkflowJson, credential?: Stored): Promise<string> {
		const { id } = await this.store(workflow, credential);
		return await this.client.runManually(id, manualTrigger(workflow));
	}

	/** The same, to its end; returns all that n8n stores of it. */
	async execute(workflow: WorkflowJson, credential?: Stored): Promise<Execution> {
		return await waitForExecution(this.client, await this.begin(workflow, credential));
	}

	/** The same; returns what its nodes gave. */
	async runWorkflow(workflow: WorkflowJson, options: { timeout?: number } = {}): Promise<RunResult> {
		return await this.end(await this.begin(workflow), options);
	}

	/** What an execution's nodes gave, when it has ended. */
	async end(executionId: string, options: { timeout?: number } = {}): Promise<RunResult> {
		return resultOf(await waitForExecution(this.client, executionId, options));
	}

	/** The executions of a workflow, the newest first, once there are so many and all have ended. */
	async executionsOf({ id: workflowId }: Stored, count: number): Promise<RunResult[]> {
		const list = await eventually(async () => {
			const executions = await this.client.listExecutions(workflowId);
			expect(executions.length).toBeGreaterThanOrEqual(count);
			return executions;
		}, 30_000);
		return await Promise.all(list.map(async ({ id }) => await this.end(id)));
	}

	/** n8n's answer about an execution as it stands, with all that is stored of it. */
	async readExecutionRaw(executionId: string): Promise<string> {
		return await this.client.readExecutionRaw(executionId);
	}

	/** The bytes of an item's binary field. */
	async readBinary(item: INodeExecutionData, field = 'data'): Promise<Buffer> {
		return await this.client.readBinary(item, field);
	}

	/** All that n8n has printed since this began. */
	async n8nLog(): Promise<string> {
		return (await readFile(this.logFile)).subarray(this.logStart).toString();
	}

	/** Leaves n8n as it was found. */
	async close(): Promise<void> {
		try {
			await forgetAll(this.client);
		} finally {
			await this.gateway.close();
		}
	}
}

/** Ends all executions, and deletes all workflows with their executions, and all credentials. */
async function forgetAll(client: N8nClient): Promise<void> {
	const filter = encodeURIComponent(JSON.stringify({ status: ['new', 'running', 'waiting'] }));
	const { results } = await client.get<{ results: Stored[] }>(`/rest/executions?limit=100&filter=${filter}`);
	// One that ends by itself meanwhile cannot be stopped.
	await Promise.allSettled(results.map(async ({ id }) => await client.stopExecution(id)));
	const workflows = await client.get<Array<Stored & { isArchived: boolean }>>('/rest/workflows?take=500');
	for (const { id, isArchived } of workflows) {
		if (!isArchived) await client.send('POST', `/rest/workflows/${id}/archive`, {});
		// n8n takes triggers down in the background.
		await eventually(async () => await client.send('DELETE', `/rest/workflows/${id}`, {}));
	}
	for (const { id } of await client.get<Stored[]>('/rest/credentials')) {
		await client.send('DELETE', `/rest/credentials/${id}`, {});
	}
}

/** How to start an {@link OwnEnvironment}. */
interface OwnOptions {
	gateway?: GatewayOptions;
	/** n8n's variables. */
	n8n?: Record<string, string>;
	/** Where its folder is made. */
	parent?: string;
}

/** An environment with an n8n of its own, which may be ended and restarted. */
export class OwnEnvironment extends Environment {
	private constructor(
		private readonly folder: string,
		private n8n: N8nServer,
		private readonly n8nVariables: Record<string, string>,
		...rest: [Gateway, N8nClient, Stored]
	) {
		super(...rest, n8n.logFile, 0);
	}

	/** Starts both on free ports and in a folder of their own. Takes 10 to 20 s. */
	static async start(options: OwnOptions = {}): Promise<OwnEnvironment> {
		const { parent = tmpdir(), n8n = {} } = options;
		await mkdir(parent, { recursive: true });
		const folder = await mkdtemp(join(parent, 'ai-gateway-e2e-'));
		const undo: Array<() => Promise<void>> = [async () => await rm(folder, { recursive: true, force: true })];
		try {
			const gateway = await startGateway({ ...options.gateway });
			undo.push(() => gateway.close());
			const userFolder = join(folder, 'n8n');
			await installPackage(await packPackage(), userFolder);
			const server = await N8nServer.start({ userFolder, environment: n8n });
			undo.push(() => server.stop());
			const { client, credential } = await signInWithCredential(server.url, gateway);
			return new OwnEnvironment(folder, server, n8n, gateway, client, credential);
		} catch (error) {
			for (const step of undo.reverse()) await step();
			throw error;
		}
	}

	/** The running n8n. */
	get server(): N8nServer {
		return this.n8n;
	}

	/** Ends n8n and starts it anew, at the same address and with what it had stored. */
	async restart(): Promise<void> {
		const port = Number(new URL(this.n8n.url).port);
		await this.n8n.stop();
		const userFolder = join(this.folder, 'n8n');
		this.n8n = await N8nServer.start({ userFolder, port, environment: this.n8nVariables });
	}

	/** The bytes of n8n's database, with what has not been moved from its write-ahead log into it. */
	async databaseBytes(): Promise<Buffer> {
		const home = join(this.folder, 'n8n', '.n8n');
		const names = (await readdir(home)).filter((name) => name.startsWith('database.sqlite'));
		return Buffer.concat(await Promise.all(names.map(async (name) => await readFile(join(home, name)))));
	}

	/** Ends both and removes their files. */
	override async close(): Promise<void> {
		await this.server.stop();
		await this.gateway.close();
		await rm(this.folder, { recursive: true, force: true });
	}
}

/**
 * Prepares an environment before the tests of a file, and closes it after them.
 *
 * @param use is called with it as soon as it runs
 */
export function useEnvironment(use: (environment: Environment) => void, gateway?: GatewayOptions): void {
	useStarted(use, async () => await Environment.borrow(gateway));
}

/** The same with an n8n that only this file uses. */
export function useOwnEnvironment(use: (environment: OwnEnvironment) => void, options?: OwnOptions): void {
	useStarted(use, async () => await OwnEnvironment.start(options));
}

function useStarted<T extends Environment>(use: (environment: T) => void, start: () => Promise<T>): void {
	let environment: T | undefined;
	beforeAll(async () => {
		environment = await start();
		use(environment);
	});
	afterAll(async () => await environment?.close());
}
