import { AiGatewayApi } from '../../credentials/AiGatewayApi.credentials';
import { anchorsIn, filesOf, linksIn, readText } from '../helpers/markdown';
import { problemOf, REPOSITORY } from './links';

interface Codex {
	node: string;
	nodeVersion: string;
	codexVersion: string;
	categories: string[];
	alias: string[];
	resources: Record<'primaryDocumentation' | 'credentialDocumentation', Array<{ url: string }>>;
}

interface Manifest {
	name: string;
	homepage: string;
	n8n: { nodes: string[] };
}

const json = (file: string): unknown => JSON.parse(readText(file));
const manifest = json('package.json') as Manifest;

/** Of each node the package registers: what n8n's panel of nodes knows of it. */
const codexes = manifest.n8n.nodes.map((path) => {
	const file = path.replace('dist/', '').replace(/\.js$/, '.json');
	const codex = json(file) as Codex;
	return { file, codex, name: codex.node.split('.')[1] ?? '' };
});

/** The categories of n8n's panel that exist. */
const CATEGORIES = [
	'AI',
	'Analytics',
	'Communication',
	'Core Nodes',
	'Data & Storage',
	'Development',
	'Finance & Accounting',
	'Marketing',
	'Miscellaneous',
	'Productivity',
	'Sales',
	'Utility',
];

it('the repository is where the package says', () => {
	expect(manifest.homepage).toBe(`${REPOSITORY}#readme`);
});

describe('what n8n’s panel of nodes knows', () => {
	test.each(codexes)('$file is of its node', ({ file, codex, name }) => {
		const folder = file.split('/')[1] ?? '';
		expect(codex).toMatchObject({
			node: `${manifest.name}.${name}`,
			nodeVersion: '1.0',
			codexVersion: '1.0',
		});
		expect(`${name.charAt(0).toUpperCase()}${name.slice(1)}`).toBe(folder);
	});

	test.each(codexes)('$file has categories that exist', ({ codex }) => {
		expect(codex.categories).not.toEqual([]);
		expect(CATEGORIES).toEqual(expect.arrayContaining(codex.categories));
	});

	test.each(codexes)('$file has words to be found by, each once', ({ codex: { alias } }) => {
		expect(alias).toContain('gateway');
		expect(alias.length).toBeGreaterThan(5);
		expect(new Set(alias.map((word) => word.toLowerCase())).size).toBe(alias.length);
	});

	test.each(codexes)('$file links to the page of its node', ({ codex, name }) => {
		const [documentation] = codex.resources.primaryDocumentation;
		expect(documentation?.url).toBe(`${REPOSITORY}/blob/main/docs/nodes/${name}.md`);
	});

	test.each(codexes)('$file links to what exists', ({ file, codex }) => {
		const links = Object.values(codex.resources).flat();
		expect(links.length).toBeGreaterThan(1);
		expect(links.flatMap(({ url }) => problemOf(url, file) ?? [])).toEqual([]);
	});
});

it('the credential links to what exists', () => {
	const { documentationUrl } = new AiGatewayApi();
	expect(documentationUrl.startsWith(REPOSITORY)).toBe(true);
	expect(problemOf(documentationUrl, 'credentials')).toBeUndefined();
});

describe('links of pages lead to what exists', () => {
	const pages = filesOf(/\.md$/);

	it('of these, among others', () => {
		expect(pages).toEqual(expect.arrayContaining(['README.md', 'CONTRIBUTING.md', 'docs/architecture.md']));
	});

	test.each(pages)('%s', (file) => {
		expect(linksIn(readText(file)).flatMap((link) => problemOf(link, file) ?? [])).toEqual([]);
	});

	it.each([
		[`${REPOSITORY}/blob/main/docs/nodes/no-such.md`, 'there is no docs/nodes/no-such.md'],
		[`${REPOSITORY}#no-such-heading`, 'has no heading for #no-such-heading'],
		['../no-such.md', 'there is no no-such.md'],
	])('and one that does not is seen: %s', (link, problem) => {
		expect(problemOf(link, 'docs/errors.md')).toContain(problem);
	});
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
