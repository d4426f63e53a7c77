const { createEmptyTestResult } = require('@jest/test-result');
const { default: runFile } = require('jest-circus/runner');
const { activeMutant } = require('./activeMutant.js');

/** jest takes a file without tests for a mistake. */
const skippedTest = {
	ancestorTitles: [],
	title: 'skipped',
	fullName: 'skipped',
	status: 'pending',
	failureDetails: [],
	failureMessages: [],
	numPassingAsserts: 0,
};
const skippedFile = { numPendingTests: 1, testResults: [skippedTest] };

/** The mutant that a test has killed. */
let killed;

/** Runs a test file with jest's own runner; skips it when an earlier file has killed the mutant. */
module.exports = async (...args) => {
	const mutant = activeMutant();
	if (mutant !== undefined && mutant === killed) return { ...createEmptyTestResult(), ...skippedFile };
	const result = await runFile(...args);
	if (result.numFailingTests > 0 || result.testExecError) killed = mutant;
	return result;
};
