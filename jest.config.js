const { availableParallelism } = require('node:os');

/** Unit, property, workflow (n8n-core + nock) and contract tests (sandbox gateway over sockets). Needs no running n8n. */
module.exports = {
	testEnvironment: '<rootDir>/test/environment/leaks.js',
	maxWorkers: availableParallelism(),
	testSequencer: '<rootDir>/test/environment/sequencer.js',
	// On a busy machine, half a second is too short for a process to end.
	workerGracefulExitTimeout: 10_000,
	roots: ['<rootDir>/test'],
	testMatch: ['**/*.test.ts'],
	testPathIgnorePatterns: [
		'/node_modules/',
		'<rootDir>/test/e2e/',
		'<rootDir>/test/memory/',
		'<rootDir>/test/queue/',
		'<rootDir>/test/versions/',
	],
	// Other spellings of these modules stay in real time.
	moduleNameMapper: {
		'^timers$': '<rootDir>/test/environment/timers.ts',
		'^node:timers/promises$': '<rootDir>/test/environment/timersPromises.ts',
		'^js-tiktoken/lite$': '<rootDir>/test/environment/tiktoken.ts',
	},
	setupFiles: ['<rootDir>/test/helpers/setup.ts'],
	setupFilesAfterEnv: ['<rootDir>/test/environment/virtualTime.ts'],
	transform: {
		'^.+\\.ts$': [
			'@swc/jest',
			{
				jsc: { parser: { syntax: 'typescript', decorators: true }, target: 'es2022' },
				module: { type: 'commonjs' },
			},
		],
	},
	// No test waits for time: this ends one that hangs, on any machine.
	testTimeout: 240_000,
	// Without a summary that repeats the failures.
	reporters: [['default', { summaryThreshold: 1_000_000 }]],
};
