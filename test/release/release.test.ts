import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

// `npm run release` in a repository of its own.

const script = resolve(__dirname, '../../scripts/release.mjs');
const CHANGELOG = '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A thing.\n\n## [0.1.0] - 2026-01-01\n';

interface Owner {
	owner: string;
	author: string;
	email: string;
}

const OWNED: Owner = { owner: 'acme', author: 'Acme', email: 'nodes@acme.test' };

/** A package that nobody owns yet. */
const PLACEHOLDERS: Owner = {
	owner: 'n8n-nodes-released',
	author: 'The n8n-nodes-released maintainers',
	email: 'maintainers@n8n-nodes-released.example',
};

const manifest = ({ owner, author, email }: Owner): string =>
	JSON.stringify({
		name: 'n8n-nodes-released',
		version: '0.1.0',
		homepage: `https://github.com/${owner}/n8n-nodes-released#readme`,
		author: { name: author, email },
		repository: { type: 'git', url: `git+https://github.com/${owner}/n8n-nodes-released.git` },
	});

const page = ({ owner, email }: Owner): string =>
	[
		`https://github.com/${owner}/n8n-nodes-released/blob/main/docs/page.md, or ${email}`,
		`https://raw.githubusercontent.com/${owner}/n8n-nodes-released/main/picture.png`,
		// Not the repository's.
		'https://github.com/n8n-nodes-released/n8n-nodes-released-too n8n-nodes-released.image Acme Ltd',
	].join('\n');

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
	write('package.json', manifest(OWNED));
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

	it.each([
		['the owner', { owner: PLACEHOLDERS.owner }, '--owner …'],
		['the author', { author: PLACEHOLDERS.author }, '--author …'],
		['the e-mail', { email: PLACEHOLDERS.email }, '--email …'],
		['all of them', PLACEHOLDERS, '--owner … --author … --email …'],
	])('while %s is a placeholder', (_, placeholder, options) => {
		write('package.json', manifest({ ...OWNED, ...placeholder }));
		git('commit', '--quiet', '--all', '--message', 'Placeholder');
		const message = `Set the owner of the package first: npm run release -- ${options}`;
		expectUnchanged(release('minor'), message);
		expectUnchanged(release('--check'), message);
	});

	it('while another file has a placeholder', () => {
		write('page.md', page(PLACEHOLDERS));
		git('add', '--all');
		git('commit', '--quiet', '--message', 'Page');
		expectUnchanged(
			release('minor'),
			'Set the owner of the package first: npm run release -- --owner … --email …',
		);
	});

	it('when it is not said what to release', () => {
		expectUnchanged(release(), 'Say what to release: patch, minor, major or a version');
	});
});

describe('the owner', () => {
	const options = (owner: Partial<Owner>): string[] =>
		Object.entries(owner).flatMap(([name, value]) => [`--${name}`, value]);

	/** A repository in which package.json and two other files have this owner, and a picture. */
	const given = (owner: Owner): void => {
		write('package.json', manifest(owner));
		write('page.md', page(owner));
		write('LICENSE', `Copyright ${owner.author}`);
		writeFileSync(join(folder, 'picture.png'), Buffer.from(`\0\xFF${owner.email}`, 'latin1'));
		git('add', '--all');
		git('commit', '--quiet', '--message', 'Files');
	};

	const expectOwner = (owner: Owner): void => {
		expect(read('package.json')).toBe(manifest(owner));
		expect(read('page.md')).toBe(page(owner));
		expect(read('LICENSE')).toBe(`Copyright ${owner.author}`);
	};

	it('is set in all files by one command, and then a release can be made', () => {
		given(PLACEHOLDERS);
		expect(release(...options(OWNED))).toStrictEqual({
			code: 0,
			output: 'Changed 3 files. Look at them, then commit: git diff\n',
		});
		expectOwner(OWNED);
		expect(git('diff', '--name-only').split('\n')).toStrictEqual(['LICENSE', 'package.json', 'page.md']);
		git('commit', '--quiet', '--all', '--message', 'Owner');
		expect(release('--check')).toStrictEqual({ code: 0, output: '' });
		expect(release('minor')).toMatchObject({ code: 0 });
	});

	it('can be set in parts, and changed again', () => {
		given(OWNED);
		release(...options({ owner: 'acme-2' }));
		expectOwner({ ...OWNED, owner: 'acme-2' });
		const other = { owner: 'other', author: 'Acme & $1 Sons', email: 'us@other.test' };
		release(...options(other));
		expectOwner(other);
	});

	it.each([
		['--owner', 'a/b', '--owner must be an account on GitHub, not "a/b"'],
		['--author', 'The "A"', '--author must be a name without quotes and backslashes, not "The "A""'],
		['--email', 'nobody', '--email must be an e-mail address, not "nobody"'],
	])('%s %s changes nothing', (option, value, message) => {
		given(PLACEHOLDERS);
		expect(release(option, value)).toStrictEqual({ code: 1, output: `${message}\n` });
		expectOwner(PLACEHOLDERS);
	});
});
