const { TestEnvironment } = require('jest-environment-node');
const { activeMutant } = require('./activeMutant.js');

/** Skips the rest of a file when one of its tests has failed: the mutant is killed. */
module.exports = class FirstFailureEnvironment extends TestEnvironment {
	failed = false;

	handleTestEvent(event) {
		if (activeMutant() === undefined) return;
		if (event.name === 'test_fn_failure' || event.name === 'hook_failure') this.failed = true;
		if (event.name === 'test_start' && this.failed) event.test.mode = 'skip';
	}
};
