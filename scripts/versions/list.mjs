// The versions of n8n that `npm run test:versions` knows, and what their installation needs.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The oldest n8n that the package supports. */
export const floor = '1.123.81';

/** The versions of docs/compatibility.md. `newest` is the newest in npm that can be installed. */
export const matrix = [floor, '2.0.0', '2.3.6', '2.20.12', '2.30.8', '2.35.7', 'newest'];

/** How many of the newest versions are tried before the pinned one is taken. */
const TRIES = 3;

/**
 * What the installation of the versions of n8n from `from` up to, but without, `to` needs besides n8n:
 * `overrides` for releases that are no longer on npm or do not fit other packages, and `dependencies` that n8n's
 * packages must share, as they do in its image, and of which npm would install several.
 */
const additions = [
	// n8n asks for it from a CDN.
	{ from: '1.123', to: '2.35', overrides: { xlsx: '0.18.5' } },
	{ from: '1.123', to: '2.20', overrides: { '@langchain/langgraph-checkpoint': '1.0.0' } },
	{ from: '2.20', to: '3', overrides: { linkedom: '0.18.12' } },
	{ from: '2.20', to: '2.35', dependencies: { zod: '3.25.67' } },
];

/** `dependencies` and `overrides` for the package.json of an installation. */
export function manifestOf(version) {
	const fitting = additions.filter(({ from, to }) => compare(version, from) >= 0 && compare(version, to) < 0);
	return {
		dependencies: Object.assign({ n8n: version }, ...fitting.map(({ dependencies }) => dependencies)),
		overrides: Object.assign({}, ...fitting.map(({ overrides }) => overrides)),
	};
}

/** @returns {string} the n8n of the demo and of the end-to-end tests */
export function pinned() {
	const manifest = new URL('../../sandbox/n8n/runtime/package.json', import.meta.url);
	return JSON.parse(readFileSync(manifest, 'utf8')).dependencies.n8n;
}

/** @returns {string[]} what `newest` stands for: the newest releases in npm, newest first, and the pinned one */
export function newest() {
	const { stdout } = spawnSync('npm', ['view', 'n8n', 'versions', '--json'], {
		encoding: 'utf8',
		shell: process.platform === 'win32',
	});
	// n8n 3 runs from its image only.
	const releases = JSON.parse(stdout || '[]').filter((version) => /^[12]\.\d+\.\d+$/.test(version));
	return [...releases.sort(compare).reverse().slice(0, TRIES), pinned()];
}

/** Compares versions by their numbers; what is missing counts as 0. */
export function compare(one, other) {
	const [a, b] = [one, other].map((version) => version.split('.').map(Number));
	for (let index = 0; index < 3; index += 1) {
		const difference = (a[index] ?? 0) - (b[index] ?? 0);
		if (difference !== 0) return difference;
	}
	return 0;
}
