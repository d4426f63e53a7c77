import { spawnSync } from 'node:child_process';

/** Ends a process group (on Windows: a process tree) at once; silently when nothing of it is left. */
export function endGroup(leader: number): void {
	if (process.platform === 'win32') {
		spawnSync('taskkill', ['/pid', String(leader), '/t', '/f'], { stdio: 'ignore' });
		return;
	}
	try {
		process.kill(-leader, 'SIGKILL');
	} catch (error) {
		if (!isGone(error)) throw error;
	}
}

/** Whether any process of the group is left. Always false on Windows, where `endGroup` waits. */
export function isGroupAlive(leader: number): boolean {
	if (process.platform === 'win32') return false;
	try {
		process.kill(-leader, 0);
		return true;
	} catch (error) {
		if (isGone(error)) return false;
		throw error;
	}
}

/** In a test runner, errors of Node itself are no instances of the test's own `Error`. */
function isGone(error: unknown): boolean {
	return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ESRCH';
}
