const base = require('./jest.e2e.config.js');

/** The package on the n8n that `SANDBOX_N8N` names: what must work on each version. `npm run test:versions` runs it. */
module.exports = { ...base, testMatch: ['<rootDir>/test/versions/**/*.test.ts'] };
