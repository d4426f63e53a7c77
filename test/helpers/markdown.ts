import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The repository's folder. */
export const repository = resolve(__dirname, '../..');

/** Folders of others' files and of build results. */
const FOREIGN = new Set(['node_modules', '.git', 'dist', '.sandbox', 'test-results']);

/** The paths of the repository's own files whose names match. */
export function filesOf(name: RegExp, folder = ''): string[] {
	return readdirSync(join(repository, folder), { withFileTypes: true }).flatMap((entry) => {
		const path = join(folder, entry.name);
		if (entry.isDirectory()) return FOREIGN.has(entry.name) ? [] : filesOf(name, path);
		return name.test(entry.name) ? [path] : [];
	});
}

/** A file of the repository. */
export function readText(path: string): string {
	return readFileSync(join(repository, path), 'utf8');
}

const FENCED = /^( *)(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\1\2[ \t]*$/gm;

/** Targets of links and pictures, also of those written as HTML or as references; code is skipped. */
export function linksIn(markdown: string): string[] {
	const prose = markdown.replace(FENCED, '').replace(/(`+)(?!`)(?:(?!\n\n)[\s\S])*?[^`]\1(?!`)/g, 'code');
	const patterns = [
		/\]\(\s*<?([^\s)>]+)>?(?:\s+"[^"]*")?\s*\)/g,
		/^\s*\[[^\]]+\]:\s+<?([^\s>]+)/gm,
		/\b(?:href|src|srcset)="([^"\s]+)"/g,
	];
	return patterns.flatMap((pattern) => [...prose.matchAll(pattern)].map(([, target = '']) => target));
}

/** The anchors of a page, as GitHub makes them. */
export function anchorsIn(markdown: string): Set<string> {
	const anchors = new Set<string>();
	const counts = new Map<string, number>();
	for (const [, heading = ''] of markdown.replace(FENCED, '').matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
		const name = anchor(heading);
		const count = counts.get(name) ?? 0;
		counts.set(name, count + 1);
		anchors.add(count === 0 ? name : `${name}-${count}`);
	}
	for (const [, name = ''] of markdown.matchAll(/<a\s+(?:id|name)="([^"]+)"/g)) anchors.add(name);
	return anchors;
}

/** The anchor that GitHub gives a heading. */
export function anchor(heading: string): string {
	return heading
		.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
		.toLowerCase()
		.replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
		.replace(/ /g, '-');
}
