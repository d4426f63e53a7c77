import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { repositoryRoot } from '../sandbox/n8n/runtime';

/** Starts a TypeScript program of the repository. */
function start(script: string, args: string[]): ChildProcess {
	return spawn(process.execPath, ['--import', 'tsx', join(repositoryRoot, script), ...args], {
		cwd: repositoryRoot,
		stdio: ['ignore', 'pipe', 'inherit'],
	});
}

/** The first line of a program's output that is JSON. */
async function jsonLine<T>(child: ChildProcess): Promise<T> {
	if (!child.stdout) throw new Error('The program has no output');
	for await (const line of createInterface({ input: child.stdout })) {
		if (line.startsWith('{')) return JSON.parse(line) as T;
	}
	throw new Error(`${child.spawnargs.at(-1)} printed no result`);
}

/**
 * Does work in a process of its own, and gives its result.
 *
 * @param script a program that calls `runAsWorker`
 */
export async function runWorker<Outcome>(script: string, work: object): Promise<Outcome> {
	const child = start(script, [JSON.stringify(work)]);
	const ended = once(child, 'exit');
	const outcome = await jsonLine<Outcome>(child);
	await ended;
	return outcome;
}

/** A sandbox gateway in a process of its own. */
export class GatewayProcess {
	private constructor(
		private readonly child: ChildProcess,
		readonly credential: { baseUrl: string; apiKey: string },
	) {}

	static async start(): Promise<GatewayProcess> {
		const args = ['--balance', '1000000.00', '--ready-json'];
		const child = start('sandbox/gateway/main.ts', args);
		const { baseUrl, apiKey } = await jsonLine<Record<'baseUrl' | 'apiKey', string>>(child);
		return new GatewayProcess(child, { baseUrl, apiKey });
	}

	async stop(): Promise<void> {
		const ended = once(this.child, 'exit');
		this.child.kill('SIGTERM');
		await ended;
	}
}
