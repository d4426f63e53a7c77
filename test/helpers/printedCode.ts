import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { repository } from './markdown';

/** Code that a page prints under the path of its file. */
export interface PrintedCode {
	path: string;
	/** A file that does not exist yet, lines to change in one that does, or a part of one. */
	kind: 'file' | 'edit' | 'excerpt';
	text: string;
}

/** The code of a page that stands under a line such as "**`nodes/a.ts`**, new"; "an excerpt" there marks a part. */
export function printedCode(markdown: string): PrintedCode[] {
	const pattern = /^\*\*\[?`([^`]+)`\]?(?:\([^)]*\))?\*\*(.*)\n\n```(ts|diff)\n([\s\S]*?)^```$/gm;
	return [...markdown.matchAll(pattern)].map(([, path = '', note = '', language, text = '']) => {
		if (language === 'diff') return { path, kind: 'edit', text };
		return { path, kind: note.includes('an excerpt') ? 'excerpt' : 'file', text };
	});
}

/**
 * A source with the changes of a diff whose hunks stand between lines that begin with "@@".
 *
 * @throws when the lines that a hunk shows do not stand in the source exactly once
 */
export function patched(source: string, diff: string): string {
	return diff
		.split(/^@@.*\n/m)
		.filter((hunk) => hunk !== '')
		.reduce((text, hunk) => {
			const lines = hunk.split('\n').slice(0, -1);
			const side = (sign: string) =>
				lines
					.filter((line) => !line.startsWith(sign))
					.map((line) => `${line.slice(1)}\n`)
					.join('');
			const before = side('+');
			const places = text.split(before).length - 1;
			if (places !== 1) throw new Error(`These lines stand ${places} times in the source:\n${before}`);
			return text.replace(before, () => side('-'));
		}, source);
}

/** What the code of examples needs of the repository, besides its installed packages. */
const NEEDED = [
	'nodes',
	'credentials',
	'test/helpers',
	'package.json',
	'jest.config.js',
	'tsconfig.json',
	'tsconfig.tooling.json',
	'.prettierrc.json',
	'eslint.config.mjs',
];

/**
 * Puts a copy of the sources, with the printed files and edits in it, into an empty folder.
 *
 * @param more files to copy besides
 * @throws for a new file that exists already, and for an edit that does not fit
 */
export function copyInto(folder: string, printed: readonly PrintedCode[], more: readonly string[]): void {
	for (const path of [...NEEDED, ...more])
		cpSync(join(repository, path), join(folder, path), { recursive: true });
	symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'), 'junction');
	for (const { path, kind, text } of printed) {
		if (kind === 'excerpt') continue;
		const file = join(folder, path);
		if (kind === 'file' && existsSync(file)) throw new Error(`${path} is not new: the repository has it`);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, kind === 'file' ? text : patched(readFileSync(file, 'utf8'), text));
	}
}

/**
 * Runs a program of an installed package.
 *
 * @param program its path below `node_modules`
 * @throws when it ends with another exit code than 0, with what it printed
 */
export async function runTool(program: string, args: string[], folder: string): Promise<void> {
	const script = join(repository, 'node_modules', program);
	await new Promise<void>((resolve, reject) => {
		execFile(process.execPath, [script, ...args], { cwd: folder }, (error, stdout, stderr) => {
			if (error) reject(new Error(`${program} failed:\n${stdout}${stderr}`));
			else resolve();
		});
	});
}
