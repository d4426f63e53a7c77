import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

// `npm run release` in a repository of its own.

const script = resolve(__dirname, '../../scripts/release.mjs');
const CHANGELOG = '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A thing.\n\n## [0.1.0] - 2026-01-01\n';

let folder: string;

const git = (...args: string[]): string =>
	execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
const write = (file: string, text: string): void => writeFileSync(join(folder, file), text);

/** Runs the script; returns its exit code and what it writes. */
function release(...args: string[]): { code: number | null; output: string } {
	const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
		cwd: folder,
		encoding: 'utf8',
	});
	return { code: status, output: stdout + stderr };
}

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'release-'));
	git('init', '--quiet', '--initial-branch', 'main');
	git('config', 'user.name', 'Test');
	git('config', 'user.email', 'test@example.com');
	write('package.json', JSON.stringify({ name: 'n8n-nodes-released', version: '0.1.0' }));
	write('CHANGELOG.md', CHANGELOG);
	git('add', '--all');
	git('commit', '--quiet', '--message', 'Start');
});
afterEach(() => {
	rmSync(folder, { recursive: true, force: true });
});

it('sets the version, dates the changes, commits and tags', () => {
	// That of the script, in real time.
	const print = 'new Date().toISOString().slice(0, 10)';
	const today = () => execFileSync(process.execPath, ['-p', print], { encoding: 'utf8' }).trim();
	const before = today();
	expect(release('minor')).toMatchObject({ code: 0 });
	expect(JSON.parse(read('package.json'))).toMatchObject({ version: '0.2.0' });
	// It may be midnight.
	const dated = [before, today()].map((date) =>
		CHANGELOG.replace('## [Unreleased]\n', `## [Unreleased]\n\n## [0.2.0] - ${date}\n`),
	);
	expect(dated).toContain(read('CHANGELOG.md'));
	expect(git('log', '-1', '--format=%s')).toBe('Release 0.2.0');
	expect(git('describe', '--exact-match')).toBe('v0.2.0');
	expect(git('status', '--porcelain')).toBe('');
});

describe('changes nothing', () => {
	const expectUnchanged = (result: { code: number | null; output: string }, message: string): void => {
		expect(result).toStrictEqual({ code: 1, output: `${message}\n` });
		expect(JSON.parse(read('package.json'))).toMatchObject({ version: '0.1.0' });
		expect(git('tag')).toBe('');
	};

	it('without changes in the changelog', () => {
		write('CHANGELOG.md', '# Changelog\n\n## [Unreleased]\n\n## [0.1.0] - 2026-01-01\n\n- A thing.\n');
		git('commit', '--quiet', '--all', '--message', 'Empty');
		expectUnchanged(release('patch'), 'CHANGELOG.md has no changes under "## [Unreleased]"');
	});

	it('with files that are not committed', () => {
		write('new.txt', '');
		expectUnchanged(release('patch'), 'Commit or stash your changes first');
	});

	it('on another branch', () => {
		git('switch', '--quiet', '--create', 'other');
		expectUnchanged(release('patch'), 'Release from main');
	});

	it('when it is not said what to release', () => {
		expectUnchanged(release(), 'Say what to release: patch, minor, major or a version');
	});
});
