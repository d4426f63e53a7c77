// The compiled part of sqlite3. It does not depend on the version of Node (Node-API): compiled once, it serves all
// installations of n8n.
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail, npm } from './npm.mjs';
import { nodeHeaders } from './runtime-node.mjs';

const cache = resolve(dirname(fileURLToPath(import.meta.url)), '..', '.sandbox', 'sqlite3');

/**
 * Installs the SQLite driver of an n8n: npm ran without install scripts. Compiles it the first time.
 * @param {string} directory where n8n is installed
 * @param {string} node the Node that runs it
 * @returns {boolean} false when it could not be installed; the reason is printed
 */
export function installDatabaseDriver(directory, node) {
	const sqlite = join(directory, 'node_modules', 'sqlite3');
	const { version } = JSON.parse(readFileSync(join(sqlite, 'package.json'), 'utf8'));
	const driver = join(sqlite, 'build', 'Release', 'node_sqlite3.node');
	const compiled = join(cache, `${version}-${process.platform}-${process.arch}.node`);
	if (existsSync(compiled)) {
		copy(compiled, driver);
		return true;
	}
	if (!compile(directory, node)) return false;
	copy(driver, compiled);
	return true;
}

function compile(directory, node) {
	console.log('Installing the SQLite driver; compiling it takes 1 to 2 minutes.');
	const headers = nodeHeaders(node);
	const installed = npm(['rebuild', 'sqlite3', '--ignore-scripts=false'], directory, {
		PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`,
		...(headers !== undefined && { npm_config_nodedir: headers }),
	});
	return (
		installed ||
		fail(
			'Could not install the SQLite driver. Compiling it takes Python and a C++ compiler (Debian: apt-get install build-essential python3; macOS: xcode-select --install; Windows: Visual Studio Build Tools).',
		)
	);
}

function copy(from, to) {
	mkdirSync(dirname(to), { recursive: true });
	copyFileSync(from, to);
}
