import { anchorsIn, filesOf, linksIn, readText } from '../helpers/markdown';
import { problemOf, REPOSITORY } from './links';

describe('links of pages are not broken', () => {
	const pages = filesOf(/\.md$/);

	it('including those of these pages', () => {
		expect(pages).toStrictEqual(
			expect.arrayContaining(['README.md', 'CONTRIBUTING.md', 'docs/architecture.md']),
		);
	});

	test.each(pages)('%s', (file) => {
		expect(linksIn(readText(file)).flatMap((link) => problemOf(link, file) ?? [])).toStrictEqual([]);
	});

	it.each([
		[`${REPOSITORY}/blob/main/docs/nodes/no-such.md`, 'there is no docs/nodes/no-such.md'],
		[`${REPOSITORY}#no-such-heading`, 'has no heading for #no-such-heading'],
		['../no-such.md', 'there is no no-such.md'],
	])('reports a broken link: %s', (link, problem) => {
		expect(problemOf(link, 'docs/errors.md')).toContain(problem);
	});
});

describe('links and headings of a page', () => {
	it('include links, pictures, references and HTML, and not code', () => {
		const page = [
			'[a](b.md) ![c](d.svg "title") [`e`](<f.md#g>)',
			'[h]: i.md',
			'<img src="j.png">',
			'`[no](code)` ``[no](code `x`)``',
			'```',
			'[no](fenced)',
			'```',
		].join('\n');
		expect(linksIn(page)).toStrictEqual(['b.md', 'd.svg', 'f.md#g', 'i.md', 'j.png']);
	});

	it('have GitHub’s anchors', () => {
		const page = [
			'# A `b/c`: d',
			'## See it run, with *one* command',
			'## Ёж',
			'## Ёж',
			'```',
			'# no',
			'```',
		];
		expect([...anchorsIn(page.join('\n'))]).toStrictEqual([
			'a-bc-d',
			'see-it-run-with-one-command',
			'ёж',
			'ёж-1',
		]);
	});
});
