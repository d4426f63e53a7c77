import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { run, runNpm } from './commands';
import { image } from './container';
import { repositoryRoot, runtimeModules, sandboxFolder } from './runtime';

/** The name under which n8n knows the package; its node types are `<name>.<node>`. */
export const packageName = 'n8n-nodes-ai-gateway';

const sources = [
	'package.json',
	'tsconfig.json',
	'gulpfile.js',
	'scripts/build.mjs',
	// Without it, esbuild compiles.
	'node_modules/typescript/package.json',
	'nodes',
	'credentials',
	'icons',
];
/** What npm adds to the tarball by itself. */
const companions = ['README.md', 'LICENSE', 'CHANGELOG.md'];

/** Where the tarball of the sources as they are now is, or will be. */
export async function tarballOf(): Promise<string> {
	return join(sandboxFolder, 'package', `${await fingerprint()}.tgz`);
}

/**
 * Builds and packs the package as `npm publish` would, and returns the tarball's path. A tarball is kept per state of the
 * sources: nothing is built twice.
 */
export async function packPackage(signal?: AbortSignal): Promise<string> {
	const tarball = await tarballOf();
	if (existsSync(tarball)) return tarball;
	const folder = dirname(tarball);
	await mkdir(folder, { recursive: true });
	// Not in the folder itself: under its final name there is never half a file.
	const draft = await mkdtemp(join(folder, 'draft-'));
	try {
		const options = { directory: repositoryRoot, ...(signal && { signal }) };
		await runNpm(['run', 'build'], options);
		const name = (await runNpm(['pack', '--silent', '--pack-destination', draft], options)).trim();
		await rename(join(draft, name), tarball);
		return tarball;
	} finally {
		await rm(draft, { recursive: true, force: true });
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

	const file = join(destination, 'package.json');
	const manifest = JSON.parse(await readFile(file, 'utf8')) as { version: string };
	const left = { devDependencies: undefined, peerDependencies: undefined, optionalDependencies: undefined };
	await writeFile(file, JSON.stringify({ ...manifest, ...left }, null, 2));
	if (image === undefined) await linkLibrary(join(downloads, 'node_modules'));
	const ledger = {
		name: 'installed-nodes',
		private: true,
		dependencies: { [packageName]: manifest.version },
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

async function fingerprint(): Promise<string> {
	const hash = createHash('sha256');
	for (const name of [...sources, ...companions]) {
		for (const file of await filesOf(join(repositoryRoot, name))) {
			hash
				.update(`${relative(repositoryRoot, file)}\0`)
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
