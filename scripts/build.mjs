// `npm run build`: writes dist/, what the package contains.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import gulpfile from '../gulpfile.js';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const dist = resolve(root, 'dist');
process.chdir(root);

// The output of a renamed source must not stay in the package.
rmSync(dist, { recursive: true, force: true });
const isCompiled = existsSync(resolve(root, 'node_modules/typescript')) ? checkAndCompile() : compile();
if (isCompiled) await gulpfile.default();
process.exitCode = isCompiled ? 0 : 1;

function checkAndCompile() {
	const tsc = resolve(root, 'node_modules/typescript/bin/tsc');
	return spawnSync(process.execPath, [tsc], { cwd: root, stdio: 'inherit' }).status === 0;
}

/** Without the development tools, as in the demo: esbuild compiles each source by itself and checks no types. */
function compile() {
	const esbuild = createRequire(resolve(root, 'sandbox/package.json'))('esbuild');
	esbuild.buildSync({
		absWorkingDir: root,
		entryPoints: ['nodes/**/*.ts', 'credentials/**/*.ts'],
		outbase: '.',
		outdir: dist,
		format: 'cjs',
		platform: 'node',
		tsconfig: 'tsconfig.json',
	});
	return true;
}
