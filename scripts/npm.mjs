// Runs npm for the scripts that install something.
import { spawn } from 'node:child_process';

/**
 * Runs npm, of which only errors are to be seen: several may run at the same time.
 * @param {string[]} args
 * @param {string} directory
 * @param {Record<string, string>} environment more environment variables
 * @param {{ isQuiet?: boolean }} options `isQuiet`: prints no errors either
 * @returns {Promise<boolean>} whether it succeeded
 */
export async function npm(args, directory, environment = {}, { isQuiet = false } = {}) {
	const begin = Date.now();
	const child = spawn('npm', [...args, '--loglevel=error', '--no-progress'], {
		cwd: directory,
		// Four threads, the default, take twice as long for n8n's 250,000 files: they wait for each other.
		env: { UV_THREADPOOL_SIZE: '2', ...process.env, ...environment },
		stdio: ['ignore', 'ignore', isQuiet ? 'ignore' : 'inherit'],
		shell: process.platform === 'win32',
	});
	const isDone = await new Promise((resolve) => {
		child.on('error', () => resolve(false));
		child.on('close', (code) => resolve(code === 0));
	});
	const seconds = Math.round((Date.now() - begin) / 1_000);
	if (isDone) console.log(`npm ${args[0]} in ${directory}: ${seconds} s`);
	return isDone;
}

/** Prints why something could not be installed; returns false. */
export function fail(sentence) {
	console.error(sentence);
	return false;
}
