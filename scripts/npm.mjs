// Runs npm for the scripts that install something.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/**
 * Runs npm. Prints what it says only when it fails: several may run at the same time.
 * @param {string[]} args
 * @param {string} directory
 * @param {Record<string, string>} environment more environment variables
 * @param {{ isQuiet?: boolean }} options `isQuiet`: prints nothing in any case
 * @returns {Promise<boolean>} whether it succeeded
 */
export async function npm(args, directory, environment = {}, { isQuiet = false } = {}) {
	const child = spawn('npm', [...args, '--loglevel=error', '--no-progress'], {
		cwd: directory,
		env: { ...process.env, ...environment },
		stdio: ['ignore', 'pipe', 'pipe'],
		shell: process.platform === 'win32',
	});
	const lines = [];
	for (const input of [child.stdout, child.stderr])
		createInterface({ input }).on('line', (line) => lines.push(line));
	const isDone = await new Promise((resolve) => {
		child.on('error', (error) => {
			lines.push(error.message);
			resolve(false);
		});
		child.on('close', (code) => resolve(code === 0));
	});
	if (!isDone && !isQuiet) console.error(lines.slice(-60).join('\n'));
	return isDone;
}

/** Prints why something could not be installed; returns false. */
export function fail(sentence) {
	console.error(sentence);
	return false;
}
