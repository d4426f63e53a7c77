import { spawn, type ChildProcess } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endGroup, isGroupAlive } from './processGroup';

export interface ProgramOptions {
	command: string;
	args: string[];
	directory: string;
	environment: NodeJS.ProcessEnv;
	/** What the program prints goes here. */
	logFile: string;
	/** Gives a Node program a channel to this process, which is closed when this process ends. */
	channel?: boolean;
}

export interface Readiness {
	/** Whether it does its work now. */
	isReady: () => Promise<boolean>;
	/** Milliseconds; default 120,000. */
	timeout?: number | undefined;
	/** Gives up waiting, and ends the program. */
	signal?: AbortSignal | undefined;
}

const stopGrace = 15_000;
const probeEvery = 100;

/** A program that was started here, as a child process in a process group of its own. */
export class BackgroundProcess {
	private exitCode: number | string | undefined;

	/** @param title what errors call the program */
	constructor(
		private readonly title: string,
		private readonly child: ChildProcess,
		/** The process id; its process group has the same id. */
		readonly pid: number,
		/** The file with everything that was printed. */
		readonly logFile: string,
		private readonly stopSignal: NodeJS.Signals = 'SIGTERM',
	) {
		child.once('exit', (code, signal) => (this.exitCode = code ?? signal ?? 'unknown'));
	}

	async log(): Promise<string> {
		return await readFile(this.logFile, 'utf8');
	}

	get running(): boolean {
		return this.exitCode === undefined;
	}

	/** Resolves when the process has ended, for whatever reason. */
	async ended(): Promise<void> {
		if (this.running) await new Promise<void>((resolve) => this.child.once('exit', () => resolve()));
	}

	/** Ends the process and everything it started: with a signal that asks it to, and SIGKILL for what is left after 15 s. */
	async stop(): Promise<void> {
		if (this.running) this.child.kill(this.stopSignal);
		await Promise.race([this.ended(), sleep(stopGrace, undefined, { ref: false })]);
		endGroup(this.pid);
		await this.ended();
		while (isGroupAlive(this.pid)) await sleep(20);
	}

	/** Ends the process and everything it started at once, without its own shutdown. */
	kill(): void {
		endGroup(this.pid);
	}

	/**
	 * Waits until the program does its work; ends it when it does not come to that.
	 * @throws when it ends or takes too long, with the end of its log
	 */
	async waitUntilReady(readiness: Readiness): Promise<void> {
		try {
			await this.probe(readiness);
		} catch (error) {
			await this.stop();
			throw error;
		}
	}

	private async probe({ isReady, timeout = 120_000, signal }: Readiness): Promise<void> {
		const deadline = Date.now() + timeout;
		while (!(await isReady())) {
			signal?.throwIfAborted();
			if (!this.running)
				throw new Error(`${this.title} ended while starting (${this.exitCode}):\n${await this.logTail()}`);
			if (Date.now() > deadline)
				throw new Error(`${this.title} was not ready after ${timeout / 1000} s:\n${await this.logTail()}`);
			await sleep(probeEvery);
		}
	}

	private async logTail(): Promise<string> {
		return (await this.log()).trim().split('\n').slice(-15).join('\n');
	}
}

/** Starts a program in a process group of its own; it may still be getting ready. */
export async function spawnProgram(options: ProgramOptions): Promise<{ child: ChildProcess; pid: number }> {
	await mkdir(dirname(options.logFile), { recursive: true });
	const log = createWriteStream(options.logFile);
	await new Promise((resolve, reject) => log.once('open', resolve).once('error', reject));
	const child = spawn(options.command, options.args, {
		cwd: options.directory,
		env: options.environment,
		stdio: ['ignore', log, log, ...(options.channel === true ? (['ipc'] as const) : [])],
		detached: process.platform !== 'win32',
	});
	await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
	log.close();
	// The channel is there for its end only: it must not keep this process alive.
	child.channel?.unref();
	if (child.pid === undefined) throw new Error(`${options.command} has no process id.`);
	return { child, pid: child.pid };
}
