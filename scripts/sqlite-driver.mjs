// The compiled part of sqlite3. It does not depend on the version of Node (Node-API): compiled once, it serves all
// installations of n8n.
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail, npm } from './npm.mjs';
import { nodeHeaders } from './runtime-node.mjs';

const repository = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const cache = join(repository, '.sandbox', 'sqlite3');
const ownFolder = join(repository, 'sandbox', 'n8n', 'sqlite');

/**
 * Compiles the driver of the pinned n8n, or downloads it where GitHub can be reached. Does not need n8n, so it can run
 * while n8n is being installed. Prints nothing when it fails: {@link installDatabaseDriver} compiles it then.
 */
export async function prepareDatabaseDriver() {
	const { dependencies } = readJson(join(ownFolder, 'package.json'));
	if (existsSync(compiledPath(dependencies.sqlite3)) || nodeHeaders(process.execPath) === undefined) return;
	const isQuiet = { isQuiet: true };
	if (!(await npm(['ci', '--omit=optional'], ownFolder, {}, isQuiet))) return;
	if (!(await rebuild(ownFolder, process.execPath, isQuiet))) return;
	copy(driverIn(ownFolder), compiledPath(dependencies.sqlite3));
}

/**
 * Installs the SQLite driver of an n8n: npm ran without install scripts. Compiles it the first time.
 * @param {string} directory where n8n is installed
 * @param {string} node the Node that runs it
 * @returns {Promise<boolean>} false when it could not be installed; the reason is printed
 */
export async function installDatabaseDriver(directory, node) {
	const { version } = readJson(join(directory, 'node_modules', 'sqlite3', 'package.json'));
	const compiled = compiledPath(version);
	if (existsSync(compiled)) {
		copy(compiled, driverIn(directory));
		return true;
	}
	if (!(await rebuild(directory, node))) {
		return fail(
			'Could not install the SQLite driver. Compiling it takes Python and a C++ compiler (Debian: apt-get install build-essential python3; macOS: xcode-select --install; Windows: Visual Studio Build Tools).',
		);
	}
	copy(driverIn(directory), compiled);
	return true;
}

async function rebuild(directory, node, options) {
	const headers = nodeHeaders(node);
	const environment = {
		PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`,
		...(headers !== undefined && { npm_config_nodedir: headers }),
	};
	return await npm(['rebuild', 'sqlite3', '--ignore-scripts=false'], directory, environment, options);
}

function compiledPath(version) {
	return join(cache, `${version}-${process.platform}-${process.arch}.node`);
}

function driverIn(directory) {
	return join(directory, 'node_modules', 'sqlite3', 'build', 'Release', 'node_sqlite3.node');
}

function readJson(file) {
	return JSON.parse(readFileSync(file, 'utf8'));
}

function copy(from, to) {
	mkdirSync(dirname(to), { recursive: true });
	// Under its final name there is never half a file, which another installation could take.
	const draft = `${to}.${process.pid}`;
	copyFileSync(from, draft);
	renameSync(draft, to);
}
