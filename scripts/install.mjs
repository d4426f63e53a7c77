// Installs what `npm run demo` and the end-to-end tests need, when it is missing. Uses nothing but Node and npm.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chooseNode, nodeHeaders } from './runtime-node.mjs';

const repository = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const runtime = join(repository, 'sandbox', 'n8n', 'runtime');
/** Names the Node that runs n8n. Lies in node_modules, which `npm ci` empties: it is there only when the installation is complete. */
const markerFile = join(runtime, 'node_modules', '.installed.json');

/**
 * Makes sure that the packages of this repository are installed.
 * @returns {boolean} false when they could not be installed; the reason is printed
 */
export function ensureTools() {
	if (isInstalled(repository)) return true;
	console.log('Installing the development tools: 1.2 GB on disk, about a minute.');
	return npm(['ci', '--include=dev'], repository) || fail('Could not install the development tools.');
}

/**
 * Makes sure that the pinned n8n of the sandbox is installed, with a Node that runs it.
 * @returns {boolean} false when it could not be installed; the reason is printed
 */
export function ensureN8n() {
	const node = chooseNode(runtime);
	if (node.path === undefined) return fail(node.hint);
	if (!isInstalled(runtime)) {
		console.log('Installing the n8n of the sandbox: 3 GB on disk, 3 to 5 minutes, once.');
		if (!npm(['ci', '--include=optional'], runtime)) return fail('Could not install n8n.');
	}
	if (!existsSync(node.path))
		return fail(`npm did not install ${node.path}: install Node 24 and run this with it.`);
	if (!existsSync(markerFile) && !buildDatabaseDriver(node.path)) {
		return fail(
			'Could not install the SQLite driver. Compiling it takes Python and a C++ compiler (Debian: apt-get install build-essential python3; macOS: xcode-select --install; Windows: Visual Studio Build Tools).',
		);
	}
	writeFileSync(markerFile, `${JSON.stringify({ node: node.path })}\n`);
	return true;
}

/** Whether node_modules holds what the lock file lists. npm records there what it has installed. */
function isInstalled(directory) {
	const record = join(directory, 'node_modules', '.package-lock.json');
	if (!existsSync(record)) return false;
	const installed = packagesOf(record);
	return Object.entries(packagesOf(join(directory, 'package-lock.json'))).every(
		([path, { version, optional }]) =>
			path === '' || installed[path]?.version === version || (optional && installed[path] === undefined),
	);
}

function packagesOf(lockFile) {
	return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
}

function buildDatabaseDriver(node) {
	console.log('Downloading the SQLite driver, or compiling it.');
	const headers = nodeHeaders(node);
	return npm(['rebuild', 'sqlite3', '--ignore-scripts=false', '--foreground-scripts'], runtime, {
		PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`,
		...(headers !== undefined && { npm_config_nodedir: headers }),
	});
}

/** Runs npm; what it prints is shown, also under `npm run --silent`. */
function npm(args, directory, environment = {}) {
	const { status } = spawnSync('npm', [...args, '--loglevel=notice'], {
		cwd: directory,
		env: { ...process.env, ...environment },
		stdio: 'inherit',
		shell: process.platform === 'win32',
	});
	return status === 0;
}

function fail(sentence) {
	console.error(sentence);
	return false;
}
