// Shows how far installations are, which takes minutes.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clearLine, cursorTo } from 'node:readline';
import { clearInterval, setInterval } from 'node:timers';

const TERMINAL_MS = 1_000;
/** Where lines stay, such as in the log of a CI. */
const LOG_MS = 30_000;

/** What runs now, with how far it is. */
const running = new Map();
let timer;
const begin = Date.now();

/**
 * Shows a line while something runs, together with what else runs.
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @param {() => string} state how far it is; without it, the seconds
 * @returns {Promise<T>}
 */
export async function withProgress(name, work, state = secondsSince(Date.now())) {
	running.set(name, state);
	timer ??= setInterval(show, process.stdout.isTTY ? TERMINAL_MS : LOG_MS);
	const start = Date.now();
	try {
		const result = await work();
		if (result !== false) say(`${name}: installed in ${Math.round((Date.now() - start) / 1_000)} s`);
		return result;
	} finally {
		running.delete(name);
		if (running.size === 0) {
			clearInterval(timer);
			timer = undefined;
		}
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
	const open = new Set(paths);
	return () => {
		for (const path of open) if (existsSync(join(folder, path, 'package.json'))) open.delete(path);
		const installed = paths.length - open.size;
		if (installed === 0) return 'reading the list of packages';
		return open.size === 0 ? 'finishing' : `${installed} of ${paths.length} packages`;
	};
}

function secondsSince(start) {
	return () => `${Math.round((Date.now() - start) / 1_000)} s`;
}

function show() {
	const parts = [...running].map(([name, state]) => `${name}: ${state()}`);
	const line = `${secondsSince(begin)()}  ${parts.join(' · ')}`;
	if (!process.stdout.isTTY) return console.log(line);
	clear();
	process.stdout.write(line.slice(0, (process.stdout.columns ?? 80) - 1));
}

function say(line) {
	if (process.stdout.isTTY) clear();
	console.log(line);
}

function clear() {
	clearLine(process.stdout, 0);
	cursorTo(process.stdout, 0);
}
