// Runs npm for the scripts that install something.
import { spawnSync } from 'node:child_process';

/**
 * Runs npm. Its errors are shown also under `npm run --silent`; its warnings about old or unsupported packages are not.
 * @param {string[]} args
 * @param {string} directory
 * @param {Record<string, string>} environment more environment variables
 * @returns {boolean} whether it succeeded
 */
export function npm(args, directory, environment = {}) {
	const { status } = spawnSync('npm', [...args, '--loglevel=error'], {
		cwd: directory,
		env: { ...process.env, ...environment },
		stdio: 'inherit',
		shell: process.platform === 'win32',
	});
	return status === 0;
}

/** Prints why something could not be installed; returns false. */
export function fail(sentence) {
	console.error(sentence);
	return false;
}
