import type { ChildProcess } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BackgroundProcess, spawnProgram } from '../backgroundProcess';
import { freePort } from '../ports';
import { findProgram, succeeds } from '../programs';

const host = '127.0.0.1';

/** A running Redis that keeps everything in memory. */
export class RedisServer extends BackgroundProcess {
	private constructor(
		child: ChildProcess,
		pid: number,
		private readonly port: number,
		logFile: string,
	) {
		super('Redis', child, pid, logFile);
	}

	/** What n8n needs to know to connect. */
	get n8nEnvironment(): Record<string, string> {
		return { QUEUE_BULL_REDIS_HOST: host, QUEUE_BULL_REDIS_PORT: String(this.port) };
	}

	/**
	 * Starts Redis on a free port.
	 * @param folder for its log; is made when it is missing
	 */
	static async start(folder: string): Promise<RedisServer> {
		await mkdir(folder, { recursive: true });
		const port = await freePort();
		const logFile = join(folder, 'redis.log');
		const settings = { port: String(port), bind: host, dir: folder, save: '', appendonly: 'no' };
		const { child, pid } = await spawnProgram({
			command: findProgram('setpriv'),
			args: [
				// Ends with this process, if that is killed before it could stop it.
				'--pdeathsig=TERM',
				findProgram('redis-server'),
				...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
			],
			directory: folder,
			environment: {},
			logFile,
		});
		const server = new RedisServer(child, pid, port, logFile);
		await server.waitUntilReady({
			isReady: async () => await succeeds('redis-cli', ['-h', host, '-p', String(port), 'ping'], folder),
		});
		return server;
	}
}
