// Debian's packages, for programs that are not in npm.
import { spawnSync } from 'node:child_process';

/** @returns {boolean} whether packages can be installed: as root, on Debian and its derivatives */
export function canInstall() {
	return process.getuid?.() === 0 && spawnSync('apt-get', ['--version']).status === 0;
}

/**
 * Installs packages.
 * @param {string[]} packages
 * @returns {string} the end of what apt-get printed
 */
export function install(packages) {
	const lockTimeout = ['-o', 'DPkg::Lock::Timeout=300'];
	const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
	const outputs = [['update'], ['install', '-y', '--no-install-recommends', ...packages]].map((args) => {
		const { stdout, stderr } = spawnSync('apt-get', [...lockTimeout, ...args], { env, encoding: 'utf8' });
		return `${stdout}${stderr}`;
	});
	return outputs.join('').trim().split('\n').slice(-20).join('\n');
}
