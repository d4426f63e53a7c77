import { readdirSync } from 'node:fs';

import { parse } from 'yaml';

import { AiGatewayApi } from '../../credentials/AiGatewayApi.credentials';
import type { WorkflowJson } from '../../sandbox/n8n/types';
import { changesOfDocs } from '../../scripts/docs/generated';
import { filesOf, linksIn, readText } from '../helpers/markdown';
import { descriptions } from '../helpers/panel';
import { manifest, PICTURES, problemOf, REPOSITORY } from './links';

describe('codex', () => {
	interface Codex {
		node: string;
		nodeVersion: string;
		codexVersion: string;
		categories: string[];
		alias: string[];
		resources: Record<'primaryDocumentation' | 'credentialDocumentation', Array<{ url: string }>>;
	}

	const json = (file: string): unknown => JSON.parse(readText(file));

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

	describe('a codex file', () => {
		test.each(codexes)('$file belongs to its node', ({ file, codex, name }) => {
			const folder = file.split('/')[1] ?? '';
			const version = descriptions.find((node) => node.name === name)?.version;
			expect(codex).toMatchObject({
				node: `${manifest.name}.${name}`,
				nodeVersion: String(version).replace(/^\d+$/, '$&.0'),
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
});

describe('the README, which is also the page on npm', () => {
	const readme = readText('README.md');

	it('has absolute links and pictures only, apart from those within the page', () => {
		const links = linksIn(readme).filter((link) => !link.startsWith('#'));
		expect(links.length).toBeGreaterThan(20);
		expect(links.filter((link) => !link.startsWith('https://'))).toStrictEqual([]);
	});

	it('defines each link that it names, once, and no other', () => {
		const named = [...readme.matchAll(/\]\[([^\]]+)\]/g)].map(([, name]) => name);
		const defined = [...readme.matchAll(/^\[([^\]]+)\]: /gm)].map(([, name]) => name);
		expect(defined.sort()).toStrictEqual([...new Set(named)].sort());
	});

	it('shows the pictures themselves', () => {
		const pictures = linksIn(readme).filter((link) => /\.(png|svg)$/.test(link));
		expect(pictures.length).toBeGreaterThan(5);
		expect(pictures.filter((link) => !link.startsWith(PICTURES))).toStrictEqual([]);
	});

	it("has the sections of n8n's template, in their order", () => {
		const sections = [...readme.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
		const template = [
			'Installation',
			'Operations',
			'Credentials',
			'Compatibility',
			'Usage',
			'Resources',
			'Version history',
		];
		expect(sections.filter((title) => title !== undefined && template.includes(title))).toStrictEqual(
			template,
		);
	});

	it('has at most 1,650 words', () => {
		const words = readme
			.replace(/^\[.+\]: .+$/gm, '')
			.split(/\s+/)
			.filter(Boolean);
		expect(words.length).toBeGreaterThan(1_000);
		expect(words.length).toBeLessThanOrEqual(1_650);
	});

	it('says which versions of n8n were tested, as docs/compatibility.md does', () => {
		const tested = [...readText('docs/compatibility.md').matchAll(/^\| (\d+\.\d+\.\d+) \|/gm)];
		const versions = tested.map(([, version = '']) => version);
		expect(readme).toContain(`with n8n ${versions[0]} to ${versions.at(-1)}.`);
	});
});

describe('the owner in package.json', () => {
	const files = filesOf(/\.(ts|mjs|json|md|yml)$/).map((file) => ({ file, text: readText(file) }));
	const matches = (pattern: RegExp): Array<{ file: string; found: string | undefined }> =>
		files.flatMap(({ file, text }) => [...text.matchAll(pattern)].map(([, found]) => ({ file, found })));

	it('has the homepage and the issues', () => {
		expect(manifest.homepage).toBe(`${REPOSITORY}#readme`);
		expect(manifest.bugs.url).toBe(`${REPOSITORY}/issues`);
	});

	it('has each address of the repository', () => {
		const address = new RegExp(`github(?:usercontent)?\\.com/([\\w.-]+/${manifest.name})(?![\\w-])`, 'g');
		const addresses = matches(address);
		expect(addresses.length).toBeGreaterThan(20);
		expect(addresses.filter(({ found }) => !REPOSITORY.endsWith(`/${found}`))).toStrictEqual([]);
	});

	it('gets reports of vulnerabilities', () => {
		expect(readText('SECURITY.md')).toContain(manifest.author.email);
	});
});

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

// The Docker Compose files in examples/docker.

interface Service {
	image: string;
	entrypoint?: string;
	command?: string;
	environment?: Record<string, string>;
	volumes?: string[];
	depends_on?: Record<string, { condition: string }>;
	ports?: string[];
}

const read = (file: string) =>
	parse(readText(`examples/docker/${file}`), { merge: true }) as {
		services: Record<string, Service>;
		volumes: Record<string, null>;
		configs?: Record<string, { content: string }>;
	};

const single = read('compose.yml');
const queue = read('compose.queue.yml');
const n8nOf = ({ services }: typeof single): Array<[string, Service]> =>
	Object.entries(services).filter(([name, { image }]) => name !== 'package' && image.includes('n8nio/n8n'));

it('one file runs one n8n, the other one main, webhook processes and workers', () => {
	expect(n8nOf(single).map(([name, { command }]) => [name, command])).toStrictEqual([['n8n', undefined]]);
	expect(n8nOf(queue).map(([name, { command }]) => [name, command])).toStrictEqual([
		['main', undefined],
		['webhook', 'webhook'],
		['worker', 'worker'],
	]);
});

describe.each([
	['compose.yml', single],
	['compose.queue.yml', queue],
])('%s', (_, file) => {
	it('installs the package with npm, without its peers, which are n8n', () => {
		const { entrypoint, command, image } = file.services['package'] ?? {};
		expect(entrypoint).toBe('npm install --prefix /home/node/.n8n/nodes --legacy-peer-deps --ignore-scripts');
		expect(command).toBe('${PACKAGE:-n8n-nodes-ai-gateway}');
		expect(new Set(n8nOf(file).map(([, n8n]) => n8n.image))).toStrictEqual(new Set([image]));
	});

	test.each(n8nOf(file))('%s starts with the package and loads it', (_name, n8n) => {
		expect(n8n.depends_on?.['package']).toStrictEqual({ condition: 'service_completed_successfully' });
		expect(n8n.volumes).toStrictEqual(['n8n_data:/home/node/.n8n']);
		expect(file.services['package']?.volumes).toContain('n8n_data:/home/node/.n8n');
		expect(n8n.environment).toMatchObject({ N8N_UNVERIFIED_PACKAGES_ENABLED: 'true' });
	});

	test.each(n8nOf(file))('%s has the same public address under both names', (_name, { environment }) => {
		expect(environment).toMatchObject({
			N8N_WEBHOOK_URL: '${N8N_WEBHOOK_URL:-http://localhost:5678/}',
			WEBHOOK_URL: '${N8N_WEBHOOK_URL:-http://localhost:5678/}',
		});
	});

	it('names each volume, and opens ports to this machine only', () => {
		const services = Object.values(file.services);
		const named = services.flatMap(({ volumes = [] }) =>
			volumes.map((volume) => volume.split(':')[0] ?? '').filter((name) => name !== '.'),
		);
		expect(new Set(named)).toStrictEqual(new Set(Object.keys(file.volumes)));
		const ports = services.flatMap(({ ports: open = [] }) => open);
		expect(ports).toHaveLength(1);
		expect(ports[0]).toMatch(/^127\.0\.0\.1:5678:/);
	});
});

describe('queue mode', () => {
	test.each(n8nOf(queue))('%s shares key, queue, database and files with the others', (_name, n8n) => {
		expect(n8n.environment).toMatchObject({
			EXECUTIONS_MODE: 'queue',
			OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
			N8N_DEFAULT_BINARY_DATA_MODE: 'database',
			N8N_ENCRYPTION_KEY: '${N8N_ENCRYPTION_KEY:?Set it in .env}',
			QUEUE_BULL_REDIS_HOST: 'redis',
			DB_POSTGRESDB_HOST: 'postgres',
			DB_POSTGRESDB_PASSWORD: queue.services['postgres']?.environment?.['POSTGRES_PASSWORD'],
		});
		expect(n8n.depends_on).toMatchObject({
			postgres: { condition: 'service_healthy' },
			redis: { condition: 'service_healthy' },
		});
	});

	it('leads webhooks and callbacks of suspended executions to the webhook processes', () => {
		const caddyfile = queue.configs?.['caddyfile']?.content ?? '';
		const webhooks = /@webhooks path (.+)/.exec(caddyfile)?.[1]?.split(' ');
		expect(webhooks).toStrictEqual(expect.arrayContaining(['/webhook/*', '/webhook-waiting/*']));
		expect(caddyfile).toContain('reverse_proxy @webhooks webhook:5678');
		expect(caddyfile).toContain('reverse_proxy main:5678');
	});

	it('.env.example names each variable of the files', () => {
		const text = readText('examples/docker/compose.yml') + readText('examples/docker/compose.queue.yml');
		const used = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name));
		const named = [...readText('examples/docker/.env.example').matchAll(/^#?(\w+)=/gm)].map(
			([, name]) => name,
		);
		expect(new Set(named)).toStrictEqual(used);
	});
});

it('the titles of the examples are the names of their workflows', () => {
	const files = readdirSync('examples').filter((file) => file.endsWith('.json'));
	const names = files.map((file) => (JSON.parse(readText(`examples/${file}`)) as WorkflowJson).name);
	const titles = [...readText('examples/README.md').matchAll(/^## (.+)$/gm)].map(([, title]) => title);
	expect(titles.sort()).toStrictEqual(names.sort());
});

// Nothing that n8n 3.0 removes is used, nor recommended. The end-to-end tests ask n8n itself (e2e/examples.test.ts).

const texts = ['nodes', 'credentials', 'examples', 'docs']
	.flatMap((folder) => filesOf(/\.(ts|json|md|yml)$/, folder))
	.concat('README.md')
	.map((file) => ({ file, text: readText(file) }));

const filesWith = (pattern: RegExp): string[] =>
	texts.flatMap(({ file, text }) => (pattern.test(text) ? [file] : []));

it('WEBHOOK_URL, the old name of the variable, stands nowhere without the new one', () => {
	const old = filesWith(/(?<!N8N_)WEBHOOK_URL/);
	expect(old).toContain('docs/hosting.md');
	expect(filesWith(/N8N_WEBHOOK_URL/)).toStrictEqual(expect.arrayContaining(old));
});

it('no expression uses $getPairedItem, and no node has a color', () => {
	expect(filesWith(/\$getPairedItem\(|defaults: \{[^}]*color/)).toStrictEqual([]);
});

const API = 'docs/gateway-api.md';

it('each section of the API that is cited is on its page', () => {
	const sections = [...readText(API).matchAll(/^##+ ([\d.]+?)\.? /gm)].map(([, number]) => number);
	const cited = filesOf(/\.(ts|mjs|md)$/).flatMap((file) =>
		[...readText(file).matchAll(/§ ?(\d+(?:\.\d+)?)/g)].map(([, number]) => ({ file, number })),
	);
	expect(cited.length).toBeGreaterThan(200);
	expect(cited.filter(({ number }) => !sections.includes(number))).toStrictEqual([]);
});

describe('verification', () => {
	// What n8n's verification guidelines ask for and n8n's linter does not check.

	it('the license is MIT', () => {
		expect(manifest).toMatchObject({ license: 'MIT' });
		expect(readText('LICENSE')).toMatch(/^MIT License\n/);
	});

	it('there is one service: one credential', () => {
		expect(manifest.n8n).toMatchObject({ credentials: ['dist/credentials/AiGatewayApi.credentials.js'] });
	});

	describe('texts are in English', () => {
		const shipped = [
			...filesOf(/\.(ts|json)$/, 'nodes'),
			...filesOf(/\.ts$/, 'credentials'),
			...filesOf(/\.json$/, 'examples'),
			// The quick start in Russian is not in the package.
			...filesOf(/(?<!^ru)\.md$/, 'docs'),
			'README.md',
			'CHANGELOG.md',
			'CONTRIBUTING.md',
			'SECURITY.md',
		];

		it('in more than a hundred files', () => {
			expect(shipped.length).toBeGreaterThan(100);
		});

		it('no letter is of another script than Latin, except Greek signs such as μ', () => {
			const foreign = shipped.flatMap((file) =>
				[...readText(file).matchAll(/[^\P{L}\p{Script=Latin}\p{Script=Greek}]+/gu)].map(
					([letters]) => `${file}: ${letters}`,
				),
			);
			expect(foreign).toStrictEqual([]);
		});
	});
});

describe('docs/nodes and the output schemas', () => {
	// All examples run.
	it('are current: if not, run `npm run docs`', async () => {
		expect([...(await changesOfDocs()).keys()]).toStrictEqual([]);
	});
});
