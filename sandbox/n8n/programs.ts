import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './commands';
import { sandboxFolder } from './runtime';

/** The programs that `scripts/programs.mjs` looks for. */
export type ProgramName =
	| 'browser'
	| 'redis-server'
	| 'redis-cli'
	| 'initdb'
	| 'postgres'
	| 'pg_isready'
	| 'setpriv';

/**
 * The path of a program.
 * @throws when it has not been found
 */
export function findProgram(name: ProgramName): string {
	const file = join(sandboxFolder, 'programs.json');
	const found = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>) : {};
	const path = found[name];
	if (path === undefined)
		throw new Error(`No ${name}: run \`node scripts/ensure-installed.mjs browser queue\``);
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
