// The programs of queue mode, Redis and PostgreSQL, which are not in npm. The script searches for them, installs them from
// Debian's packages if possible, and stores their paths for the tests.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canInstall, install } from './apt.mjs';

const repository = resolve(dirname(fileURLToPath(import.meta.url)), '..');
/** `sandbox/n8n/queue/programs.ts` reads this. */
const foundFile = join(repository, '.sandbox', 'programs.json');
/** Debian's server programs are not in PATH. */
const debianPostgres = '/usr/lib/postgresql';

const needed = [
	{ package: 'redis-server', programs: ['redis-server', 'redis-cli'] },
	{ package: 'postgresql', programs: ['initdb', 'postgres', 'pg_isready'] },
	{ package: 'util-linux', programs: ['setpriv'] },
];

/**
 * Finds the programs of queue mode; as root on Debian and its derivatives, installs missing ones.
 * @returns {boolean} false when one is missing, after a message in one sentence
 */
export function ensureServers() {
	const missing = missingPackages();
	if (missing.length > 0) {
		const wanted = missing.join(' ');
		const command = `apt-get update && apt-get install -y ${wanted}`;
		if (!canInstall()) {
			console.error(
				`Queue mode needs ${wanted}, which ${missing.length > 1 ? 'are' : 'is'} missing: install the Debian packages of that name (as root: ${command}) and run this again.`,
			);
			return false;
		}
		console.log(`Installing ${wanted} from Debian's packages.`);
		const output = install(missing);
		if (missingPackages().length > 0) {
			console.error(
				`${output}\nThe above is what \`${command}\` said, and ${wanted} could not be found after it.`,
			);
			return false;
		}
	}
	mkdirSync(dirname(foundFile), { recursive: true });
	writeFileSync(foundFile, `${JSON.stringify(Object.fromEntries(needed.flatMap(locate)))}\n`);
	return true;
}

function missingPackages() {
	return needed.filter((entry) => locate(entry).length === 0).map((entry) => entry.package);
}

/** The paths of the programs, as pairs of name and path; all from one folder, so that their versions are the same. */
function locate({ programs }) {
	const folder = folders().find((candidate) => programs.every((name) => existsSync(join(candidate, name))));
	return folder === undefined ? [] : programs.map((name) => [name, join(folder, name)]);
}

function folders() {
	const versions = existsSync(debianPostgres) ? readdirSync(debianPostgres) : [];
	const newestFirst = versions.sort((one, other) => Number(other) - Number(one));
	return [
		...newestFirst.map((version) => join(debianPostgres, version, 'bin')),
		...(process.env.PATH ?? '').split(delimiter).filter(Boolean),
	];
}
