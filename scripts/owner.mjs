// The owner of the package: package.json says the account on GitHub, the author and the e-mail, and other files repeat them.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const FORMS = {
	owner: { form: /^[a-z\d](?:[a-z\d-]*[a-z\d])?$/i, wanted: 'an account on GitHub' },
	author: { form: /^[^"\\\s][^"\\]*$/, wanted: 'a name without quotes and backslashes' },
	email: { form: /^[^\s@"\\<>]+@[^\s@"\\<>]+\.[^\s@"\\<>]+$/, wanted: 'an e-mail address' },
};

/** What `npm run release -- --owner … --author … --email …` may set. */
export const SETTINGS = Object.keys(FORMS);

/** What package.json says. */
function current() {
	const { name, author, repository } = JSON.parse(readFileSync('package.json', 'utf8'));
	const [, owner] = /github\.com\/([^/]+)\//.exec(repository.url) ?? [];
	return { name, owner, author: author.name, email: author.email };
}

/** The placeholders of a package that nobody owns yet. */
const placeholdersOf = (name) => ({
	owner: name,
	author: `The ${name} maintainers`,
	email: `maintainers@${name}.example`,
});

/** The author's name may be a word that other files have, too. */
const AUTHOR_FILES = ['package.json', 'LICENSE'];

/** The text of a file with another owner: addresses on GitHub, the e-mail, and the author's name. */
function withOwner(text, file, before, after) {
	const address = new RegExp(`(github(?:usercontent)?\\.com/)${before.owner}/${before.name}(?![\\w-])`, 'g');
	const changed = text
		.replace(address, (_, host) => `${host}${after.owner}/${before.name}`)
		.replaceAll(before.email, () => after.email);
	return AUTHOR_FILES.includes(file) ? changed.replaceAll(before.author, () => after.author) : changed;
}

/**
 * Sets the owner in package.json and in all files that repeat it.
 * @param {{ owner?: string, author?: string, email?: string }} settings
 * @returns {string[]} the files that have changed
 */
export function setOwner(settings) {
	for (const [name, value] of Object.entries(settings)) {
		const { form, wanted } = FORMS[name];
		if (!form.test(value)) throw new Error(`--${name} must be ${wanted}, not "${value}"`);
	}
	const before = current();
	const after = { ...before, ...settings };
	return textFiles().filter((file) => {
		const text = readFileSync(file, 'utf8');
		const changed = withOwner(text, file, before, after);
		if (changed !== text) writeFileSync(file, changed);
		return changed !== text;
	});
}

/** The files of the repository that are no pictures. */
function textFiles() {
	const list = execFileSync('git', ['grep', '--files-with-matches', '-I', '-e', ''], { encoding: 'utf8' });
	return list.split('\n').filter(Boolean);
}

/**
 * Which settings are still placeholders, in package.json or another file.
 * @returns {string[]} names of settings
 */
export function placeholdersLeft() {
	const { name, ...settings } = current();
	const placeholders = placeholdersOf(name);
	const address = `github(usercontent)?\\.com/${name}/${name}([^[:alnum:]_-]|$)`;
	const patterns = { ...placeholders, owner: address };
	const isAnywhere = (pattern) =>
		spawnSync('git', ['grep', '--quiet', '-I', '-E', '-e', pattern]).status === 0;
	return SETTINGS.filter(
		(setting) => settings[setting] === placeholders[setting] || isAnywhere(patterns[setting]),
	);
}
