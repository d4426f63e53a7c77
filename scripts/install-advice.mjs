// What to do about an npm that failed, from what it printed.

const hint = [
	[
		/npm is missing|npm: not found|'npm' is not recognized/,
		'npm was not found: install Node with npm (https://nodejs.org) and run this again.',
	],
	[/ENOSPC|no space left on device/i, 'The disk is full: make room and run this again.'],
	[
		/not found: make|make: not found|g\+\+: (not found|No such file)|c\+\+: (not found|No such file)|gyp ERR! (find Python|find VS)|Could not find any (Python|Visual Studio)/i,
		'The SQLite driver has to be compiled and a compiler is missing: install it (Debian, Ubuntu: apt-get install build-essential python3; macOS: xcode-select --install; Windows: Visual Studio Build Tools with C++) and run this again.',
	],
	[
		/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|ENOTCACHED|network request|SELF_SIGNED_CERT|UNABLE_TO_(GET|VERIFY)/,
		'The npm registry is out of reach: check the connection, and behind a proxy `npm config get registry proxy https-proxy`, then run this again.',
	],
	[
		/code E401|code E403/,
		'The npm registry refused access: check `npm config get registry` and your login there, then run this again.',
	],
	[
		/code EUSAGE/,
		'package.json and package-lock.json disagree: run `npm install` in that folder, or check out both from git.',
	],
	[
		/EACCES|EPERM|EROFS/,
		'Files may not be written there: check who owns the folder (an earlier run as root?) and run this again.',
	],
	[/code EINTEGRITY/, 'A downloaded package was damaged: run `npm cache clean --force` and then this again.'],
	[
		/EBADPLATFORM/,
		'A package does not exist for this machine: Linux, macOS and Windows on x64 or arm64 are supported.',
	],
];

/**
 * One sentence of advice for npm's output.
 * @param {string} output what npm printed
 * @returns {string | undefined} undefined when the output is of no known kind
 */
export function adviceFor(output) {
	return hint.find(([pattern]) => pattern.test(output))?.[1];
}
