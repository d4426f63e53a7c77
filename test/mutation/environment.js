const TestFileEnvironment = require('../environment/leaks.js');
const { activeMutant } = require('./activeMutant.js');

/** Skips the rest of a file when one of its tests has failed: the mutant is killed. What a mutant leaves behind is no matter. */
module.exports = class FirstFailureEnvironment extends TestFileEnvironment {
	failed = false;

	async handleTestEvent(event) {
		if (activeMutant() === undefined) return;
		if (event.name === 'test_fn_failure' || event.name === 'hook_failure') this.failed = true;
		if (event.name === 'test_start' && this.failed) event.test.mode = 'skip';
	}
};
