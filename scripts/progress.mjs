// What an installation says while it goes on: somebody may read it later, in a log.
import { readdirSync } from 'node:fs';
import { clearInterval, setInterval } from 'node:timers';

const EVERY_MS = 15_000;

/**
 * Prints a line every 15 s until the work is done.
 * @template T
 * @param {(seconds: number) => string} line given the seconds so far
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function saying(line, work) {
	const began = Date.now();
	const timer = setInterval(() => console.log(line(secondsSince(began))), EVERY_MS);
	try {
		return await work();
	} finally {
		clearInterval(timer);
	}
}

/**
 * How far npm is with a folder: first it reads its packages and writes nothing, then files come evenly.
 * @param {string} folder `node_modules`
 * @param {number} total the files and folders that there are in the end, about
 * @returns {(seconds: number) => string}
 */
export function progressOf(folder, total) {
	let start = { seconds: 0, count: 0 };
	return (seconds) => {
		const count = entriesBelow(folder);
		const isReading = count < total / 50;
		if (isReading) start = { seconds, count };
		const percent = Math.min(99, Math.round((count / total) * 100));
		const done = isReading ? 'npm reads the packages' : `${percent} % of the files`;
		return `${done}, ${seconds} s so far${isReading ? '' : `, about ${left(count, seconds)} s to go`}`;
	};

	function left(count, seconds) {
		const each = (seconds - start.seconds) / (count - start.count);
		return Math.max(5, Math.round(((total - count) * each) / 5) * 5);
	}
}

function entriesBelow(folder) {
	try {
		return readdirSync(folder, { recursive: true }).length;
	} catch {
		return 0; // npm has not made the folder yet, or renames one in it.
	}
}

function secondsSince(time) {
	return Math.round((Date.now() - time) / 1_000);
}
