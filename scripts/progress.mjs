// Shows how far installations are, which takes minutes.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clearInterval, setInterval } from 'node:timers';

const EVERY_MS = 15_000;

/**
 * Prints a line from time to time while something runs, and at its end.
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work false: it has failed
 * @param {() => string} state how far it is
 * @returns {Promise<T>}
 */
export async function withProgress(name, work, state = () => 'installing') {
	const start = Date.now();
	const say = (text) => console.log(`${Math.round((Date.now() - start) / 1_000)} s  ${name}: ${text}`);
	const timer = setInterval(() => say(state()), EVERY_MS);
	try {
		const result = await work();
		if (result !== false) say('installed');
		return result;
	} finally {
		clearInterval(timer);
	}
}

/**
 * @param {string} folder with a package-lock.json, in which `npm ci` runs
 * @returns {() => string} counts the packages that are installed
 */
export function packagesIn(folder) {
	const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
	// Optional packages may be for another platform.
	const paths = Object.keys(packages).filter((path) => path !== '' && !packages[path].optional);
	return () => {
		const installed = paths.filter((path) => existsSync(join(folder, path, 'package.json')));
		return `${installed.length} of ${paths.length} packages`;
	};
}
