const base = require('./jest.config.js');

/** A real n8n with the package installed, against the sandbox gateway. One at a time: each starts n8n. */
module.exports = {
	...base,
	testMatch: ['<rootDir>/test/e2e/**/*.test.ts'],
	testPathIgnorePatterns: ['/node_modules/'],
	testEnvironment: 'node',
	maxWorkers: 1,
	testTimeout: 300_000,
};
