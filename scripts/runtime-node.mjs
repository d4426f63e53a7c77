// The Node that runs n8n, which needs version 24; the package itself and its tools run on 20.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const needed = 24;

/**
 * This machine's Node when it is version 24; else the one in npm for this platform; else a newer one of the machine.
 * (n8n's native modules are prebuilt for 24, so it is preferred to newer versions.)
 * @param {string} directory the folder of the pinned n8n
 * @returns {{ path: string } | { path: undefined, hint: string }} the path may not exist yet
 */
export function chooseNode(directory) {
	const own = Number(process.versions.node.split('.')[0]);
	if (own === needed) return { path: process.execPath };
	const { optionalDependencies } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
	const platform = process.platform === 'win32' ? 'win' : process.platform;
	const carried = [`node-${platform}-${process.arch}`, `node-bin-${platform}-${process.arch}`].find(
		(name) => optionalDependencies[name] !== undefined,
	);
	if (carried !== undefined) {
		const binary = process.platform === 'win32' ? 'node.exe' : 'node';
		return { path: join(directory, 'node_modules', carried, 'bin', binary) };
	}
	if (own > needed) return { path: process.execPath };
	const hint = `n8n needs Node ${needed} and npm carries none for ${process.platform} on ${process.arch}: install Node ${needed} (https://nodejs.org) and run this with it; this is Node ${process.versions.node}.`;
	return { path: undefined, hint };
}

/** The folder whose `include/node` holds the headers of a Node binary, for compiling against it; undefined: node-gyp downloads them. */
export function nodeHeaders(nodePath) {
	const root = dirname(dirname(nodePath));
	return existsSync(join(root, 'include', 'node', 'node.h')) ? root : undefined;
}
