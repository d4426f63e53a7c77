// `npm run demo`: installs what is missing, then hands over to sandbox/demo.ts in this same process.
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { help, readOptions } from './demo-options.mjs';
import { ensureN8n, ensureTools } from './install.mjs';
import { takeLock } from './lock.mjs';
import { portInUseHint } from './ports.mjs';

const repository = resolve(dirname(fileURLToPath(import.meta.url)), '..');

process.exitCode = await main(process.argv.slice(2));

async function main(args) {
	const options = readOptions(args);
	if (options.problem !== undefined) return reject(`${options.problem} (npm run demo -- --help)`);
	if (options.help) {
		console.log(help);
		return 0;
	}
	const lockFile = join(repository, '.sandbox', 'demo.lock');
	const lock = takeLock(lockFile);
	if (lock.release === undefined) {
		return reject(
			`A demo is running already (process ${lock.holder}): use that one, or stop it first. If that process is no demo, delete ${lockFile}.`,
		);
	}
	// The n8n of a killed demo ends by itself within seconds.
	const hint = await portInUseHint(options, lock.inherited ? 15_000 : 0);
	if (hint !== undefined) return reject(hint);
	const installed = await Promise.all([ensureTools(), ensureN8n()]);
	if (installed.includes(false)) return 1;

	const { require: load } = await import('tsx/cjs/api');
	const { runDemo } = load('../sandbox/demo.ts', import.meta.url);
	const code = await runDemo(options);
	lock.release();
	return code;
}

function reject(sentence) {
	console.error(sentence);
	return 1;
}
