import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../commands';
import { sandboxFolder } from '../runtime';

/** The programs of queue mode that `scripts/servers.mjs` looks for. */
export type ProgramName = 'redis-server' | 'redis-cli' | 'initdb' | 'postgres' | 'pg_isready' | 'setpriv';

/**
 * The path of a program.
 * @throws when it has not been looked for; `node scripts/ensure-installed.mjs queue` does that
 */
export function findProgram(name: ProgramName): string {
	const path = readFound()[name];
	if (path === undefined) throw new Error(`${name} was not found: ${hint}`);
	return path;
}

/** Whether a command does what it is asked for, with exit code 0. */
export async function succeeds(name: ProgramName, args: string[], directory: string): Promise<boolean> {
	try {
		await run(findProgram(name), args, { directory });
		return true;
	} catch {
		return false;
	}
}

const hint = 'run `node scripts/ensure-installed.mjs queue`';

function readFound(): Partial<Record<ProgramName, string>> {
	try {
		return JSON.parse(readFileSync(join(sandboxFolder, 'programs.json'), 'utf8')) as ReturnType<
			typeof readFound
		>;
	} catch (error) {
		throw new Error(`Redis and PostgreSQL have not been looked for: ${hint}`, { cause: error });
	}
}
