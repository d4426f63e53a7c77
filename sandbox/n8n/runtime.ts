import { readFileSync } from 'node:fs';
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
	return { node: readMarker().node, n8n: join(runtimeModules, 'n8n', 'bin', 'n8n') };
}

/** The installer's marker names the Node that it built the native parts for, and says whether it came to its end. */
function readMarker(): { node: string } {
	const marker = parseMarker();
	if (marker.complete === true && typeof marker.node === 'string') return { node: marker.node };
	throw new Error('n8n is half installed: run `node scripts/ensure-installed.mjs n8n`');
}

function parseMarker(): { node?: unknown; complete?: unknown } {
	try {
		return JSON.parse(readFileSync(join(runtimeModules, '.installed.json'), 'utf8')) as ReturnType<
			typeof parseMarker
		>;
	} catch (error) {
		throw new Error('n8n is not installed: run `node scripts/ensure-installed.mjs n8n`', { cause: error });
	}
}
