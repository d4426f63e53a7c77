// Tests the package on other versions of n8n, one after the other: `npm run test:versions [-- options] [version…]`.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { folderOf, installVersion, removeVersion } from './install.mjs';
import { floor, matrix } from './list.mjs';
import { page, resultsOf, versionsIn } from './table.mjs';

const help = `npm run test:versions -- [options] [version…]

Installs versions of n8n in .sandbox/n8n, runs test/versions with the packed package on each, deletes them and prints
a table. Without versions, runs ${matrix.join(', ')} and writes the table to
docs/compatibility.md. A version is a number, "floor" (${floor}) or "newest".

  --install            only install
  --keep               do not delete what is installed, which "newest" then means in later runs
  --reports <folder>   keep jest's reports there, as n8n-<version>.jest.json`;

const repository = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..');
process.exitCode = await main(process.argv.slice(2));

async function main(args) {
	const { values: options, positionals } = parseArgs({
		args,
		allowPositionals: true,
		options: {
			install: { type: 'boolean', default: false },
			keep: { type: 'boolean', default: false },
			reports: { type: 'string', default: join(repository, 'test-results', 'versions') },
			help: { type: 'boolean', short: 'h', default: false },
		},
	});
	if (options.help) {
		console.log(help);
		return 0;
	}
	const all = positionals.length === 0;
	const wanted = all ? matrix : positionals.map((version) => (version === 'floor' ? floor : version));
	if (options.install) {
		for (const version of wanted) if ((await installVersion(version)) === undefined) return 1;
		return 0;
	}

	mkdirSync(options.reports, { recursive: true });
	const tested = [];
	for (const version of wanted) {
		const result = await test(version, options);
		if (result !== undefined) tested.push(result);
	}
	const isComplete = tested.length === wanted.length;
	const rows = tested.map(({ versions, cells }) => [...versions, ...cells]);
	const text = page(rows, new Date().toISOString().slice(0, 10));
	console.log(text);
	if (all && isComplete) writeFileSync(join(repository, 'docs', 'compatibility.md'), text);
	return isComplete && tested.every(({ isPassed }) => isPassed) ? 0 : 1;
}

/** @returns {Promise<object | undefined>} the versions and the results; undefined when n8n could not be installed */
async function test(wanted, { keep, reports }) {
	const version = await installVersion(wanted);
	if (version === undefined) return undefined;
	const folder = folderOf(version);
	const report = join(reports, `n8n-${version}.jest.json`);
	rmSync(report, { force: true });
	console.log(`n8n ${version}`);
	const jest = join(repository, 'node_modules', 'jest', 'bin', 'jest.js');
	spawnSync(
		process.execPath,
		[jest, '--config', 'jest.versions.config.js', '--json', `--outputFile=${report}`],
		{ cwd: repository, env: { ...process.env, SANDBOX_N8N: folder }, stdio: ['ignore', 'ignore', 'inherit'] },
	);
	const results = resultsOf(JSON.parse(readFileSync(report, 'utf8')));
	const versions = versionsIn(folder);
	if (!keep) removeVersion(version);
	return { versions, ...results };
}
