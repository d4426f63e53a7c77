import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const root = resolve(__dirname, '../nodes');

type Imports = Map<string, string[]>;

/** The sources below a folder, by their path there, with what each imports, by path or package name. */
function importsBelow(folder: string): Imports {
	return new Map(sourcesBelow(folder).map((path) => [relative(folder, path), importsOf(folder, path)]));
}

function sourcesBelow(folder: string): string[] {
	const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => name !== 'node_modules');
	return entries.flatMap((entry) => {
		const path = join(folder, entry.name);
		if (entry.isDirectory()) return sourcesBelow(path);
		return /\.(ts|mjs)$/.test(path) ? [path] : [];
	});
}

function importsOf(folder: string, path: string): string[] {
	const source = readFileSync(path, 'utf8');
	return [...source.matchAll(/from '([^']+)'/g)].map(([, target = '']) =>
		target.startsWith('.') ? relative(folder, resolve(dirname(path), target)) : target,
	);
}

const imports = importsBelow(root);
const sandbox = importsBelow(resolve(__dirname, '../sandbox'));

function dependenciesOf(path: string): Record<'dependencies' | 'devDependencies', Record<string, string>> {
	return JSON.parse(readFileSync(resolve(__dirname, '..', path), 'utf8')) as ReturnType<
		typeof dependenciesOf
	>;
}

function isPackage(target: string, all: Imports): boolean {
	return !target.startsWith('node:') && sourceOf(target, all) === undefined;
}

/** The source that an import of this path loads. */
function sourceOf(target: string, all: Imports): string | undefined {
	return [target, `${target}.ts`, `${target}/index.ts`].find((path) => all.has(path));
}

/** The imports from files below `from` that go below `to`. */
function crossings(from: string, to: string): string[] {
	return [...imports]
		.filter(([path]) => path.startsWith(from))
		.flatMap(([path, targets]) =>
			targets.filter((target) => `${target}/`.startsWith(to)).map((target) => `${path} → ${target}`),
		);
}

/** The layers, each of which imports only from itself and from those before it. */
const layers = [
	'shared/gateway/util/',
	'shared/gateway/errors/',
	'shared/gateway/client/',
	'shared/gateway/media/',
	'shared/gateway/endpoints/',
	'shared/gateway/text/',
	'shared/params/',
	'shared/n8n/',
	'shared/run/',
	'shared/fields/',
];

const nodes = readdirSync(root).filter((name) => name !== 'shared');
/** Each wire format is a folder, also one that is still to come. */
const formats = readdirSync(join(root, 'shared/gateway/text/formats'), { withFileTypes: true })
	.filter((entry) => entry.isDirectory())
	.map(({ name }) => name);

/** The files on a way of imports that leads back to its beginning; empty when there is none. */
function circle(all: Imports): string[] {
	const done = new Set<string>();
	const way: string[] = [];
	const visit = (path: string): string[] => {
		const at = way.indexOf(path);
		if (at !== -1) return [...way.slice(at), path];
		if (done.has(path)) return [];
		way.push(path);
		for (const target of all.get(path) ?? []) {
			const source = sourceOf(target, all);
			const found = source === undefined ? [] : visit(source);
			if (found.length > 0) return found;
		}
		way.pop();
		done.add(path);
		return [];
	};
	for (const path of all.keys()) {
		const found = visit(path);
		if (found.length > 0) return found;
	}
	return [];
}

/** What modules of one kind call the same: operations, and the panels of nodes. */
const SAME_ROLE = [
	...['get', 'getMany', 'generate', 'download', 'deleteOperation', 'registry'],
	...['parameters', 'options', 'fields', 'messages', 'url', 'base64', 'binaryPropertyName', 'Params'],
];

it('a name is declared in one file, except for what wire formats, operations and panels call the same', () => {
	const declared = new Map<string, string[]>();
	for (const path of imports.keys()) {
		const source = readFileSync(join(root, path), 'utf8');
		const found = source.matchAll(
			/^(?:export )?(?:async )?(?:function\*?|const|let|class|interface|type) (\w+)/gm,
		);
		for (const [, name = ''] of found) declared.set(name, [...(declared.get(name) ?? []), path]);
	}
	expect(declared.size).toBeGreaterThan(500);
	const ofFormats = (paths: string[]) =>
		paths.every((path) =>
			formats.some((format) => path.startsWith(`shared/gateway/text/formats/${format}/`)),
		);
	const several = [...declared].filter(
		([name, paths]) => new Set(paths).size > 1 && !ofFormats(paths) && !SAME_ROLE.includes(name),
	);
	expect(Object.fromEntries(several)).toStrictEqual({});
});

describe('the directions of imports', () => {
	it('sees the sources', () => {
		expect(imports.size).toBeGreaterThan(100);
		expect(formats).toStrictEqual(expect.arrayContaining(['chat', 'responses', 'messages']));
	});

	it('every shared file is in a layer', () => {
		const outside = [...imports.keys()].filter(
			(path) => path.startsWith('shared/') && !layers.some((layer) => path.startsWith(layer)),
		);
		expect(outside).toStrictEqual([]);
	});

	test.each(layers)('%s imports no layer above it', (layer) => {
		const above = layers.slice(layers.indexOf(layer) + 1);
		expect(above.flatMap((other) => crossings(layer, other))).toStrictEqual([]);
	});

	test.each(['nodes', 'sandbox', 'bench', 'scripts', 'test'])('no imports in %s form a circle', (folder) => {
		const all = importsBelow(resolve(__dirname, '..', folder));
		expect(all.size).toBeGreaterThan(0);
		expect(circle(all)).toStrictEqual([]);
	});

	it('the sandbox imports neither scripts nor tests', () => {
		const targets = [...sandbox.values()].flat();
		expect(targets).toContain('demo/report');
		expect(targets.filter((target) => target.startsWith('..'))).toStrictEqual([]);
	});

	it('the demo installs what the sandbox imports and what compiles it, in the versions of the root', () => {
		const listed = dependenciesOf('sandbox/package.json').dependencies;
		const packages = [...sandbox.values()].flat().filter((target) => isPackage(target, sandbox));
		// Of n8n-workflow, the sandbox imports types.
		const imported = packages.filter((name) => name !== 'n8n-workflow');
		expect(Object.keys(listed).sort()).toStrictEqual([...new Set([...imported, 'esbuild', 'tsx'])].sort());
		expect(dependenciesOf('package.json').devDependencies).toStrictEqual(expect.objectContaining(listed));
	});

	it('the gateway does not import n8n', () => {
		expect(crossings('shared/gateway/', 'n8n-workflow')).toStrictEqual([]);
	});

	test.each(nodes)('shared code does not import %s', (node) =>
		expect(crossings('shared/', `${node}/`)).toStrictEqual([]),
	);

	test.each(nodes)('%s does not import another node', (node) => {
		const others = nodes.filter((other) => other !== node);
		expect(others.flatMap((other) => crossings(`${node}/`, `${other}/`))).toStrictEqual([]);
	});

	test.each(formats)('only the list of formats imports the %s format', (format) => {
		const folder = `shared/gateway/text/formats/${format}/`;
		const users = crossings('', folder).filter((crossing) => !crossing.startsWith(folder));
		expect(users).toStrictEqual([`shared/gateway/text/formats/index.ts → ${folder.slice(0, -1)}`]);
	});

	it('only the chat model imports the SDK for AI nodes', () => {
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
