// Links from a page to lines of code: [`symbol`](../nodes/file.ts#L12). The text says what stands in the line; the number
// is filled in.
import { posix } from 'node:path';

import { readText } from '../../test/helpers/markdown';

const LINK = /\[`([^`\n]+)`\]\(([^()\s#]+)#L\d*\)/g;

/** The files and the code to which the links of a page lead. */
export function codeLinks(markdown: string, page: string): Array<{ file: string; code: string }> {
	return [...markdown.matchAll(LINK)].map(([, code = '', path = '']) => ({ file: fileOf(path, page), code }));
}

/**
 * A page whose links have the lines in which the code is now.
 *
 * @param page the path of the page in the repository
 * @throws {Error} for code that is in no line of its file, or in several
 */
export function withLines(markdown: string, page: string, read = readText): string {
	return markdown.replace(LINK, (_, code: string, path: string) => {
		const file = fileOf(path, page);
		return `[\`${code}\`](${path}#L${lineOf(code, file, read(file))})`;
	});
}

/** The line, from 1, that declares a name, or has some code. */
export function lineOf(code: string, file: string, text: string): number {
	const isThere = /^\w+$/.test(code) ? declares(code) : (line: string) => line.includes(code);
	const found = text.split('\n').flatMap((line, index) => (isThere(line) ? index + 1 : []));
	const [line] = found;
	if (line !== undefined && found.length === 1) return line;
	throw new Error(
		`${file} has \`${code}\` in ${found.length} lines, where a page links to it: it must be one`,
	);
}

function declares(name: string): (line: string) => boolean {
	const declaration = new RegExp(
		`^(?:export )?(?:(?:async )?function|const|class|interface|type) ${name}\\b` +
			// A method, whose parameters may go on in the next line.
			`|^\\t(?:private )?(?:async )?${name}(?:<\\w+>)?\\((?:.*[({])?$`,
	);
	return (line) => declaration.test(line);
}

function fileOf(path: string, page: string): string {
	return posix.normalize(posix.join(posix.dirname(page), path));
}
