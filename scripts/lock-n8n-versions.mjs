// Writes the lock file of test/n8nVersions after a change of its package.json. Without the dependencies of
// n8n-workflow, which the root package has: with them, the folder takes 520 MB instead of 100.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = resolve(dirname(fileURLToPath(import.meta.url)), '../test/n8nVersions');
const lockFile = join(folder, 'package-lock.json');

// npm keeps the entries of an older lock file as they are.
rmSync(lockFile, { force: true });
const { status } = spawnSync('npm', ['install', '--package-lock-only', ...process.argv.slice(2)], {
	cwd: folder,
	stdio: 'inherit',
	shell: process.platform === 'win32',
});
if (status !== 0) process.exit(1);

const lock = JSON.parse(readFileSync(lockFile, 'utf8'));
const { '': root, ...packages } = lock.packages;
const own = Object.entries(packages)
	.filter(([path]) => path.slice('node_modules/'.length) in root.dependencies)
	.map(([path, { name, version, resolved, integrity, license }]) => [
		path,
		{ name, version, resolved, integrity, license },
	]);
lock.packages = { '': root, ...Object.fromEntries(own) };
writeFileSync(lockFile, `${JSON.stringify(lock, null, 2)}\n`);
