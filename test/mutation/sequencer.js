const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Runs only the files that hold tests of the mutant, the quickest first. StrykerJS asks for tests by name and leaves it to
 * jest to load every file; the first run notes which test is in which file.
 */
module.exports = class CoveringFilesSequencer extends Sequencer {
	constructor(options) {
		super(options);
		this.namePattern = options.globalConfig.testNamePattern;
		this.notes = join(options.globalConfig.rootDir, 'mutation-test-files.json');
	}

	sort(tests) {
		if (!existsSync(this.notes)) return tests;
		const files = JSON.parse(readFileSync(this.notes, 'utf8'));
		const pattern = new RegExp(this.namePattern ?? '', 'i');
		return tests
			.filter(({ path }) => files[path]?.names.some((name) => pattern.test(name)))
			.sort((a, b) => files[a.path].milliseconds - files[b.path].milliseconds);
	}

	cacheResults(_tests, { testResults }) {
		if (this.namePattern !== undefined || existsSync(this.notes)) return;
		const files = testResults.map(({ testFilePath, perfStats, testResults: results }) => [
			testFilePath,
			{ milliseconds: perfStats.end - perfStats.start, names: results.map(({ fullName }) => fullName) },
		]);
		writeFileSync(this.notes, JSON.stringify(Object.fromEntries(files)));
	}
};
