import type { ChildProcess } from 'node:child_process';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BackgroundProcess, spawnProgram } from '../backgroundProcess';
import { run } from '../commands';
import { freePort } from '../ports';
import { findProgram, succeeds } from '../programs';

const host = '127.0.0.1';
/** PostgreSQL refuses to run as root; Debian's package brings this user. */
const unprivileged = 'postgres';
const superuser = 'n8n';

/** The data is thrown away after the tests: it need not survive a crash of the machine. */
const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** A running PostgreSQL with a cluster of its own. */
export class PostgresServer extends BackgroundProcess {
	private constructor(
		child: ChildProcess,
		pid: number,
		private readonly port: number,
		logFile: string,
	) {
		super('PostgreSQL', child, pid, logFile);
	}

	/** What n8n needs to know to connect. */
	get n8nEnvironment(): Record<string, string> {
		return {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: host,
			DB_POSTGRESDB_PORT: String(this.port),
			DB_POSTGRESDB_USER: superuser,
			DB_POSTGRESDB_DATABASE: 'postgres',
		};
	}

	/**
	 * Makes an empty cluster and starts PostgreSQL on a free port.
	 * @param folder for data and log; is made when it is missing. Other users must be able to enter the folders above it
	 */
	static async start(folder: string): Promise<PostgresServer> {
		const home = join(folder, 'home');
		const data = join(home, 'data');
		await mkdir(home, { recursive: true });
		const privileges = await givenUp(home);
		const initialize = [findProgram('initdb'), '--no-sync', '--auth=trust', `--username=${superuser}`];
		const locale = ['--encoding=UTF8', '--locale=C'];
		await run(findProgram('setpriv'), [...privileges, ...initialize, ...locale, '-D', data], {
			directory: home,
		});
		const port = await freePort();
		const logFile = join(folder, 'postgres.log');
		const place = { listen_addresses: host, port: String(port), unix_socket_directories: '' };
		const { child, pid } = await spawnProgram({
			command: findProgram('setpriv'),
			args: [
				...privileges,
				// Ends with this process, if that is killed before it could stop it.
				'--pdeathsig=INT',
				findProgram('postgres'),
				...['-D', data],
				...Object.entries({ ...place, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
			],
			directory: home,
			environment: { LC_ALL: 'C' },
			logFile,
		});
		const server = new PostgresServer(child, pid, port, logFile);
		await server.waitUntilReady({
			isReady: async () => await succeeds('pg_isready', ['-h', host, '-p', String(port)], home),
		});
		return server;
	}

	/** Ends the server without waiting for connections to be closed. */
	override async stop(): Promise<void> {
		await super.stop('SIGINT');
	}
}

/** The options with which `setpriv` runs a program as an ordinary user, who is given the folder; none for one who is that already. */
async function givenUp(folder: string): Promise<string[]> {
	if (process.getuid?.() !== 0) return [];
	await run('chown', [`${unprivileged}:`, folder], { directory: folder });
	await chmod(folder, 0o700);
	return [`--reuid=${unprivileged}`, `--regid=${unprivileged}`, '--init-groups'];
}
