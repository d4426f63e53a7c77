// Mutation tests: StrykerJS puts one mistake at a time into the source of an area and runs its tests. A mistake that no test
// notices survives. Results are in .sandbox/mutation: <area>.json, and <area>.run.json with the score.
//   npm run mutation [area…]                     all mutants of these areas, or of all
//   npm run mutation [area…] -- --sample=<part> [--seed=<text>]   those in a part of the functions, e.g. 0.2
//     A function is drawn, with all its mutants, by a hash of the seed and its place in the file.
//   npm run mutation [area…] -- --files=<glob>[,<glob>…]   those in these files
// MUTATION_CONCURRENCY: runs at a time (2). MUTATION_PATIENCE: on a busy machine, how many times as long a run may take (1).
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { areas } from '../test/mutation/areas.mjs';
import { isAbout, judgements, keepKilled, mutantsOf } from './mutation-results.mjs';

/** The part of the mutants that must be killed. */
const ENOUGH = 0.9;

process.chdir(resolve(dirname(fileURLToPath(import.meta.url)), '..'));
// Throws for an option that does not exist.
const { values: options, positionals: named } = parseArgs({
	allowPositionals: true,
	options: {
		sample: { type: 'string', default: '1' },
		seed: { type: 'string', default: '' },
		files: { type: 'string' },
	},
});
const unknown = named.filter((name) => !(name in areas));

if (unknown.length > 0) {
	console.error(`Unknown: ${unknown.join(', ')}. Choose from: ${Object.keys(areas).join(', ')}.`);
	process.exitCode = 2;
} else {
	const all = named.length > 0 ? named : Object.keys(areas);
	process.exitCode = all.filter((name) => !mutateArea(name)).length > 0 ? 1 : 0;
}

/** @returns {boolean} whether enough mutants of an area were killed */
function mutateArea(name) {
	const base = `.sandbox/mutation/${name}`;
	const { files, sample, seed } = options;
	rmSync(`${base}.json`, { force: true });
	keepKilled(`${base}.incremental.json`);
	spawnSync('node_modules/.bin/stryker', ['run', ...(files ? ['--mutate', files] : [])], {
		stdio: 'inherit',
		env: { ...process.env, MUTATION_AREA: name, MUTATION_SAMPLE: sample, MUTATION_SEED: seed },
	});
	if (!existsSync(`${base}.json`)) {
		console.error(`${name}: not finished.`);
		return false;
	}
	const mutants = mutantsOf(`${base}.json`);
	const killed = mutants.filter(({ isKilled }) => isKilled).length;
	const open = openSurvivors(mutants);
	const score = {
		revision: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
		sample,
		seed,
		run: mutants.length,
		killed,
		outOfTime: mutants.filter(({ isOutOfTime }) => isOutOfTime).length,
		judged: mutants.length - killed - open.length,
		notJudged: open.length,
	};
	writeFileSync(`${base}.run.json`, JSON.stringify(score, null, '\t'));
	console.log(name, score);
	return killed >= mutants.length * ENOUGH;
}

/** Shows the survivors that nobody has judged, and returns them. */
function openSurvivors(mutants) {
	const judged = judgements();
	const open = mutants.filter(
		(mutant) => !mutant.isKilled && !judged.some((judgement) => isAbout(judgement, mutant)),
	);
	for (const { file, line, code, to } of open) console.log(`Survived: ${file}:${line} ${code} → ${to}`);
	return open;
}
