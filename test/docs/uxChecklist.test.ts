import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');

test('the files that the UX checklist names are there', () => {
	const page = readFileSync(join(root, 'docs/ux-checklist.md'), 'utf8');
	const inCode = [...page.matchAll(/`([\w./-]+)`/g)].map(([, name = '']) => name);
	const paths = inCode.filter((name) => name.includes('/') && !name.startsWith('docs.n8n.io'));
	const links = [...page.matchAll(/\]\(([\w./-]+)\)/g)].map(([, target = '']) => join('docs', target));
	expect(paths.length).toBeGreaterThan(20);
	expect([...paths, ...links].filter((path) => !existsSync(join(root, path)))).toStrictEqual([]);
});
