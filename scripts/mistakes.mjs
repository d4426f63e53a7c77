// Sixty mistakes that the tests must notice, each a sentence about behaviour and a patch: test/mutation/mistakes. Each is put into a
// clone of the last commit, whose tests then run until the first failure.
//   npm run mistakes                         all of them, with all tests
//   npm run mistakes -- 07 21                these
//   npm run mistakes -- --tests=test/run,test/stories    with these tests
// A patch that does not apply any more is written anew for the same sentence.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'test/mutation/mistakes');
const clone = join(root, '.sandbox/mistakes');
const { values: options, positionals: named } = parseArgs({
	allowPositionals: true,
	options: { tests: { type: 'string', default: '' } },
});
const mistakes = JSON.parse(readFileSync(join(folder, 'list.json'), 'utf8')).filter(
	({ id }) => named.length === 0 || named.includes(id),
);

prepareClone();
const missed = mistakes.filter((mistake) => !isNoticed(mistake));
console.log(`${mistakes.length - missed.length} of ${mistakes.length} are noticed.`);
process.exitCode = missed.length > 0 ? 1 : 0;

function prepareClone() {
	rmSync(clone, { recursive: true, force: true });
	execFileSync('git', ['clone', '--quiet', root, clone]);
	for (const modules of ['node_modules', 'test/n8nVersions/node_modules'])
		if (existsSync(join(root, modules))) symlinkSync(join(root, modules), join(clone, modules));
}

/** @returns {boolean} whether a test fails with the mistake */
function isNoticed({ id, sentence, patch }) {
	const file = join(folder, patch);
	const git = (...more) => spawnSync('git', ['apply', ...more, file], { cwd: clone });
	if (git().status !== 0) {
		console.log(`${id} DOES NOT APPLY | ${sentence}`);
		return false;
	}
	const tests = options.tests === '' ? [] : options.tests.split(',');
	const jest = spawnSync(join(root, 'node_modules/.bin/jest'), ['--bail', '--silent', ...tests], {
		cwd: clone,
		encoding: 'utf8',
	});
	git('--reverse');
	console.log(`${id} ${jest.status === 0 ? 'NOBODY' : firstFailure(jest.stderr)} | ${sentence}`);
	return jest.status !== 0;
}

/** The file of the first test that fails, and its title. */
function firstFailure(output) {
	const [, file = '', title = ''] = /^FAIL (\S+)[^]*?^ {2}● (.+)$/m.exec(output) ?? [];
	return `${file}: ${title}`;
}
