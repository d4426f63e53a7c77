const { availableParallelism } = require('node:os');
const base = require('./jest.config.js');

/** A real n8n with the package installed, against the sandbox gateway. Each worker has an n8n of its own. */
module.exports = {
	...base,
	testMatch: ['<rootDir>/test/e2e/**/*.test.ts'],
	testPathIgnorePatterns: ['/node_modules/'],
	testEnvironment: 'node',
	// In real time.
	moduleNameMapper: {},
	setupFilesAfterEnv: [],
	globalSetup: '<rootDir>/test/e2e/support/globalSetup.ts',
	globalTeardown: '<rootDir>/test/e2e/support/globalTeardown.ts',
	maxWorkers: Math.min(availableParallelism(), 3),
	testTimeout: 300_000,
};
