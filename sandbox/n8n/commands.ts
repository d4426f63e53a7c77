import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { endGroup, hasCode } from './processGroup';

/** A command that ended with another exit code than 0, with what it printed. */
export class CommandError extends Error {
	override readonly name = 'CommandError';

	constructor(
		readonly command: string,
		readonly output: string,
	) {
		super(`${command} failed:\n${output.trim().split('\n').slice(-30).join('\n')}`);
	}
}

/**
 * Runs a command to its end and returns what it printed on stdout.
 * @param signal ends the command
 * @throws CommandError
 */
export async function run(command: string, args: string[], options: RunOptions): Promise<string> {
	options.signal?.throwIfAborted();
	return await new Promise((resolve, reject) => {
		const child = spawn(command, args, {
			cwd: options.directory,
			env: options.environment ?? process.env,
			stdio: ['ignore', 'pipe', 'pipe'],
			shell: options.shell ?? false,
			// Its own process group: ending it ends what it started, too.
			detached: process.platform !== 'win32',
		});
		const end = (): void => {
			if (child.pid !== undefined) endGroup(child.pid);
		};
		options.signal?.addEventListener('abort', end, { once: true });
		let stdout = '';
		let everything = '';
		child.stdout.setEncoding('utf8').on('data', (text: string) => {
			stdout += text;
			everything += text;
		});
		child.stderr.setEncoding('utf8').on('data', (text: string) => (everything += text));
		child.once('error', (error) => reject(missingTool(command, error)));
		child.once('close', (code) => {
			options.signal?.removeEventListener('abort', end);
			if (options.signal?.aborted === true) reject(new Error(`${basename(command)} was stopped`));
			else if (code === 0) resolve(stdout);
			else reject(new CommandError([basename(command), ...args].join(' '), everything));
		});
	});
}

/** Runs npm the way the outer `npm run` was started, or from PATH. */
export async function runNpm(args: string[], options: RunOptions): Promise<string> {
	const environment = Object.fromEntries(
		Object.entries(process.env).filter(
			([name]) => !/^(npm_(package|lifecycle)_|npm_config_(local_prefix|dry_run))/i.test(name),
		),
	);
	const running = process.env['npm_execpath'];
	if (running !== undefined && basename(running) === 'npm-cli.js') {
		return await run(process.execPath, [running, ...args], { ...options, environment });
	}
	return await run('npm', args, { ...options, environment, shell: process.platform === 'win32' });
}

/** Where and how a command runs. */
export interface RunOptions {
	directory: string;
	environment?: NodeJS.ProcessEnv;
	shell?: boolean;
	signal?: AbortSignal;
}

function missingTool(command: string, error: Error): Error {
	if (hasCode(error, 'ENOENT')) {
		return new Error(`${basename(command)} was not found: install it and run this again.`, { cause: error });
	}
	return error;
}
