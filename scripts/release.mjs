// Makes a release: `npm run release -- minor` (or `patch`, `major`, a version). Sets the version, gives the changes
// under *Unreleased* in CHANGELOG.md that version and today's date, commits and tags. Publishes nothing: pushing the
// tag does.
// `npm run release -- --owner <account on GitHub> --author <name> --email <address>` sets whose package it is, once and
// before the first release; `-- --check` fails while that is not set.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { placeholdersLeft, setOwner, SETTINGS } from './owner.mjs';

const run = (command, ...args) => execFileSync(command, args, { encoding: 'utf8' }).trim();

/** The changelog with its unreleased changes under a version; an error if there are none. */
function released(changelog, version, date) {
	const heading = '## [Unreleased]\n';
	const [before, changes] = changelog.split(heading);
	if (changes === undefined || changes.split('\n## ')[0].trim() === '')
		throw new Error('CHANGELOG.md has no changes under "## [Unreleased]"');
	return `${before}${heading}\n## [${version}] - ${date}\n${changes}`;
}

/** From now on, workflows may have the parameters that are new. */
function keepStored() {
	const test = 'test/nodes/storedSurface';
	if (!existsSync(`${test}.jsonl`)) return;
	process.env.UPDATE_STORED_SURFACE = '1';
	run('npx', 'jest', test);
}

/** Sets the version, commits and tags. */
function release(bump) {
	if (bump === undefined) throw new Error('Say what to release: patch, minor, major or a version');
	if (run('git', 'rev-parse', '--abbrev-ref', 'HEAD') !== 'main') throw new Error('Release from main');
	if (run('git', 'status', '--porcelain') !== '') throw new Error('Commit or stash your changes first');
	checkOwner();
	const changelog = readFileSync('CHANGELOG.md', 'utf8');
	// Before the version changes: without changes there is no release.
	released(changelog, '', '');
	run('npm', 'version', bump, '--no-git-tag-version');
	const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
	writeFileSync('CHANGELOG.md', released(changelog, version, new Date().toISOString().slice(0, 10)));
	keepStored();
	run('git', 'commit', '--all', '--message', `Release ${version}`);
	run('git', 'tag', '--annotate', `v${version}`, '--message', `Release ${version}`);
	console.log(`Release ${version} is ready. To publish it: git push --follow-tags`);
}

/** An error while package.json or another file has a placeholder instead of the owner. */
function checkOwner() {
	const left = placeholdersLeft().map((setting) => `--${setting} …`);
	if (left.length > 0)
		throw new Error(`Set the owner of the package first: npm run release -- ${left.join(' ')}`);
}

try {
	const settings = Object.fromEntries(SETTINGS.map((setting) => [setting, { type: 'string' }]));
	const {
		values: { check, ...owner },
		positionals: [bump],
	} = parseArgs({ options: { check: { type: 'boolean' }, ...settings }, allowPositionals: true });
	if (check) {
		checkOwner();
	} else if (Object.keys(owner).length > 0) {
		const files = setOwner(owner);
		console.log(`Changed ${files.length} files. Look at them, then commit: git diff`);
	} else {
		release(bump);
	}
} catch (error) {
	console.error(error.message);
	process.exit(1);
}
