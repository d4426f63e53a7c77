import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

import { anchorsIn, readText, repository } from '../helpers/markdown';

/** What package.json says of the package and whose it is. */
export const manifest = JSON.parse(readText('package.json')) as {
	name: string;
	homepage: string;
	bugs: { url: string };
	author: { email: string };
	repository: { url: string };
	n8n: { nodes: string[] };
};

/** The repository on the web; links to pages use the branch `main`. */
export const REPOSITORY = manifest.repository.url.replace(/^git\+|\.git$/g, '');

/** Where the repository's pictures are; `REPOSITORY/blob` shows a page with them. */
export const PICTURES = `${REPOSITORY.replace('//github.com', '//raw.githubusercontent.com')}/main/`;

/**
 * The problem of a link.
 *
 * @param from the file with the link, relative to the repository
 * @returns nothing for a link that works or leaves the repository
 */
export function problemOf(link: string, from: string): string | undefined {
	const local = localTarget(link, from);
	if (!local) return undefined;
	const { file, hash } = local;
	if (file.startsWith('..')) return `${link} leads out of the repository`;
	if (!existsSync(join(repository, file))) return `${link}: there is no ${file}`;
	if (hash === undefined) return undefined;
	if (!file.endsWith('.md')) return /^L\d+/.test(hash) ? undefined : `${link}: ${file} has no headings`;
	return anchorsIn(readText(file)).has(hash) ? undefined : `${link}: ${file} has no heading for #${hash}`;
}

/** The file of a link in this repository. */
function localTarget(link: string, from: string): { file: string; hash: string | undefined } | undefined {
	const [target = '', hash] = link.split('#');
	if (target === REPOSITORY) return { file: 'README.md', hash };
	for (const inMain of [`${REPOSITORY}/blob/main/`, `${REPOSITORY}/tree/main/`, PICTURES]) {
		if (target.startsWith(inMain)) return { file: target.slice(inMain.length), hash };
	}
	if (/^[a-z][a-z\d+.-]*:/i.test(target)) return undefined;
	if (target === '') return { file: from, hash };
	return { file: relative(repository, resolve(repository, dirname(from), decodeURIComponent(target))), hash };
}
