import { AiGatewayApi } from '../../credentials/AiGatewayApi.credentials';
import { readText } from '../helpers/markdown';
import { descriptions } from '../helpers/panel';
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

/** The codex file of each registered node. */
const codexes = manifest.n8n.nodes.map((path) => {
	const file = path.replace('dist/', '').replace(/\.js$/, '.json');
	const codex = json(file) as Codex;
	return { file, codex, name: codex.node.split('.')[1] ?? '' };
});

/** The categories of n8n's node panel. */
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

it('every node has a codex file', () => {
	expect(codexes.map(({ name }) => name).sort()).toStrictEqual(descriptions.map(({ name }) => name).sort());
});

it('the repository is the one in package.json', () => {
	expect(manifest.homepage).toBe(`${REPOSITORY}#readme`);
});

describe('a codex file', () => {
	test.each(codexes)('$file belongs to its node', ({ file, codex, name }) => {
		const folder = file.split('/')[1] ?? '';
		expect(codex).toMatchObject({
			node: `${manifest.name}.${name}`,
			nodeVersion: '1.0',
			codexVersion: '1.0',
		});
		expect(`${name.charAt(0).toUpperCase()}${name.slice(1)}`).toBe(folder);
	});

	test.each(codexes)('$file has categories that exist', ({ codex }) => {
		expect(codex.categories).not.toStrictEqual([]);
		expect(CATEGORIES).toStrictEqual(expect.arrayContaining(codex.categories));
	});

	test.each(codexes)('$file has aliases, each once', ({ codex: { alias } }) => {
		expect(alias).toContain('AI gateway');
		expect(alias.length).toBeGreaterThan(5);
		expect(new Set(alias.map((word) => word.toLowerCase())).size).toBe(alias.length);
	});

	test.each(codexes)('$file links to the page of its node', ({ codex, name }) => {
		const [documentation] = codex.resources.primaryDocumentation;
		expect(documentation?.url).toBe(`${REPOSITORY}/blob/main/docs/nodes/${name}.md`);
	});

	test.each(codexes)('$file has no broken link', ({ file, codex }) => {
		const links = Object.values(codex.resources).flat();
		expect(links.length).toBeGreaterThan(1);
		expect(links.flatMap(({ url }) => problemOf(url, file) ?? [])).toStrictEqual([]);
	});
});

it('the credential has no broken link', () => {
	const { documentationUrl } = new AiGatewayApi();
	expect(documentationUrl.startsWith(REPOSITORY)).toBe(true);
	expect(problemOf(documentationUrl, 'credentials')).toBeUndefined();
});
