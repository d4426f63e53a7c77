// Runs npm as a child process with a progress line, and takes it down with this process.
import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import { fileURLToPath } from 'node:url';
import { stopTree } from './process-tree.mjs';

const logs = join(resolve(dirname(fileURLToPath(import.meta.url)), '..'), '.sandbox', 'logs');
const lineEvery = { terminal: 1_000, log: 10_000 };

/**
 * Runs npm and shows that it is alive: on a terminal one line that ticks, elsewhere a line every ten seconds.
 * Ctrl+C and SIGTERM end npm with everything it started, then this process.
 * @param {string[]} args
 * @param {{ directory: string, label: string, progress?: () => string, pathFirst?: string, environment?: Record<string, string> }} options
 * @returns {Promise<{ ok: boolean, output: string, logFile: string }>}
 */
export async function runNpm(args, options) {
	mkdirSync(logs, { recursive: true });
	const logFile = join(logs, `npm-${args[0]}-${basename(options.directory)}.log`);
	const log = createWriteStream(logFile);
	const { command, prefix, shell } = npmCommand();
	const child = spawn(command, [...prefix, ...args], {
		cwd: options.directory,
		env: npmEnvironment(options),
		stdio: ['ignore', 'pipe', 'pipe'],
		shell,
		// Its own process group, so that all of it can be ended together.
		detached: process.platform !== 'win32',
	});
	const output = [];
	for (const stream of [child.stdout, child.stderr]) {
		stream.setEncoding('utf8').on('data', (text) => {
			output.push(text);
			log.write(text);
		});
	}
	const unhook = endWithThisProcess(child);
	const stopProgress = showProgress(options);
	const failure = await new Promise((settle) => {
		child.once('error', (error) => settle(error));
		child.once('close', (code) => settle(code === 0 ? undefined : new Error(`exit code ${code}`)));
	});
	stopProgress(failure === undefined);
	unhook();
	await new Promise((settle) => log.end(settle));
	if (failure?.code === 'ENOENT') output.push('npm is missing');
	return { ok: failure === undefined, output: output.join(''), logFile };
}

/** Under `npm run`, npm names its own script, which needs no shell on any platform; otherwise it is looked up in PATH. */
function npmCommand() {
	const running = process.env.npm_execpath;
	if (running !== undefined && basename(running) === 'npm-cli.js') {
		return { command: process.execPath, prefix: [running], shell: false };
	}
	return { command: 'npm', prefix: [], shell: process.platform === 'win32' };
}

/** Without what an outer `npm run` says about its own package, and without settings that leave out what is needed here. */
function npmEnvironment({ pathFirst, environment }) {
	const dropped =
		/^(NODE_ENV|NODE_OPTIONS|npm_(package_|lifecycle_)|npm_config_(omit|only|production|local_prefix|dry_run|workspace))/i;
	const kept = Object.entries(process.env).filter(([name]) => !dropped.test(name));
	// `npm run --silent` would silence the inner npm too, and with it the reason of a failure.
	const result = { ...Object.fromEntries(kept), npm_config_loglevel: 'warn', ...environment };
	if (pathFirst !== undefined) result.PATH = `${pathFirst}${delimiter}${process.env.PATH ?? ''}`;
	return result;
}

function showProgress({ label, progress }) {
	const started = Date.now();
	const terminal = process.stdout.isTTY === true;
	const line = () => {
		const seconds = Math.round((Date.now() - started) / 1000);
		const elapsed = seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
		return [`  ${label}`, progress?.(), elapsed].filter((part) => part !== undefined).join(' · ');
	};
	const print = terminal ? () => process.stdout.write(`\r\x1b[K${line()}`) : () => console.log(line());
	const timer = setInterval(print, terminal ? lineEvery.terminal : lineEvery.log);
	return (ok) => {
		clearInterval(timer);
		console.log(`${terminal ? '\r\x1b[K' : ''}${line()} · ${ok ? 'done' : 'failed'}`);
	};
}

function endWithThisProcess(child) {
	const hooks = ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => {
		const end = () => {
			stopTree(child.pid);
			console.error('\nStopped. The next run repairs what is half installed.');
			process.exit(signal === 'SIGINT' ? 130 : 143);
		};
		process.once(signal, end);
		return [signal, end];
	});
	return () => hooks.forEach(([signal, end]) => process.removeListener(signal, end));
}
