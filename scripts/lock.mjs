// Lock files with the holder's process ID, for work that two processes must not do at the same time.
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Takes a lock file, also from a process that has ended. It is released when this process exits.
 * @param {string} file
 * @returns {{ release: () => void, inherited: boolean } | { holder: number }} `inherited`: its last holder ended without releasing it
 */
export function takeLock(file) {
	mkdirSync(dirname(file), { recursive: true });
	let inherited = false;
	while (!create(file)) {
		const holder = readHolder(file);
		if (isAlive(holder)) return { holder };
		rmSync(file, { force: true });
		inherited = true;
	}
	const free = () => rmSync(file, { force: true });
	process.once('exit', free);
	const release = () => {
		process.removeListener('exit', free);
		free();
	};
	return { release, inherited };
}

function create(file) {
	try {
		const handle = openSync(file, 'wx');
		writeSync(handle, String(process.pid));
		closeSync(handle);
		return true;
	} catch (error) {
		if (error.code === 'EEXIST') return false;
		throw error;
	}
}

function readHolder(file) {
	try {
		return Number(readFileSync(file, 'utf8'));
	} catch (error) {
		if (error.code === 'ENOENT') return 0;
		throw error;
	}
}

function isAlive(pid) {
	if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return error.code === 'EPERM';
	}
}
