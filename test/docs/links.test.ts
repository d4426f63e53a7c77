import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

import { anchorsIn, filesOf, linksIn, readText, repository } from '../helpers/markdown';

/** Where the repository lies; n8n's panels link to its README. */
const HOME = 'https://github.com/n8n-nodes-ai-gateway/n8n-nodes-ai-gateway';

/** Why a link of a page leads nowhere; `undefined` for one that works, or that leads to the web. */
function problem(page: string, target: string): string | undefined {
	if (/^[a-z][a-z\d+.-]*:/i.test(target)) return undefined;
	const [path = '', anchor] = target.split('#');
	const file = resolve(repository, dirname(page), decodeURIComponent(path));
	const place = path === '' ? page : relative(repository, file);
	if (place.startsWith('..')) return `${target} leads out of the repository`;
	if (!existsSync(join(repository, place))) return `${target} does not exist`;
	if (anchor === undefined) return undefined;
	if (!place.endsWith('.md')) return /^L\d+/.test(anchor) ? undefined : `${target} has no anchors`;
	return anchorsIn(readText(place)).has(anchor) ? undefined : `${target} has no such heading`;
}

describe('the links of each page lead somewhere', () => {
	const pages = filesOf(/\.md$/);

	it('sees the pages', () => {
		expect(pages).toEqual(expect.arrayContaining(['README.md', 'CONTRIBUTING.md', 'docs/architecture.md']));
	});

	test.each(pages)('%s', (page) => {
		const links = linksIn(readText(page));
		expect(links.flatMap((target) => problem(page, target) ?? [])).toEqual([]);
	});
});

it('what n8n shows as documentation of nodes and credential are headings of the README', () => {
	const files = [...filesOf(/\.node\.json$/, 'nodes'), ...filesOf(/\.ts$/, 'credentials')];
	const links = files.flatMap((file) =>
		[...readText(file).matchAll(/https:\/\/github\.com\/[^'"\s]+/g)].map(([link]) => link),
	);
	expect(links.length).toBeGreaterThan(files.length);
	const headings = [...anchorsIn(readText('README.md'))].map((anchor) => `${HOME}#${anchor}`);
	expect(links.filter((link) => !headings.includes(link))).toEqual([]);
});

describe('what counts as a link, and as a heading', () => {
	it('links, pictures, references and HTML do; code does not', () => {
		const page = [
			'[a](b.md) ![c](d.svg "title") [`e`](<f.md#g>)',
			'[h]: i.md',
			'<img src="j.png">',
			'`[no](code)` ``[no](code `x`)``',
			'```',
			'[no](fenced)',
			'```',
		].join('\n');
		expect(linksIn(page)).toEqual(['b.md', 'd.svg', 'f.md#g', 'i.md', 'j.png']);
	});

	it('headings have the names that GitHub gives them', () => {
		const page = [
			'# A `b/c`: d',
			'## See it run, with *one* command',
			'## Ёж',
			'## Ёж',
			'```',
			'# no',
			'```',
		];
		expect([...anchorsIn(page.join('\n'))]).toEqual(['a-bc-d', 'see-it-run-with-one-command', 'ёж', 'ёж-1']);
	});
});
