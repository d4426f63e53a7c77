import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BackgroundProcess, spawnProgram } from '../backgroundProcess';
import { run } from '../commands';
import { freePort } from '../ports';
import { findProgram, succeeds, type ProgramName } from '../programs';

const host = '127.0.0.1';
/** PostgreSQL refuses to run as root; Debian's package brings this user. */
const unprivileged = 'postgres';
const superuser = 'n8n';

/** A server of the cluster's own, and what n8n needs to know to connect. */
export interface QueueServer {
	process: BackgroundProcess;
	n8nEnvironment: Record<string, string>;
}

/**
 * Starts a Redis that keeps everything in memory.
 * @param folder is made when it is missing
 */
export async function startRedis(folder: string): Promise<QueueServer> {
	await mkdir(folder, { recursive: true });
	const port = String(await freePort());
	const settings = { port, bind: host, dir: folder, save: '', appendonly: 'no' };
	const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
	const process = await start('redis-server', args, { folder, signal: 'SIGTERM' });
	await process.waitUntilReady({
		isReady: async () => await succeeds('redis-cli', ['-h', host, '-p', port, 'ping'], folder),
	});
	return { process, n8nEnvironment: { QUEUE_BULL_REDIS_HOST: host, QUEUE_BULL_REDIS_PORT: port } };
}

/**
 * Makes an empty PostgreSQL cluster and starts it.
 * @param folder is made when it is missing. Other users must be able to enter the folders above it
 */
export async function startPostgres(folder: string): Promise<QueueServer> {
	const home = join(folder, 'home');
	const data = join(home, 'data');
	await mkdir(home, { recursive: true });
	const privileges = await givenUp(home);
	const initialize = [findProgram('initdb'), '--no-sync', '--auth=trust', `--username=${superuser}`];
	const locale = ['--encoding=UTF8', '--locale=C'];
	await run(findProgram('setpriv'), [...privileges, ...initialize, ...locale, '-D', data], {
		directory: home,
	});
	const port = String(await freePort());
	const settings = {
		listen_addresses: host,
		port,
		unix_socket_directories: '',
		// The data is thrown away after the tests: it need not survive a crash of the machine.
		fsync: 'off',
		synchronous_commit: 'off',
		full_page_writes: 'off',
	};
	const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
	// With this signal it does not wait for connections to be closed.
	const place = { folder, directory: home, signal: 'SIGINT' as const, privileges };
	const process = await start('postgres', ['-D', data, ...options], place);
	await process.waitUntilReady({
		isReady: async () => await succeeds('pg_isready', ['-h', host, '-p', port], home),
	});
	return {
		process,
		n8nEnvironment: {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: host,
			DB_POSTGRESDB_PORT: port,
			DB_POSTGRESDB_USER: superuser,
			DB_POSTGRESDB_DATABASE: 'postgres',
		},
	};
}

/** Starts a program that ends with this process, if that is killed before it could stop it. */
async function start(
	name: ProgramName,
	args: string[],
	place: { folder: string; directory?: string; signal: 'SIGINT' | 'SIGTERM'; privileges?: string[] },
): Promise<BackgroundProcess> {
	const { folder, directory = folder, signal, privileges = [] } = place;
	const logFile = join(folder, `${name}.log`);
	const { child, pid } = await spawnProgram({
		command: findProgram('setpriv'),
		args: [...privileges, `--pdeathsig=${signal.slice(3)}`, findProgram(name), ...args],
		directory,
		environment: { LC_ALL: 'C' },
		logFile,
	});
	return new BackgroundProcess(name, child, pid, logFile, signal);
}

/** The options with which `setpriv` runs a program as an ordinary user, who is given the folder; none for one who is that already. */
async function givenUp(folder: string): Promise<string[]> {
	if (process.getuid?.() !== 0) return [];
	await run('chown', [`${unprivileged}:`, folder], { directory: folder });
	await chmod(folder, 0o700);
	return [`--reuid=${unprivileged}`, `--regid=${unprivileged}`, '--init-groups'];
}
