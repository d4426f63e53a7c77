const base = require('./jest.e2e.config.js');

/** n8n in queue mode with the package installed, against the sandbox gateway. Needs Redis and PostgreSQL on this machine. */
module.exports = { ...base, testMatch: ['<rootDir>/test/queue/**/*.test.ts'] };
