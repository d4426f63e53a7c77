// Installs versions of n8n side by side, each in `.sandbox/n8n/<version>`: 1.3 to 3.3 GB, one to six minutes.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail, npm } from '../npm.mjs';
import { chooseNode } from '../runtime-node.mjs';
import { installDatabaseDriver } from '../sqlite-driver.mjs';
import { manifestOf, newest } from './list.mjs';

const repository = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..');
const pinnedFolder = join(repository, 'sandbox', 'n8n', 'runtime');
const cache = join(repository, '.sandbox', 'n8n');

/** @returns {string} where a version of n8n is, or will be, installed */
export function folderOf(version) {
	return join(cache, version);
}

/**
 * Installs a version of n8n when it is missing. `newest` is one that is installed, or else the first that can be.
 * @returns {Promise<string | undefined>} the version that is installed; undefined when it could not be, and the reason is printed
 */
export async function installVersion(wanted) {
	const candidates = wanted === 'newest' ? newest() : [wanted];
	const installed = candidates.find((version) => existsSync(markerOf(version)));
	if (installed !== undefined) return installed;
	for (const version of candidates) if (await install(version)) return version;
	return undefined;
}

/** Deletes the installation of a version. */
export function removeVersion(version) {
	rmSync(folderOf(version), { recursive: true, force: true });
}

/** Names the Node that runs this n8n, for sandbox/n8n/runtime.ts; written when everything is there. */
function markerOf(version) {
	return join(folderOf(version), 'node_modules', '.installed.json');
}

async function install(version) {
	console.log(`Installing n8n ${version}.`);
	if (await installInto(folderOf(version), version)) return true;
	removeVersion(version);
	return fail(`n8n ${version} could not be installed.`);
}

async function installInto(folder, version) {
	removeVersion(version);
	mkdirSync(folder, { recursive: true });
	const { optionalDependencies } = JSON.parse(readFileSync(join(pinnedFolder, 'package.json'), 'utf8'));
	const manifest = {
		name: `n8n-${version}`,
		private: true,
		optionalDependencies,
		...manifestOf(version),
	};
	writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, undefined, '\t'));
	// Said here, because npm hands the settings of this repository down to what its scripts start.
	const settings = [
		'--include=optional',
		'--ignore-scripts',
		'--legacy-peer-deps=false',
		'--prefer-offline',
		'--no-audit',
		'--no-fund',
	];
	if (!(await npm(['install', ...settings], folder))) return false;
	const { path: node, hint } = chooseNode(folder);
	if (node === undefined || !existsSync(node)) {
		return fail(hint ?? `npm did not install ${node}: install Node 24 and run this with it.`);
	}
	if (!(await installDatabaseDriver(folder, node))) return false;
	writeFileSync(markerOf(version), `${JSON.stringify({ node })}\n`);
	return true;
}
