const base = require('../../jest.config.js');

/** The tests of one area, as StrykerJS runs them: a mutant's run ends with its first failure. */
module.exports = {
	...base,
	rootDir: '../..',
	testMatch: JSON.parse(process.env.MUTATION_TESTS ?? '["<rootDir>/test/**/*.test.ts"]'),
	testEnvironment: require.resolve('./environment.js'),
	// StrykerJS takes runners whose name contains `jest-circus`.
	testRunner: require.resolve('./jest-circus-bail.js'),
	testSequencer: require.resolve('./sequencer.js'),
	watchman: false,
	testTimeout: base.testTimeout * Number(process.env.MUTATION_PATIENCE ?? 1),
};
