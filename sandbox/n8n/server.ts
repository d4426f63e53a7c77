import type { ChildProcess } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { BackgroundProcess, spawnProgram, type ProgramOptions } from './backgroundProcess';
import { containerCommand, image } from './container';
import { n8nEnvironment } from './environment';
import { freePorts } from './ports';
import { findRuntime, isPinned } from './runtime';

/** The part that a process plays. `main` alone does everything; the others exist in queue mode. */
export type N8nRole = 'main' | 'webhook' | 'worker';

export interface N8nServerOptions {
	/** Becomes `N8N_USER_FOLDER`: n8n keeps everything it knows in `.n8n` below it. */
	userFolder: string;
	/** Default: `main`. */
	role?: N8nRole;
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
/** An older n8n lacks modules that this repository has. */
const preloaded = ['exit-with-parent.js', ...(isPinned ? [] : ['own-modules.js'])];
const commands: Record<N8nRole, string> = { main: 'start', webhook: 'webhook', worker: 'worker' };

export class N8nServer extends BackgroundProcess {
	private constructor(
		child: ChildProcess,
		pid: number,
		/** The address, without a trailing slash: the editor's, that of webhooks, or that of a worker's health. */
		readonly url: string,
		logFile: string,
	) {
		super('n8n', child, pid, logFile);
	}

	/**
	 * Starts n8n and waits until it does its work (`/healthz/readiness`; `/healthz` answers earlier, and so does
	 * `/healthz/readiness` of an n8n 1, before its API is there).
	 * @throws when it ends or stays silent, with the end of its log
	 */
	static async start(options: N8nServerOptions): Promise<N8nServer> {
		const [anyPort = 0, brokerPort = 0] = await freePorts(2);
		const port = options.port ?? anyPort;
		const logFile = options.logFile ?? join(options.userFolder, 'n8n.log');
		await mkdir(options.userFolder, { recursive: true });
		const { child, pid } = await spawnN8n(options, port, brokerPort, logFile);
		const server = new N8nServer(child, pid, `http://${host}:${port}`, logFile);
		const isMain = (options.role ?? 'main') === 'main';
		await server.waitUntilReady({
			isReady: async () =>
				(await answers(`${server.url}/healthz/readiness`)) &&
				(!isMain || (await answers(`${server.url}/rest/settings`))),
			timeout: options.startTimeout,
			signal: options.signal,
		});
		return server;
	}
}

async function spawnN8n(
	options: N8nServerOptions,
	port: number,
	brokerPort: number,
	logFile: string,
): Promise<{ child: ChildProcess; pid: number }> {
	const { userFolder } = options;
	const command = commands[options.role ?? 'main'];
	const environment = { ...n8nEnvironment({ userFolder, host, port, brokerPort }), ...options.environment };
	const program =
		image === undefined
			? installedCommand(command, environment)
			: containerCommand({ image, command, userFolder, environment });
	// n8n reads a `.env` from its directory: there is none.
	return await spawnProgram({ ...program, directory: userFolder, logFile, channel: true });
}

function installedCommand(
	command: string,
	environment: Record<string, string>,
): Pick<ProgramOptions, 'command' | 'args' | 'environment'> {
	const { node, n8n } = findRuntime();
	return {
		command: node,
		args: [...preloaded.flatMap((name) => ['--require', join(__dirname, name)]), n8n, command],
		// n8n starts its task runner as plain `node`.
		environment: { PATH: `${dirname(node)}${delimiter}${process.env['PATH'] ?? ''}`, ...environment },
	};
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
