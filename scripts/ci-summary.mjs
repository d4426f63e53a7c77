// Sums up the results of .ci/run: the reports of jest, and the checks that pass or fail as a whole.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [directory] = process.argv.slice(2);
const lines = (name) => {
	const file = join(directory, name);
	return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
};

let passed = lines('checks-passed').length;
let failed = lines('checks-failed').length;
for (const name of readdirSync(directory).filter((name) => name.endsWith('.jest.json'))) {
	const report = JSON.parse(readFileSync(join(directory, name), 'utf8'));
	passed += report.numPassedTests;
	// A file that cannot even be loaded has no tests to count.
	failed += report.numFailedTests + report.numRuntimeErrorTestSuites;
}
// A suite whose process failed, although every test that ran had passed, has failed.
const broken = [...lines('failed'), ...lines('checks-failed')];
if (broken.length > 0) console.log(`Failed: ${broken.join(', ')}`);
failed = Math.max(failed, broken.length);

console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
