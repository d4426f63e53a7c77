// Installs what `npm run demo` and the end-to-end tests need, when it is missing. Uses nothing but Node and npm.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail, npm } from './npm.mjs';
import { chooseNode } from './runtime-node.mjs';
import { installDatabaseDriver, prepareDatabaseDriver } from './sqlite-driver.mjs';

const repository = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const runtime = join(repository, 'sandbox', 'n8n', 'runtime');
/** The state of the installation: the hash of the lock file, and the Node that runs n8n. `npm ci` removes it with node_modules. */
const runtimeMarker = join(runtime, 'node_modules', '.installed.json');

// Each returns false when something could not be installed; the reason is printed.

/** Installs the packages of this repository when they are missing. */
export async function ensureTools() {
	// npm writes this file at its end.
	if (existsSync(join(repository, 'node_modules', '.package-lock.json'))) return true;
	console.log('Installing the development tools: 1.2 GB on disk, one or two minutes.');
	return (await npm(['ci', '--include=dev'], repository)) || fail('Could not install the development tools.');
}

/** Installs the versions of n8n-workflow that the tests and the type check use, when those of the lock file are missing. */
export async function ensureN8nVersions() {
	const folder = join(repository, 'test', 'n8nVersions');
	const marker = join(folder, 'node_modules', '.installed.json');
	const lock = hashOf(join(folder, 'package-lock.json'));
	if (readMarker(marker).lock === lock) return true;
	console.log('Installing older versions of n8n-workflow: 100 MB on disk, about 10 seconds.');
	if (!(await npm(['ci'], folder))) return fail('Could not install the older versions of n8n-workflow.');
	writeMarker(marker, { lock });
	return true;
}

/** Installs the pinned n8n of the sandbox, with a Node that runs it, when they are missing. */
export async function ensureN8n() {
	const node = chooseNode(runtime);
	if (node.path === undefined) return fail(node.hint);
	const lock = hashOf(join(runtime, 'package-lock.json'));
	if (readMarker(runtimeMarker).lock !== lock) {
		if (!(await installN8n())) return false;
		writeMarker(runtimeMarker, { lock });
	}
	if (!existsSync(node.path)) {
		return fail(`npm did not install ${node.path}: install Node 24 and run this with it.`);
	}
	const hasDriver = readMarker(runtimeMarker).node !== undefined;
	if (!hasDriver && !(await installDatabaseDriver(runtime, node.path))) return false;
	writeMarker(runtimeMarker, { lock, node: node.path });
	return true;
}

async function installN8n() {
	console.log('Installing the n8n of the sandbox: 3 GB on disk, 3 to 5 minutes, once.');
	const [isInstalled] = await Promise.all([
		npm(['ci', '--include=optional'], runtime),
		prepareDatabaseDriver(),
	]);
	return isInstalled || fail('Could not install n8n.');
}

function hashOf(file) {
	return createHash('sha256').update(readFileSync(file)).digest('hex');
}

function readMarker(file) {
	return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

function writeMarker(file, marker) {
	writeFileSync(file, `${JSON.stringify(marker)}\n`);
}
