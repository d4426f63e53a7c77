import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

import { repository } from '../helpers/markdown';

/**
 * Fails when a page is another than it would be made now. `UPDATE_DOCS=1 npx jest test/docs` writes the pages anew.
 *
 * @param path from the repository's folder
 */
export function expectCurrent(path: string, text: string): void {
	const file = resolve(repository, path);
	const expected = `${text.trimEnd()}\n`;
	if (process.env.UPDATE_DOCS) {
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, expected);
	}
	expect(existsSync(file) ? readFileSync(file, 'utf8') : undefined).toBe(expected);
}
