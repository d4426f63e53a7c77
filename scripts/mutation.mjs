// Mutation tests: StrykerJS puts one mistake at a time into the source of an area and runs its tests. A mistake that no test
// notices survives. Results are in .sandbox/mutation: <area>.json, and <area>.run.json with the score.
//   npm run mutation [area…]                     all mutants of these areas, or of all
//   npm run mutation [area…] -- --sample=<part> [--seed=<text>]   those in a part of the functions, e.g. 0.2
//     A function is drawn, with all its mutants, by a hash of the seed and its place in the file.
//   npm run mutation [area…] -- --files=<glob>[,<glob>…]   the same as in the last run, but of these files
//   npm run mutation -- --changed[=<revision>]   those in the lines changed since a revision, within five minutes
// MUTATION_CONCURRENCY: runs at a time (2). MUTATION_PATIENCE: on a busy machine, how many times as long a run may take (1).
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { areas } from '../test/mutation/areas.mjs';
import { interval, isAbout, judgements, keepKilled, mutantsOf, population } from './mutation-results.mjs';

const CHANGED_MS = 5 * 60_000;
/** The part of the mutants that must be killed; of those in changed lines, killed or judged. */
const ENOUGH = 0.9;

const repository = resolve(dirname(fileURLToPath(import.meta.url)), '..');
process.chdir(repository);
const args = process.argv.slice(2);
const flag = (name) => args.find((arg) => arg.split('=')[0] === name);
const valueOf = (name) => flag(name)?.split('=')[1];
const named = args.filter((arg) => !arg.startsWith('--'));
const unknown = named.filter((name) => !(name in areas));

if (unknown.length > 0) {
	console.error(`Unknown: ${unknown.join(', ')}. Choose from: ${Object.keys(areas).join(', ')}.`);
	process.exitCode = 2;
} else if (flag('--changed') === undefined) {
	const all = named.length > 0 ? named : Object.keys(areas);
	const failed = all.filter((name) => !mutateArea(name));
	process.exitCode = failed.length > 0 ? 1 : 0;
} else {
	process.exitCode = mutateChanged(valueOf('--changed') ?? lastRevision());
}

/** @returns {boolean} whether enough mutants of an area were killed */
function mutateArea(name) {
	const base = `.sandbox/mutation/${name}`;
	const files = valueOf('--files');
	const last =
		files && existsSync(`${base}.run.json`) ? JSON.parse(readFileSync(`${base}.run.json`, 'utf8')) : {};
	const sample = valueOf('--sample') ?? last.sample ?? '1';
	const seed = valueOf('--seed') ?? last.seed ?? '';
	const begin = Date.now();
	keepKilled(`${base}.incremental.json`);
	mutate(name, files, { env: { MUTATION_SAMPLE: sample, MUTATION_SEED: seed } });
	if (!existsSync(`${base}.json`) || statSync(`${base}.json`).mtimeMs < begin) {
		console.error(`${name}: not finished.`);
		return false;
	}
	const mutants = mutantsOf(`${base}.json`);
	const killed = mutants.filter(({ isKilled }) => isKilled).length;
	const open = openSurvivors(mutants);
	const score = {
		revision: git('rev-parse', '--short', 'HEAD').trim(),
		sample,
		seed,
		mutants: population(`${base}.json`),
		run: mutants.length,
		killed,
		// Where the part of all mutants that are killed probably is.
		interval95: interval(killed, mutants.length).map((share) => Number(share.toFixed(3))),
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

/** @returns StrykerJS's exit code; `undefined` at the time limit */
function mutate(name, files, more = {}) {
	const { status, error } = spawnSync(
		'node_modules/.bin/stryker',
		['run', ...(files ? ['--mutate', files] : [])],
		{
			stdio: 'inherit',
			...more,
			env: { ...process.env, MUTATION_AREA: name, ...more.env },
		},
	);
	// StrykerJS ends by itself after a signal, with its own status.
	return error?.code === 'ETIMEDOUT' ? undefined : status;
}

function mutateChanged(revision) {
	if (revision === undefined) return explained('There is no earlier revision to compare with.');
	const ranges = changedRanges(revision);
	const end = Date.now() + CHANGED_MS;
	const mutants = [];
	const results = '.sandbox/mutation-changed';
	rmSync(results, { recursive: true, force: true });
	for (const [name, { mutate: globs }] of Object.entries(areas)) {
		const own = ranges.filter(({ file }) => globs.some((glob) => fits(file, glob)));
		if (own.length === 0) continue;
		const files = own.map(({ file, from, to }) => `${file}:${from}-${to}`).join(',');
		const timeout = Math.max(1, end - Date.now());
		const status = mutate(name, files, { timeout, env: { MUTATION_RESULTS: results } });
		if (status === undefined)
			return explained('Five minutes are over: the nightly run covers these changes.');
		const report = `${results}/${name}.json`;
		if (!existsSync(report)) return 1;
		mutants.push(...mutantsOf(report));
	}
	const open = openSurvivors(mutants);
	console.log(`${mutants.length} mutants in changed lines, ${open.length} survived.`);
	// 10 * (1 - 0.9) is less than 1.
	return mutants.length - open.length >= mutants.length * ENOUGH ? 0 : 1;
}

function explained(text) {
	console.log(text);
	return 0;
}

/** The lines that are not in a revision, by their current numbers. */
function changedRanges(revision) {
	const diff = git('diff', '--unified=0', '--diff-filter=AM', revision, '--', 'nodes', 'credentials');
	let file = '';
	return diff.split('\n').flatMap((line) => {
		if (line.startsWith('+++ b/')) file = line.slice('+++ b/'.length);
		const [, from, count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
		if (from === undefined || count === '0') return [];
		return [{ file, from: Number(from), to: Number(from) + Number(count) - 1 }];
	});
}

/** The merge base of a branch with main; on main, the revision before. */
function lastRevision() {
	for (const revision of ['origin/main', 'HEAD~1']) {
		try {
			const base = git('merge-base', 'HEAD', revision).trim();
			if (base !== git('rev-parse', 'HEAD').trim()) return base;
		} catch {
			// A shallow clone, or one without a remote, does not have it.
			continue;
		}
	}
	return undefined;
}

function git(...args) {
	return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

/** Whether a path matches a glob of the areas: `*` within a folder, `**` through folders. */
function fits(path, glob) {
	const parts = glob.split('**/').map((part) => part.replaceAll('.', '\\.').replaceAll('*', '[^/]*'));
	return new RegExp(`^${parts.join('(.+/)?')}$`).test(path);
}
