import { spawnSync } from 'node:child_process';

/** Ends a child that leads its own process group, with all that it started; silently when it has ended already. */
export function stopTree(pid) {
	if (pid === undefined) return;
	if (process.platform === 'win32') {
		spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore' });
		return;
	}
	try {
		process.kill(-pid, 'SIGKILL');
	} catch (error) {
		if (error.code !== 'ESRCH') throw error;
	}
}
