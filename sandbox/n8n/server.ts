import { spawn, type ChildProcess } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { n8nEnvironment } from './environment';
import { twoFreePorts } from './ports';
import { endGroup, isGroupAlive } from './processGroup';
import { findRuntime } from './runtime';

/** How to start n8n. */
export interface N8nServerOptions {
	/** Becomes `N8N_USER_FOLDER`: n8n keeps everything it knows in `.n8n` below it. */
	userFolder: string;
	/** Default: a free one. */
	port?: number;
	/** What n8n prints goes here; default `<userFolder>/n8n.log`. */
	logFile?: string;
	/** More environment variables, or other values for those that the sandbox sets. */
	environment?: Record<string, string>;
	/** Milliseconds; default 120,000. */
	startTimeout?: number;
	/** Gives up waiting, and ends n8n. */
	signal?: AbortSignal;
}

const host = '127.0.0.1';
const stopGrace = 15_000;
const probeEvery = 100;

/** A running n8n, as a child process in a process group of its own. */
export class N8nServer {
	private exitCode: number | string | undefined;

	private constructor(
		private readonly child: ChildProcess,
		/** The process id of n8n; its process group has the same id. */
		readonly pid: number,
		/** The editor's address, without a trailing slash. */
		readonly url: string,
		/** The file with everything that n8n printed. */
		readonly logFile: string,
	) {
		child.once('exit', (code, signal) => (this.exitCode = code ?? signal ?? 'unknown'));
	}

	/**
	 * Starts n8n and waits until it serves requests (`/healthz/readiness`; `/healthz` answers earlier).
	 * @throws when it ends or stays silent, with the end of its log
	 */
	static async start(options: N8nServerOptions): Promise<N8nServer> {
		const [anyPort, brokerPort] = await twoFreePorts();
		const port = options.port ?? anyPort;
		const logFile = options.logFile ?? join(options.userFolder, 'n8n.log');
		await mkdir(dirname(logFile), { recursive: true });
		await mkdir(options.userFolder, { recursive: true });
		const { child, pid } = await spawnN8n(options, port, brokerPort, logFile);
		const server = new N8nServer(child, pid, `http://${host}:${port}`, logFile);
		try {
			await server.waitUntilReady(options.startTimeout ?? 120_000, options.signal);
		} catch (error) {
			await server.stop();
			throw error;
		}
		return server;
	}

	/** Everything that n8n has printed so far. */
	async log(): Promise<string> {
		return await readFile(this.logFile, 'utf8');
	}

	/** Whether n8n has not ended. */
	get running(): boolean {
		return this.exitCode === undefined;
	}

	/** Resolves when n8n has ended, for whatever reason. */
	async ended(): Promise<void> {
		if (this.running) await new Promise<void>((resolve) => this.child.once('exit', () => resolve()));
	}

	/** Ends n8n and everything it started: SIGTERM, and SIGKILL for what is left after 15 s. */
	async stop(): Promise<void> {
		if (this.running) this.child.kill('SIGTERM');
		await Promise.race([this.ended(), sleep(stopGrace, undefined, { ref: false })]);
		endGroup(this.pid);
		await this.ended();
		while (isGroupAlive(this.pid)) await sleep(20);
	}

	/** Ends n8n at once, without its own shutdown; for a process that is exiting itself. */
	kill(): void {
		endGroup(this.pid);
	}

	private async waitUntilReady(timeout: number, signal?: AbortSignal): Promise<void> {
		const deadline = Date.now() + timeout;
		while (!(await answers(`${this.url}/healthz/readiness`))) {
			signal?.throwIfAborted();
			if (!this.running)
				throw new Error(`n8n ended while starting (${this.exitCode}):\n${await this.logTail()}`);
			if (Date.now() > deadline)
				throw new Error(`n8n was not ready after ${timeout / 1000} s:\n${await this.logTail()}`);
			await sleep(probeEvery);
		}
	}

	private async logTail(): Promise<string> {
		return (await this.log()).trim().split('\n').slice(-15).join('\n');
	}
}

async function spawnN8n(
	options: N8nServerOptions,
	port: number,
	brokerPort: number,
	logFile: string,
): Promise<{ child: ChildProcess; pid: number }> {
	const runtime = findRuntime();
	const log = createWriteStream(logFile);
	await new Promise((resolve, reject) => log.once('open', resolve).once('error', reject));
	const child = spawn(
		runtime.node,
		['--require', join(__dirname, 'exit-with-parent.js'), runtime.n8n, 'start'],
		{
			// n8n reads a `.env` from here: there is none.
			cwd: options.userFolder,
			env: {
				...n8nEnvironment({ userFolder: options.userFolder, host, port, brokerPort }),
				// n8n starts its task runner as plain `node`.
				PATH: `${dirname(runtime.node)}${delimiter}${process.env['PATH'] ?? ''}`,
				...options.environment,
			},
			stdio: ['ignore', log, log, 'ipc'],
			detached: process.platform !== 'win32',
		},
	);
	await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
	log.close();
	// The connection is there for its end only: it must not keep this process alive.
	child.channel?.unref();
	if (child.pid === undefined) throw new Error('n8n has no process id.');
	return { child, pid: child.pid };
}

async function answers(url: string): Promise<boolean> {
	try {
		const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
		await response.arrayBuffer();
		return response.ok;
	} catch {
		return false; // Nothing listens yet.
	}
}
