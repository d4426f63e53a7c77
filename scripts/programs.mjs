// Programs that are not in npm: Redis and PostgreSQL for queue mode, and the browser of the editor's tests. The script
// searches for them, installs them from Debian's packages if possible, and stores their paths for sandbox/n8n/programs.ts.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const foundFile = resolve(dirname(fileURLToPath(import.meta.url)), '../.sandbox/programs.json');
/** Debian's server programs are not in PATH. */
const debianPostgres = '/usr/lib/postgresql';

const servers = [
	{ package: 'redis-server', programs: ['redis-server', 'redis-cli'] },
	{ package: 'postgresql', programs: ['initdb', 'postgres', 'pg_isready'] },
	{ package: 'util-linux', programs: ['setpriv'] },
];
const browsers = [
	'chromium',
	'google-chrome',
	'google-chrome-stable',
	'microsoft-edge',
	// Last, because Ubuntu's may be a stub.
	'chromium-browser',
	'/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
	'/Applications/Chromium.app/Contents/MacOS/Chromium',
	join(process.env.PROGRAMFILES ?? 'C:\\Program Files', 'Google', 'Chrome', 'Application', 'chrome.exe'),
];

/** Finds or installs the programs of queue mode; false, after a message, when one is missing. */
export const ensureServers = () =>
	ensure(servers.map((entry) => ({ ...entry, find: () => serversOf(entry) })));

/** The same for the browser; CHROMIUM in the environment names another one. */
export const ensureBrowser = () => ensure([{ package: 'chromium', find: browser }]);

function ensure(needed) {
	const missing = () => needed.filter(({ find }) => find() === undefined).map((entry) => entry.package);
	const wanted = missing();
	if (wanted.length > 0 && !installed(wanted, missing)) return false;
	const known = existsSync(foundFile) ? JSON.parse(readFileSync(foundFile, 'utf8')) : {};
	mkdirSync(dirname(foundFile), { recursive: true });
	writeFileSync(foundFile, `${JSON.stringify(Object.assign(known, ...needed.map(({ find }) => find())))}\n`);
	return true;
}

/** Installs Debian packages, as root on Debian and its derivatives. */
function installed(wanted, missing) {
	const steps = [['update'], ['install', '-y', '--no-install-recommends', ...wanted]];
	if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) {
		const command = `apt-get update && apt-get install -y ${wanted.join(' ')}`;
		console.error(`Missing: ${wanted.join(', ')}. Install them (Debian, as root: ${command}).`);
		return false;
	}
	console.log(`Installing ${wanted.join(', ')} from Debian's packages.`);
	const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
	const outputs = steps.map((args) => {
		const options = { env, encoding: 'utf8' };
		const { stdout, stderr } = spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...args], options);
		return `${stdout}${stderr}`;
	});
	if (missing().length === 0) return true;
	console.error(`${outputs.join('').trim().split('\n').slice(-20).join('\n')}`);
	console.error(`The above is what apt-get said; still missing: ${missing().join(', ')}.`);
	return false;
}

const path = () => (process.env.PATH ?? '').split(delimiter).filter(Boolean);

/** The paths of a package's programs, all from one folder, so that their versions are the same. */
function serversOf({ programs }) {
	const versions = existsSync(debianPostgres) ? readdirSync(debianPostgres) : [];
	const newestFirst = versions.sort((one, other) => Number(other) - Number(one));
	const folders = [...newestFirst.map((version) => join(debianPostgres, version, 'bin')), ...path()];
	const folder = folders.find((candidate) => programs.every((name) => existsSync(join(candidate, name))));
	return folder && Object.fromEntries(programs.map((name) => [name, join(folder, name)]));
}

function browser() {
	const wished = process.env.CHROMIUM;
	const places = browsers.flatMap((name) => path().map((folder) => resolve(folder, name)));
	const found = (wished ? [wished] : places).find((place) => existsSync(place));
	return found && { browser: found };
}
