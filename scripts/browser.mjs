// The browser of the editor's tests, Chromium or a relative, which is not in npm. The script searches for it, installs it
// from Debian's packages if possible, and stores its path for the tests.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canInstall, install } from './apt.mjs';

const repository = resolve(dirname(fileURLToPath(import.meta.url)), '..');
/** `test/e2e/support/editor/browser.ts` reads this. */
const foundFile = join(repository, '.sandbox', 'browser.json');
/** Last, because Ubuntu's `chromium-browser` may be a stub. */
const names = ['chromium', 'google-chrome', 'google-chrome-stable', 'microsoft-edge', 'chromium-browser'];
/** The paths on macOS and Windows. */
const places = [
	'/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
	'/Applications/Chromium.app/Contents/MacOS/Chromium',
	join(process.env.PROGRAMFILES ?? 'C:\\Program Files', 'Google', 'Chrome', 'Application', 'chrome.exe'),
];

/**
 * Finds a browser; as root on Debian and its derivatives, installs Chromium when there is none. The
 * environment variable CHROMIUM names another one.
 * @returns {boolean} false when it is missing, after a message in one sentence
 */
export function ensureBrowser() {
	let path = locate();
	if (path === undefined) {
		if (!canInstall()) {
			console.error(
				'The tests of the editor need Chromium or Chrome, which was not found: install it (Debian, as root: apt-get install chromium), or name its program in the environment variable CHROMIUM, and run this again.',
			);
			return false;
		}
		console.log("Installing chromium from Debian's packages.");
		const output = install(['chromium']);
		path = locate();
		if (path === undefined) {
			console.error(`${output}\nThe above is what apt-get said, and no chromium could be found after it.`);
			return false;
		}
	}
	mkdirSync(dirname(foundFile), { recursive: true });
	writeFileSync(foundFile, `${JSON.stringify({ path })}\n`);
	return true;
}

/** @returns {string | undefined} the path of the first existing browser */
function locate() {
	const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
	const inPath = names.flatMap((name) => folders.map((folder) => join(folder, name)));
	const wished = process.env.CHROMIUM;
	return (wished ? [wished] : [...inPath, ...places]).find((path) => existsSync(path));
}
