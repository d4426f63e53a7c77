import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';

import { root } from './current';
import { anchor } from './markdown';

/** Where the repository is on the web; its pages are those of the branch `main`. */
export const REPOSITORY = 'https://github.com/n8n-nodes-ai-gateway/n8n-nodes-ai-gateway';

/** The Markdown files that people read, from the repository's folder. */
export function markdownFiles(): string[] {
	const docs = readdirSync(resolve(root, 'docs'), { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.md'))
		.map((file) => `docs/${file}`);
	return ['README.md', 'sandbox/gateway/README.md', ...docs];
}

/** The targets of a page's links, outside code. */
export function linksIn(file: string): string[] {
	return [...prose(file).matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = '']) => target);
}

/**
 * What is wrong with a link.
 *
 * @param from the file that it stands in, from the repository's folder
 * @returns nothing for a link that leads somewhere, or out of the repository
 */
export function problemOf(link: string, from: string): string | undefined {
	const local = localTarget(link, from);
	if (!local) return undefined;
	const { file, hash } = local;
	if (!existsSync(resolve(root, file))) return `${link}: there is no ${file}`;
	if (hash === undefined || anchorsOf(file).includes(hash)) return undefined;
	return `${link}: ${file} has no heading for #${hash}`;
}

/** The file in this repository to which a link leads. */
function localTarget(link: string, from: string): { file: string; hash: string | undefined } | undefined {
	const [target = '', hash] = link.split('#');
	if (target === REPOSITORY) return { file: 'README.md', hash };
	const inMain = `${REPOSITORY}/blob/main/`;
	if (target.startsWith(inMain)) return { file: target.slice(inMain.length), hash };
	if (/^[a-z]+:/.test(target)) return undefined;
	if (target === '') return { file: from, hash };
	return { file: relative(root, resolve(root, dirname(from), target)), hash };
}

function anchorsOf(file: string): string[] {
	return [...prose(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchor(heading));
}

/** A page without its code, in which brackets and number signs mean other things. */
function prose(file: string): string {
	return readFileSync(resolve(root, file), 'utf8')
		.replace(/^```.*?^```/gms, '')
		.replace(/`[^`\n]*`/g, '');
}
