import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

import { anchorsIn, readText, repository } from '../helpers/markdown';

/** The repository on the web; links to pages use the branch `main`. */
export const REPOSITORY = 'https://github.com/n8n-nodes-ai-gateway/n8n-nodes-ai-gateway';

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
	const inMain = `${REPOSITORY}/blob/main/`;
	if (target.startsWith(inMain)) return { file: target.slice(inMain.length), hash };
	if (/^[a-z][a-z\d+.-]*:/i.test(target)) return undefined;
	if (target === '') return { file: from, hash };
	return { file: relative(repository, resolve(repository, dirname(from), decodeURIComponent(target))), hash };
}
