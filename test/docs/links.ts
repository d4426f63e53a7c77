import { existsSync } from 'node:fs';
import { dirname, join, posix, relative, resolve } from 'node:path';

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
	// A number of a line is wrong after the next edit.
	if (!file.endsWith('.md')) return `${link}: ${file} has no headings`;
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

/** The links of a page to code: [`symbol`](../nodes/file.ts). */
export function codeLinks(markdown: string, page: string): Array<{ file: string; code: string }> {
	return [...markdown.matchAll(/\[`([^`\n]+)`\]\(([^()\s#]+\.ts)\)/g)].flatMap(([, code = '', path = '']) => {
		return path.endsWith(code) ? [] : { file: posix.join(posix.dirname(page), path), code };
	});
}

/** The lines of a file, from 1, that declare a name, or have a piece of code. */
export function linesWith(code: string, text: string): number[] {
	const has = /^\w+$/.test(code) ? declares(code) : (line: string) => line.includes(code);
	return text.split('\n').flatMap((line, index) => (has(line) ? index + 1 : []));
}

function declares(name: string): (line: string) => boolean {
	const declaration = new RegExp(
		`^(?:export )?(?:(?:async )?function|const|class|interface|type) ${name}\\b` +
			// A method, whose parameters may go on in the next line.
			`|^\\t(?:private )?(?:async )?${name}(?:<\\w+>)?\\((?:.*[({])?$`,
	);
	return (line) => declaration.test(line);
}
