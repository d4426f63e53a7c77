import { areas } from './test/mutation/areas.mjs';

const name = process.env.MUTATION_AREA ?? 'client';
const area = areas[name];
/** How many times as long as usual a run may take, where other programs share the processor. */
const patience = Number(process.env.MUTATION_PATIENCE ?? 1);
const results = '.sandbox/mutation';
process.env.MUTATION_TESTS = JSON.stringify(area.tests.map((glob) => `<rootDir>/${glob}`));

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
	testRunner: 'jest',
	coverageAnalysis: 'perTest',
	// jest finds related tests by the files' imports, and misses what the engine loads: coverage finds them all.
	jest: { projectType: 'custom', configFile: 'test/mutation/jest.config.js', enableFindRelatedTests: false },
	plugins: ['@stryker-mutator/jest-runner', './test/mutation/ignorers.mjs'],
	ignorers: ['sentences', 'descriptions', 'sample'],
	mutate: area.mutate,
	concurrency: Number(process.env.MUTATION_CONCURRENCY ?? 2),
	// A mutant's run is ended after so many times its usual time, and some seconds.
	timeoutFactor: 1.5 * patience,
	timeoutMS: 3_000 * patience,
	dryRunTimeoutMinutes: 15,
	// jest keeps memory for each file that it has run.
	maxTestRunnerReuse: 60,
	tempDirName: `${results}/${name}`,
	ignorePatterns: ['sandbox/n8n/runtime', '.sandbox', 'dist', '/docs', 'examples', 'bench', 'test-results'],
	incremental: true,
	incrementalFile: `${results}/${name}.incremental.json`,
	reporters: ['progress-append-only', 'json', 'clear-text'],
	clearTextReporter: { logTests: false, reportTests: false, reportMutants: false },
	jsonReporter: { fileName: `${results}/${name}.json` },
	disableTypeChecks: '{nodes,credentials}/**/*.ts',
	// scripts/mutation.mjs counts: here, a run that is out of time is killed.
	thresholds: { high: 95, low: 90, break: null },
	warnings: { slow: false },
};
