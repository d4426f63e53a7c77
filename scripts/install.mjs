// Installs what `npm run demo` and the tests need, when it is missing. Uses nothing but Node and npm.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail, npm } from './npm.mjs';
import { progressOf, saying } from './progress.mjs';
import { chooseNode } from './runtime-node.mjs';
import { installDatabaseDriver, prepareDatabaseDriver } from './sqlite-driver.mjs';

const repository = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const runtime = join(repository, 'sandbox', 'n8n', 'runtime');

/** What `npm ci` installs: in a folder with a lock file, about so many files and folders. */
const tools = { name: 'the development tools', size: '1.2 GB', folder: repository, entries: 98_000 };
const libraries = {
	name: 'the libraries of the sandbox',
	size: '60 MB',
	folder: join(repository, 'sandbox'),
	entries: 2_600,
};
const n8nVersions = {
	name: 'older versions of n8n-workflow',
	size: '100 MB',
	folder: join(repository, 'test', 'n8nVersions'),
	entries: 13_000,
};
const n8n = { name: 'n8n', size: '3 GB, once', folder: runtime, entries: 254_000 };

// Each returns false when something could not be installed; the reason is printed.

/** Installs the packages of this repository when they are missing. */
export async function ensureTools() {
	return hasTools() || (await install(tools, ['--include=dev']));
}

/** Installs what the sandbox imports and the package is built with; the development tools have it, too. */
export async function ensureLibraries() {
	return hasTools() || isInstalled(libraries) || (await install(libraries));
}

/** Installs the versions of n8n-workflow that the tests and the type check use, when they are missing. */
export async function ensureN8nVersions() {
	return isInstalled(n8nVersions) || (await install(n8nVersions));
}

/** Installs the pinned n8n of the sandbox, with a Node that runs it, when they are missing. */
export async function ensureN8n() {
	const node = chooseNode(runtime);
	if (node.path === undefined) return fail(node.hint);
	if (!isInstalled(n8n)) {
		const compiling = prepareDatabaseDriver();
		if (!(await install(n8n, ['--include=optional']))) return false;
		await saying(compilingFor, async () => await compiling);
	}
	if (!existsSync(node.path)) {
		return fail(`npm did not install ${node.path}: install Node 24 and run this with it.`);
	}
	const marker = readMarker(n8n);
	const ensureDriver = async () => await installDatabaseDriver(runtime, node.path);
	if (marker.node === undefined && !(await saying(compilingFor, ensureDriver))) return false;
	writeMarker(n8n, { ...marker, node: node.path });
	return true;
}

function compilingFor(seconds) {
	return `Compiling the SQLite driver of n8n, which takes one or two minutes: ${seconds} s so far`;
}

function hasTools() {
	// npm writes this file at its end.
	return existsSync(join(repository, 'node_modules', '.package-lock.json'));
}

async function install({ name, size, folder, entries }, args = []) {
	console.log(`Installing ${name} (${size}).`);
	const progress = progressOf(join(folder, 'node_modules'), entries);
	const line = (seconds) => {
		const news = progress(seconds);
		return news && `Installing ${name}: ${news}`;
	};
	const isDone = await saying(line, async () => await npm(['ci', ...args], folder));
	if (!isDone) return fail(`Could not install ${name}.`);
	writeMarker({ folder }, { lock: lockOf({ folder }) });
	return true;
}

function isInstalled(what) {
	return readMarker(what).lock === lockOf(what);
}

function lockOf({ folder }) {
	return createHash('sha256')
		.update(readFileSync(join(folder, 'package-lock.json')))
		.digest('hex');
}

/** The hash of the lock file, and the Node that runs n8n. `npm ci` removes it with node_modules. */
function markerOf({ folder }) {
	return join(folder, 'node_modules', '.installed.json');
}

function readMarker(what) {
	const file = markerOf(what);
	return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

function writeMarker(what, marker) {
	writeFileSync(markerOf(what), `${JSON.stringify(marker)}\n`);
}
