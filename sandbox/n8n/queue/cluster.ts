import { randomBytes } from 'node:crypto';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { installPackage } from '../package';
import { freePort } from '../ports';
import { N8nServer, type N8nRole } from '../server';
import { startPostgres, startRedis, type QueueServer } from './servers';

export interface QueueClusterOptions {
	/** Everything is kept below it; is made when it is missing. */
	folder: string;
	/** The package, as `packPackage` gives it. */
	tarball: string;
	/** How many processes take webhooks; default 1. */
	webhooks?: number;
	/** How many processes execute; default 2. */
	workers?: number;
	/** More environment variables for all processes of n8n. */
	environment?: Record<string, string>;
}

const host = '127.0.0.1';

/** Milliseconds. With n8n's own values (60,000, 10,000, 30,000) it takes a minute or more until a killed worker is missed. */
const workerLock = {
	QUEUE_WORKER_LOCK_DURATION: '10000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '2000',
	QUEUE_WORKER_STALLED_INTERVAL: '2000',
};

/**
 * n8n in queue mode: a main process, webhook processes and workers, with a Redis and a PostgreSQL of their own. Each process
 * of n8n has its own user folder, as if on a machine of its own: nothing can pass from one to another on disk.
 */
export class QueueCluster {
	private readonly processes: Record<N8nRole, N8nServer[]> = { main: [], webhook: [], worker: [] };
	private readonly servers: QueueServer[] = [];
	private readonly environment: Record<string, string>;
	private count = 0;

	private constructor(
		private readonly options: QueueClusterOptions,
		private readonly webhookPort: number,
	) {
		this.environment = {
			EXECUTIONS_MODE: 'queue',
			OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
			N8N_ENCRYPTION_KEY: randomBytes(24).toString('base64'),
			N8N_DEFAULT_BINARY_DATA_MODE: 'database',
			N8N_DISABLE_PRODUCTION_MAIN_PROCESS: 'true',
			N8N_WEBHOOK_URL: `${this.webhookUrl}/`,
			...workerLock,
		};
	}

	/** Starts everything on free ports and waits until all of it does its work. Takes 20 to 40 s. */
	static async start(options: QueueClusterOptions): Promise<QueueCluster> {
		const cluster = new QueueCluster(options, await freePort());
		try {
			await cluster.startServers();
			await cluster.startProcesses();
		} catch (error) {
			await cluster.stop();
			throw error;
		}
		return cluster;
	}

	/** The process with the editor and the API. It takes no production webhooks. */
	get main(): N8nServer {
		const [main] = this.processes.main;
		if (main === undefined) throw new Error('The main process was not started.');
		return main;
	}

	/** Where n8n says that production webhooks and resume URLs are, without a trailing slash: at one of the webhook processes. */
	get webhookUrl(): string {
		return `http://${host}:${this.webhookPort}`;
	}

	/** The processes that take production webhooks and resume URLs, in the order in which they got ready. */
	get webhooks(): readonly N8nServer[] {
		return this.processes.webhook;
	}

	/** All workers that were started, in the order in which they got ready; those that were killed, too. */
	get workers(): readonly N8nServer[] {
		return this.processes.worker;
	}

	async startWorker({ hasPackage = true } = {}): Promise<N8nServer> {
		return await this.startProcess('worker', { hasPackage });
	}

	/** Ends a worker with SIGKILL: nothing that it does is brought to an end. */
	async killWorker(index: number): Promise<void> {
		const worker = this.workers[index];
		if (worker === undefined) throw new Error(`There is no worker ${index}.`);
		worker.kill();
		await worker.ended();
	}

	/** The workers that have worked on an execution, by their index in `workers`, once for each time that they took it up. */
	async workersOf(executionId: string): Promise<number[]> {
		const start = `Worker started execution ${executionId} (`;
		const logs = await Promise.all(this.workers.map(async (worker) => await worker.log()));
		return logs.flatMap((log, index) => Array.from({ length: log.split(start).length - 1 }, () => index));
	}

	async stop(): Promise<void> {
		await all(Object.values(this.processes).flatMap((group) => group.map(async (one) => await one.stop())));
		await all(this.servers.map(async (server) => await server.process.stop()));
	}

	private async startServers(): Promise<void> {
		const { folder } = this.options;
		await mkdir(folder, { recursive: true });
		// PostgreSQL runs as another user, who must come through.
		await chmod(folder, 0o711);
		this.servers.push(await startRedis(join(folder, 'redis')));
		this.servers.push(await startPostgres(join(folder, 'postgres')));
		for (const { n8nEnvironment } of this.servers) Object.assign(this.environment, n8nEnvironment);
		Object.assign(this.environment, this.options.environment);
	}

	private async startProcesses(): Promise<void> {
		const { webhooks = 1, workers = 2 } = this.options;
		await all([
			this.startProcess('main'),
			this.startProcess('webhook', { port: this.webhookPort }),
			...Array.from({ length: webhooks - 1 }, async () => await this.startProcess('webhook')),
			...Array.from({ length: workers }, async () => await this.startWorker()),
		]);
	}

	private async startProcess(
		role: N8nRole,
		{ port, hasPackage = true }: { port?: number; hasPackage?: boolean } = {},
	): Promise<N8nServer> {
		this.count += 1;
		const userFolder = join(this.options.folder, `${role}-${this.count}`);
		await mkdir(userFolder, { recursive: true });
		if (hasPackage) await installPackage(this.options.tarball, userFolder);
		const { environment } = this;
		const started = await N8nServer.start({
			userFolder,
			role,
			environment,
			...(port === undefined ? {} : { port }),
		});
		this.processes[role].push(started);
		return started;
	}
}

/** Waits for the end of all, and then throws what the first failure was. */
async function all(work: ReadonlyArray<Promise<unknown>>): Promise<void> {
	const failed = (await Promise.allSettled(work)).find(({ status }) => status === 'rejected');
	if (failed?.status === 'rejected') throw failed.reason;
}
