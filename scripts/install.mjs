// Installs the two dependency trees of this repository when they are missing or out of date:
// `root` (tools, tests) and `n8n` (the pinned n8n of the sandbox, with its own Node 24). Hands `queue` over to servers.mjs, `browser` to browser.mjs.
// Uses nothing but Node and npm, because it runs before anything is installed.
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBrowser } from './browser.mjs';
import { adviceFor } from './install-advice.mjs';
import { withLock } from './lock.mjs';
import { runNpm } from './npm.mjs';
import { chooseNode, nodeHeaders } from './runtime-node.mjs';
import { ensureServers } from './servers.mjs';

const repository = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const markerName = '.installed.json';
const gigabyte = 1024 ** 3;

const targets = {
	root: { directory: repository, title: 'the development tools', sizeGb: 1.2, duration: 'about a minute' },
	n8n: {
		directory: join(repository, 'sandbox', 'n8n', 'runtime'),
		title: 'the n8n of the sandbox',
		sizeGb: 3,
		duration: '3 to 5 minutes, once',
	},
};

/**
 * Makes sure that a dependency tree is installed as its lock file says, the servers of queue mode, or the browser of the editor's tests. A matter of
 * milliseconds when they are; otherwise runs npm with visible progress. An install that was cut short is repaired by the next call.
 * @param {'root' | 'n8n' | 'queue' | 'browser'} name
 * @returns {Promise<boolean>} false after having said, in one sentence, why it could not be done
 */
export async function ensureInstalled(name) {
	if (name === 'queue') return ensureServers();
	if (name === 'browser') return ensureBrowser();
	const target = targets[name];
	if (target === undefined)
		return fail(
			`Nothing is called "${name}" here: choose from ${Object.keys(targets).join(', ')}, queue, browser.`,
		);
	const node = name === 'n8n' ? chooseNode(target.directory) : undefined;
	if (node?.path === undefined && name === 'n8n') return fail(node.hint);
	if (isCurrent(target, node)) return true;
	return withLock(join(repository, '.sandbox', `install-${name}.lock`), async () => {
		if (isCurrent(target, node)) return true;
		return install(target, node);
	});
}

async function install(target, node) {
	if (!isFetched(target, node)) {
		const fetched = await fetchPackages(target);
		if (fetched !== true) return fetched;
		writeMarker(target, node, { complete: false });
	}
	if (node !== undefined) {
		if (!existsSync(node.path)) {
			return fail(`npm did not install Node 24 at ${node.path}: install Node 24 and run this again.`);
		}
		const built = await buildDatabaseDriver(target, node);
		if (!built.ok) return failInstall(target, built);
	}
	writeMarker(target, node, { complete: true });
	return true;
}

async function fetchPackages(target) {
	const free = freeGigabytes(target.directory);
	if (free < target.sizeGb) {
		return fail(
			`Installing ${target.title} takes ${target.sizeGb} GB and only ${free.toFixed(1)} GB are free on the disk of ${target.directory}: make room and run this again.`,
		);
	}
	const modules = join(target.directory, 'node_modules');
	if (lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink()) {
		return fail(
			`${modules} is a link, and npm would empty the folder behind it: remove the link and run this again.`,
		);
	}
	console.log(`Installing ${target.title}: ${target.sizeGb} GB on disk, ${target.duration}.`);
	rmSync(markerFile(target), { force: true });

	const flags = ['--include=dev', '--include=optional', '--no-audit', '--no-fund', '--prefer-offline'];
	const patience = ['--fetch-retries=3', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=8000'];
	const fetched = await runNpm(['ci', '--ignore-scripts', ...flags, ...patience], {
		directory: target.directory,
		label: 'npm ci',
		progress: packageCounter(target.directory),
	});
	return fetched.ok || failInstall(target, fetched);
}

/** n8n is installed without install scripts (one of them downloads sources it does not need here); SQLite alone needs its own. */
async function buildDatabaseDriver(target, node) {
	const headers = nodeHeaders(node.path);
	return runNpm(['rebuild', 'sqlite3', '--ignore-scripts=false', '--foreground-scripts'], {
		directory: target.directory,
		label: 'fetching n8n’s SQLite driver, or compiling it',
		pathFirst: dirname(node.path),
		environment: headers === undefined ? {} : { npm_config_nodedir: headers },
	});
}

function isCurrent(target, node) {
	const marker = readMarker(target);
	if (marker?.complete !== true || !isFetched(target, node)) return false;
	if (node === undefined) return true;
	if (!existsSync(node.path)) return false;
	if (marker.node !== node.path) writeMarker(target, node, { complete: true });
	return true;
}

/** Whether the packages are there, if not all that is built from them. */
function isFetched(target, node) {
	return readMarker(target)?.hash === fingerprint(target, node);
}

function readMarker(target) {
	try {
		return JSON.parse(readFileSync(markerFile(target), 'utf8'));
	} catch {
		return undefined; // Missing or cut off: not installed.
	}
}

function writeMarker(target, node, { complete }) {
	const marker = { hash: fingerprint(target, node), complete, node: node?.path };
	mkdirSync(dirname(markerFile(target)), { recursive: true });
	writeFileSync(markerFile(target), `${JSON.stringify(marker)}\n`);
}

/** What the installed files depend on: the lock file, the platform and, for native parts, the version of Node. */
function fingerprint(target, node) {
	const hash = createHash('sha256').update(readFileSync(join(target.directory, 'package-lock.json')));
	return hash.update(`${process.platform} ${process.arch} ${node?.major ?? ''}`).digest('hex');
}

/** The marker lies in node_modules, which `npm ci` empties first: it never outlives what it vouches for. */
function markerFile(target) {
	return join(target.directory, 'node_modules', markerName);
}

function packageCounter(directory) {
	const lock = JSON.parse(readFileSync(join(directory, 'package-lock.json'), 'utf8'));
	const folders = Object.entries(lock.packages)
		.filter(
			([folder, entry]) => folder !== '' && fits(entry.os, process.platform) && fits(entry.cpu, process.arch),
		)
		.map(([folder]) => join(directory, folder, 'package.json'));
	return () => `${folders.filter((file) => existsSync(file)).length} of ${folders.length} packages`;
}

function fits(allowed, actual) {
	return allowed === undefined || [allowed].flat().includes(actual);
}

function freeGigabytes(directory) {
	const disk = statfsSync(directory);
	return (disk.bavail * disk.bsize) / gigabyte;
}

function failInstall(target, { output, logFile }) {
	const hint = adviceFor(output);
	if (hint === undefined) console.error(output.split('\n').slice(-20).join('\n'));
	return fail(
		`Could not install ${target.title}. ${hint ?? 'npm said the above.'} The whole output is in ${logFile}.`,
	);
}

function fail(sentence) {
	console.error(sentence);
	return false;
}
