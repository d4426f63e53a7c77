import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { AiGatewayApi } from '../../credentials/AiGatewayApi.credentials';
import packageJson from '../../package.json';
import { descriptions } from '../helpers/panel';

// What n8n's panel of nodes knows of each node, and where its help leads.

const root = join(__dirname, '../..');

/** Those of n8n's documentation, and the one in which n8n keeps models and agents. */
const CATEGORIES = ['AI', 'Data & Storage', 'Finance & Accounting'];

interface Codex {
	node: string;
	nodeVersion: string;
	codexVersion: string;
	categories: string[];
	resources: Record<string, Array<{ url: string }>>;
	alias: string[];
}

const codexOf = (folder: string): Codex =>
	JSON.parse(readFileSync(join(root, 'nodes', folder, `${folder}.node.json`), 'utf8')) as Codex;

/** The anchors of a page's headings, as GitHub makes them. */
function anchors(page: string): string[] {
	return [...readFileSync(join(root, page), 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
		heading
			.toLowerCase()
			.replace(/[^\w\s-]/g, '')
			.trim()
			.replace(/\s/g, '-'),
	);
}

const folders = readdirSync(join(root, 'nodes')).filter((name) =>
	existsSync(join(root, 'nodes', name, `${name}.node.ts`)),
);

test('every node has one', () => {
	expect(folders).toHaveLength(descriptions.length);
});

test.each(folders)('%s is described by name, version and category', (folder) => {
	const codex = codexOf(folder);
	const name = `${folder.charAt(0).toLowerCase()}${folder.slice(1)}`;
	const node = descriptions.find((description) => description.name === name);
	expect(codex.node).toBe(`${packageJson.name}.${name}`);
	expect(codex.nodeVersion).toBe(`${String(node?.version)}.0`);
	expect(codex.codexVersion).toBe('1.0');
	expect(CATEGORIES).toEqual(expect.arrayContaining(codex.categories));
});

/** Holds that a link leads to a heading of the README. */
function expectHelp(url: string): void {
	const [page, anchor] = url.split('#');
	expect(`${page ?? ''}#readme`).toBe(packageJson.homepage);
	expect(anchors('README.md')).toContain(anchor);
}

test.each(folders)('the help of %s leads to headings of the README', (folder) => {
	const { resources } = codexOf(folder);
	const urls = Object.values(resources).flatMap((links) => links.map(({ url }) => url));
	expect(urls).toHaveLength(2);
	urls.forEach(expectHelp);
});

test('so does the help of the credential', () => expectHelp(new AiGatewayApi().documentationUrl));
