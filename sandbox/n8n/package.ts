import { createHash } from 'node:crypto';
import {
	copyFile,
	cp,
	mkdir,
	mkdtemp,
	readdir,
	readFile,
	rename,
	rm,
	stat,
	symlink,
	writeFile,
} from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { run, runNpm } from './commands';
import { image } from './container';
import { repositoryRoot, runtimeModules, sandboxFolder } from './runtime';

/** The name under which n8n knows the package; its node types are `<name>.<node>`. */
export const packageName = 'n8n-nodes-ai-gateway';

const sources = [
	'package.json',
	'tsconfig.json',
	'gulpfile.js',
	'scripts/clean.mjs',
	'nodes',
	'credentials',
	'icons',
];
/** What npm adds to the tarball by itself. */
const companions = ['README.md', 'LICENSE', 'CHANGELOG.md'];

/**
 * Builds and packs the package as `npm publish` would, and returns the tarball's path. Works in a copy, so that `dist` and
 * other builds are left alone. A tarball is kept per state of the sources: nothing is built twice.
 */
export async function packPackage(signal?: AbortSignal): Promise<string> {
	const folder = join(sandboxFolder, 'package');
	const tarballOf = async (root: string): Promise<string> => join(folder, `${await fingerprint(root)}.tgz`);
	const known = await tarballOf(repositoryRoot);
	if (existsSync(known)) return known;

	await mkdir(folder, { recursive: true });
	const workshop = await mkdtemp(join(tmpdir(), 'ai-gateway-package-'));
	try {
		for (const name of [...sources, ...companions]) {
			const source = join(repositoryRoot, name);
			if (existsSync(source)) await cp(source, join(workshop, name), { recursive: true });
		}
		// Of the copy: the sources may have changed since.
		const tarball = await tarballOf(workshop);
		await symlink(join(repositoryRoot, 'node_modules'), join(workshop, 'node_modules'), 'junction');
		const options = { directory: workshop, ...(signal ? { signal } : {}) };
		await runNpm(['run', 'build'], options);
		const name = (await runNpm(['pack', '--silent'], options)).trim();
		// In two steps: under its final name there is never half a file.
		const draft = `${tarball}.${process.pid}`;
		await copyFile(join(workshop, name), draft);
		await rename(draft, tarball);
		return tarball;
	} finally {
		await rm(workshop, { recursive: true, force: true });
	}
}

/**
 * Installs a packed package into n8n's user folder as n8n's own installer leaves it: unpacked into
 * `.n8n/nodes/node_modules/<name>` without its dev, peer and optional dependencies, and listed in `.n8n/nodes/package.json`.
 * n8n loads every `n8n-nodes-*` it finds there; its table of installed packages is consulted only to restore missing ones.
 * @param userFolder the value of `N8N_USER_FOLDER`
 */
export async function installPackage(tarball: string, userFolder: string): Promise<void> {
	const downloads = join(userFolder, '.n8n', 'nodes');
	const destination = join(downloads, 'node_modules', packageName);
	await rm(destination, { recursive: true, force: true });
	await mkdir(destination, { recursive: true });
	await run('tar', ['-xzf', tarball, '-C', destination, '--strip-components=1'], { directory: userFolder });

	const manifest = await readManifest(join(destination, 'package.json'));
	const { devDependencies, peerDependencies, optionalDependencies, ...installed } = manifest;
	void [devDependencies, peerDependencies, optionalDependencies];
	if (Object.keys(installed.dependencies ?? {}).length > 0) {
		throw new Error(
			'The package has runtime dependencies; this sandbox does not install any, and the verified programme allows none.',
		);
	}
	await writeFile(join(destination, 'package.json'), JSON.stringify(installed, null, 2));
	if (image === undefined) await linkLibrary(join(downloads, 'node_modules'));
	const ledger = {
		name: 'installed-nodes',
		private: true,
		dependencies: { [packageName]: installed.version },
	};
	await writeFile(join(downloads, 'package.json'), JSON.stringify(ledger, null, 2));
}

/**
 * Packages are to find n8n's own copy of its library, as they do on a user's machine. Where the user folder lies within this
 * repository, Node would find the repository's first, and n8n does not know the errors of another copy for its own.
 */
async function linkLibrary(folder: string): Promise<void> {
	const link = join(folder, 'n8n-workflow');
	await rm(link, { recursive: true, force: true });
	await symlink(join(runtimeModules, 'n8n-workflow'), link, 'junction');
}

interface Manifest {
	version: string;
	dependencies?: Record<string, string>;
	devDependencies?: Record<string, string>;
	peerDependencies?: Record<string, string>;
	optionalDependencies?: Record<string, string>;
}

async function readManifest(file: string): Promise<Manifest> {
	return JSON.parse(await readFile(file, 'utf8')) as Manifest;
}

async function fingerprint(root: string): Promise<string> {
	const hash = createHash('sha256');
	for (const name of [...sources, ...companions]) {
		for (const file of await filesOf(join(root, name))) {
			hash
				.update(`${relative(root, file)}\0`)
				.update(await readFile(file))
				.update('\0');
		}
	}
	return hash.digest('hex').slice(0, 16);
}

async function filesOf(path: string): Promise<string[]> {
	if (!existsSync(path)) return [];
	if ((await stat(path)).isFile()) return [path];
	const entries = await readdir(path, { recursive: true, withFileTypes: true });
	return entries
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name))
		.sort();
}
