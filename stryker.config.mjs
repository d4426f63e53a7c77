import { areas } from './test/mutation/areas.mjs';

const name = process.env.MUTATION_AREA ?? 'client';
const area = areas[name];
const results = process.env.MUTATION_RESULTS ?? '.sandbox/mutation';
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
	// Beyond a mutant's usual time. A run out of time counts as killed: on a busy machine, give more.
	timeoutMS: Number(process.env.MUTATION_TIMEOUT_MS ?? 3_000),
	dryRunTimeoutMinutes: 15,
	tempDirName: `${results}/${name}`,
	ignorePatterns: ['sandbox/n8n/runtime', '.sandbox', 'dist', 'docs', 'examples', 'bench', 'test-results'],
	incremental: true,
	incrementalFile: `${results}/${name}.incremental.json`,
	reporters: ['progress-append-only', 'json', 'clear-text'],
	clearTextReporter: { logTests: false, reportTests: false, reportMutants: false },
	jsonReporter: { fileName: `${results}/${name}.json` },
	disableTypeChecks: 'nodes/**/*.ts',
	thresholds: { high: 95, low: 90, break: process.env.MUTATION_RESULTS ? null : 90 },
	warnings: { slow: false },
};
