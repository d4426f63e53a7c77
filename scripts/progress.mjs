// What an installation says while it goes on: somebody may read it later, in a log.
import { readdirSync } from 'node:fs';
import { clearInterval, setInterval } from 'node:timers';

const EVERY_MS = 15_000;

/**
 * Prints a line every 15 s until the work is done.
 * @template T
 * @param {(seconds: number) => string | undefined} line given the seconds so far; `undefined` prints none
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function saying(line, work) {
	const began = Date.now();
	const timer = setInterval(() => {
		const text = line(secondsSince(began));
		if (text !== undefined) console.log(text);
	}, EVERY_MS);
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
 * @returns {(seconds: number) => string | undefined} `undefined` while there is no news
 */
export function progressOf(folder, total) {
	let start = { seconds: 0, count: 0 };
	let hasSaid = false;
	return (seconds) => {
		const count = entriesBelow(folder);
		if (count < total / 50) {
			start = { seconds, count };
			if (hasSaid) return undefined;
			hasSaid = true;
			return 'npm reads the packages';
		}
		const percent = Math.min(99, Math.round((count / total) * 100));
		// The first files are slow: their pace says nothing of the rest.
		const rest = percent < 10 ? '' : `, about ${left(count, seconds)} s to go`;
		return `${percent} % of the files, ${seconds} s so far${rest}`;
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
