import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const repositoryRoot = resolve(__dirname, '..', '..');

/** Where the sandbox keeps what it makes (n8n's data, logs, built packages). Ignored by git; may be deleted at any time. */
export const sandboxFolder = join(repositoryRoot, '.sandbox');

export interface N8nRuntime {
	/** Path of a Node 24 binary. */
	node: string;
	/** Path of n8n's start script. */
	n8n: string;
	/** n8n's version: `2.40.5`. */
	version: string;
}

/** Where another n8n than the pinned one is installed: `npm run test:versions` sets it. */
const otherFolder = process.env['SANDBOX_N8N'];

/** Whether the n8n to run is the pinned one. */
export const isPinned = otherFolder === undefined;

/** The modules of the n8n to run. */
export const runtimeModules = join(otherFolder ?? join(__dirname, 'runtime'), 'node_modules');

/**
 * Finds the installed n8n.
 * @throws when it is not installed; `node scripts/ensure-installed.mjs n8n` installs the pinned one
 */
export function findRuntime(): N8nRuntime {
	return {
		node: installedNode(),
		n8n: join(runtimeModules, 'n8n', 'bin', 'n8n'),
		version: installedVersion('n8n'),
	};
}

export function installedVersion(name: string): string {
	const manifest = readFileSync(join(runtimeModules, name, 'package.json'), 'utf8');
	return (JSON.parse(manifest) as { version: string }).version;
}

/** The installer names the Node that runs n8n in its last step. */
function installedNode(): string {
	const markerFile = join(runtimeModules, '.installed.json');
	const marker = existsSync(markerFile)
		? (JSON.parse(readFileSync(markerFile, 'utf8')) as { node?: string })
		: {};
	if (marker.node !== undefined) return marker.node;
	throw new Error('n8n is not installed: run `node scripts/ensure-installed.mjs n8n`');
}
