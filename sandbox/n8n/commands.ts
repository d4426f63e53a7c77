import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { endGroup } from './processGroup';

export interface RunOptions {
	directory: string;
	environment?: NodeJS.ProcessEnv;
	shell?: boolean;
	/** Ends the command. */
	signal?: AbortSignal;
}

/**
 * Runs a command to its end and returns what it printed on stdout.
 * @throws with what it printed, when it ends with another exit code than 0
 */
export async function run(command: string, args: string[], options: RunOptions): Promise<string> {
	const { directory, environment = process.env, shell = false, signal } = options;
	signal?.throwIfAborted();
	return await new Promise((resolve, reject) => {
		const child = spawn(command, args, {
			cwd: directory,
			env: environment,
			stdio: ['ignore', 'pipe', 'pipe'],
			shell,
			// Its own process group: ending it ends what it started, too.
			detached: process.platform !== 'win32',
		});
		const end = (): void => {
			if (child.pid !== undefined) endGroup(child.pid);
		};
		signal?.addEventListener('abort', end, { once: true });
		let stdout = '';
		let everything = '';
		child.stdout.setEncoding('utf8').on('data', (text: string) => {
			stdout += text;
			everything += text;
		});
		child.stderr.setEncoding('utf8').on('data', (text: string) => (everything += text));
		child.once('error', reject);
		child.once('close', (code) => {
			signal?.removeEventListener('abort', end);
			if (code === 0) resolve(stdout);
			else
				reject(new Error(`${[basename(command), ...args].join(' ')} failed:\n${everything.slice(-3_000)}`));
		});
	});
}

/** Runs npm without the settings that an outer `npm run` hands down. */
export async function runNpm(args: string[], options: RunOptions): Promise<string> {
	const handedDown = /^npm_(package|lifecycle|config_(local_prefix|dry_run))/i;
	const own = Object.entries(process.env).filter(([name]) => !handedDown.test(name));
	const shell = process.platform === 'win32';
	return await run('npm', args, { ...options, environment: Object.fromEntries(own), shell });
}
