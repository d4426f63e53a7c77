import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The root folder of this repository. */
export const repositoryRoot = resolve(__dirname, '..', '..');

/** Where the sandbox keeps what it makes (n8n's data, logs, built packages). Ignored by git; may be deleted at any time. */
export const sandboxFolder = join(repositoryRoot, '.sandbox');

/** The pinned n8n and the Node that runs it. */
export interface N8nRuntime {
	/** Path of a Node 24 binary. */
	node: string;
	/** Path of n8n's start script. */
	n8n: string;
}

/** Where the modules of the pinned n8n lie. */
export const runtimeModules = join(__dirname, 'runtime', 'node_modules');

/**
 * Finds the installed n8n.
 * @throws when it is not installed; `node scripts/ensure-installed.mjs n8n` does that
 */
export function findRuntime(): N8nRuntime {
	return { node: installedNode(), n8n: join(runtimeModules, 'n8n', 'bin', 'n8n') };
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
