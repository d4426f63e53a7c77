import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INodeExecutionData } from 'n8n-workflow';
import { startGateway, type Gateway, type GatewayOptions } from '../../../sandbox/gateway/gateway';
import { N8nClient } from '../../../sandbox/n8n/client';
import { resultOf, waitForExecution, type RunResult } from '../../../sandbox/n8n/executions';
import { installPackage, packPackage } from '../../../sandbox/n8n/package';
import { N8nServer } from '../../../sandbox/n8n/server';
import type { Stored, WorkflowJson } from '../../../sandbox/n8n/types';
import { credentialType, manualTrigger, withCredential } from '../../../sandbox/n8n/workflows';

/** The owner of each n8n under test. */
export const owner = { email: 'owner@sandbox.example', password: 'Sandbox-e2e-1' };

/** Signs in to a new n8n as its owner and stores the credential for the gateway. */
export async function signInWithCredential(
	n8nUrl: string,
	{ baseUrl, apiKey }: Gateway,
): Promise<{ client: N8nClient; credential: Stored }> {
	const client = new N8nClient(n8nUrl);
	await client.signIn(owner);
	const credential = await client.saveCredential('Sandbox gateway', credentialType, { baseUrl, apiKey });
	return { client, credential };
}

/** A sandbox gateway and a real n8n with the package installed, private to one test file. */
export class Environment {
	private constructor(
		private readonly folder: string,
		readonly gateway: Gateway,
		private n8n: N8nServer,
		private readonly n8nVariables: Record<string, string>,
		/** n8n's API, signed in as its owner. */
		readonly client: N8nClient,
		/** The stored credential for the gateway. */
		readonly credential: Stored,
	) {}

	/**
	 * Starts both on free ports and in a folder of their own. Takes 10 to 20 s.
	 * @param options.parent where that folder is made
	 */
	static async start(
		options: { gateway?: GatewayOptions; n8n?: Record<string, string>; parent?: string } = {},
	): Promise<Environment> {
		const { parent = tmpdir() } = options;
		await mkdir(parent, { recursive: true });
		const folder = await mkdtemp(join(parent, 'ai-gateway-e2e-'));
		const undo: Array<() => Promise<void>> = [async () => await rm(folder, { recursive: true, force: true })];
		try {
			const gateway = await startGateway({ ...options.gateway });
			undo.push(() => gateway.close());
			const userFolder = join(folder, 'n8n');
			await installPackage(await packPackage(), userFolder);
			const server = await N8nServer.start({ userFolder, environment: options.n8n ?? {} });
			undo.push(() => server.stop());
			const { client, credential } = await signInWithCredential(server.url, gateway);
			return new Environment(folder, gateway, server, options.n8n ?? {}, client, credential);
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

	/** Stores a workflow with the credential filled in, runs it from its manual trigger and waits for its end. */
	async runWorkflow(workflow: WorkflowJson, options: { timeout?: number } = {}): Promise<RunResult> {
		const { id } = await this.client.createWorkflow(withCredential(workflow, this.credential));
		const executionId = await this.client.runManually(id, manualTrigger(workflow));
		return resultOf(await waitForExecution(this.client, executionId, options));
	}

	/** n8n's answer about an execution as it stands, with all that is stored of it. */
	async readExecutionRaw(executionId: string): Promise<string> {
		return await this.client.readExecutionRaw(executionId);
	}

	/** The bytes of an item's binary field. */
	async readBinary(item: INodeExecutionData, field = 'data'): Promise<Buffer> {
		return await this.client.readBinary(item, field);
	}

	/** All that n8n has printed so far. */
	async n8nLog(): Promise<string> {
		return await this.server.log();
	}

	/** The bytes of n8n's database, with what has not been moved from its write-ahead log into it. */
	async databaseBytes(): Promise<Buffer> {
		const home = join(this.folder, 'n8n', '.n8n');
		const names = (await readdir(home)).filter((name) => name.startsWith('database.sqlite'));
		return Buffer.concat(await Promise.all(names.map(async (name) => await readFile(join(home, name)))));
	}

	/** Ends both and removes their files. */
	async close(): Promise<void> {
		await this.server.stop();
		await this.gateway.close();
		await rm(this.folder, { recursive: true, force: true });
	}
}

/**
 * Starts an environment before the tests of a file, and closes it after them.
 *
 * @param use is called with it as soon as it runs
 */
export function useEnvironment(
	use: (environment: Environment) => void,
	...options: Parameters<typeof Environment.start>
): void {
	let environment: Environment | undefined;
	beforeAll(async () => {
		environment = await Environment.start(...options);
		use(environment);
	});
	afterAll(async () => await environment?.close());
}
