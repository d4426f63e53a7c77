const base = require('./jest.config.js');

/** Large responses in little memory, which take a processor for long. */
module.exports = {
	...base,
	testMatch: ['<rootDir>/test/memory/**/*.test.ts'],
	testPathIgnorePatterns: ['/node_modules/'],
};
