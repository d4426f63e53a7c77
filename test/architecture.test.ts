import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const root = resolve(__dirname, '../nodes');

/** All sources below `nodes/`, by their path there, with what each imports, by path or package name. */
const imports = new Map(
	readdirSync(root, { recursive: true, encoding: 'utf8' })
		.filter((path) => path.endsWith('.ts'))
		.map((path) => [path, importsOf(path)]),
);

function importsOf(path: string): string[] {
	const source = readFileSync(join(root, path), 'utf8');
	return [...source.matchAll(/from '([^']+)'/g)].map(([, target = '']) =>
		target.startsWith('.') ? relative(root, resolve(root, dirname(path), target)) : target,
	);
}

/** The imports from files below `from` that go below `to`. */
function crossings(from: string, to: string): string[] {
	return [...imports]
		.filter(([path]) => path.startsWith(from))
		.flatMap(([path, targets]) =>
			targets.filter((target) => target.startsWith(to)).map((target) => `${path} → ${target}`),
		);
}

const nodes = readdirSync(root).filter((name) => name !== 'shared');
/** Each wire format is a folder, also one that is still to come. */
const formats = readdirSync(join(root, 'shared/gateway/formats'), { withFileTypes: true })
	.filter((entry) => entry.isDirectory())
	.map(({ name }) => name);

describe('the directions of imports', () => {
	it('sees the sources', () => {
		expect(imports.size).toBeGreaterThan(30);
		expect(formats).toStrictEqual(expect.arrayContaining(['chat', 'responses', 'messages']));
	});

	it('the gateway knows nothing of executions and fields', () => {
		expect(crossings('shared/gateway/', 'shared/execution/')).toStrictEqual([]);
		expect(crossings('shared/gateway/', 'shared/fields/')).toStrictEqual([]);
	});

	it('the gateway knows nothing of n8n', () => {
		expect(crossings('shared/gateway/', 'n8n-workflow')).toStrictEqual([]);
	});

	test.each(nodes)('shared code does not know %s', (node) =>
		expect(crossings('shared/', `${node}/`)).toStrictEqual([]),
	);

	test.each(nodes)('%s does not know another node', (node) => {
		const others = nodes.filter((other) => other !== node);
		expect(others.flatMap((other) => crossings(`${node}/`, `${other}/`))).toStrictEqual([]);
	});

	test.each(formats)('the %s format does not know another format', (format) => {
		const others = formats.filter((other) => other !== format);
		expect(
			others.flatMap((other) =>
				crossings(`shared/gateway/formats/${format}/`, `shared/gateway/formats/${other}/`),
			),
		).toStrictEqual([]);
	});

	test.each(formats)('no node names the %s format', (format) => {
		expect(nodes.flatMap((node) => crossings(`${node}/`, `shared/gateway/formats/${format}/`))).toStrictEqual(
			[],
		);
	});

	it('only the chat model knows the SDK for AI nodes', () => {
		const others = ['shared/', ...nodes.filter((node) => node !== 'ChatModel').map((node) => `${node}/`)];
		expect(others.flatMap((other) => crossings(other, '@n8n/ai-node-sdk'))).toStrictEqual([]);
	});

	it('nothing but n8n-workflow, the SDK and node:crypto comes from outside', () => {
		const packages = new Set(
			[...imports.values()].flat().filter((target) => !/^(shared|[A-Z]\w+)\//.test(target)),
		);
		expect([...packages].sort()).toStrictEqual(['@n8n/ai-node-sdk', 'n8n-workflow', 'node:crypto']);
	});
});
