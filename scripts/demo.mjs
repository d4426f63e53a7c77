// `npm run demo`: installs what is missing, then hands over to sandbox/demo.ts in this same process.
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { help, readOptions } from './demo-options.mjs';
import { ensureN8n, ensureTools } from './install.mjs';
import { takeLock } from './lock.mjs';
import { takenPortAdvice } from './ports.mjs';

const repository = resolve(dirname(fileURLToPath(import.meta.url)), '..');

process.exitCode = await main(process.argv.slice(2));

async function main(args) {
	const options = readOptions(args);
	if (options.problem !== undefined) return refuse(`${options.problem} (npm run demo -- --help)`);
	if (options.help) {
		console.log(help);
		return 0;
	}
	const lockFile = join(repository, '.sandbox', 'demo.lock');
	const lock = takeLock(lockFile);
	if (lock.release === undefined) {
		return refuse(
			`A demo is running already (process ${lock.holder}): use that one, or stop it first. If that process is no demo, delete ${lockFile}.`,
		);
	}
	// The n8n of a demo that was killed notices that and ends by itself, within seconds.
	const hint = await takenPortAdvice(options, lock.inherited ? 15_000 : 0);
	if (hint !== undefined) return refuse(hint);
	if (!ensureTools() || !ensureN8n()) return 1;

	const { require: load } = await import('tsx/cjs/api');
	const { runDemo } = load('../sandbox/demo.ts', import.meta.url);
	const code = await runDemo(options);
	lock.release();
	return code;
}

function refuse(sentence) {
	console.error(sentence);
	return 1;
}
