import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import type { RateLimit, RequestRecord, SettingsPatch } from '../sandbox/gateway/control/types';
import { repositoryRoot } from '../sandbox/n8n/runtime';

/** Starts a TypeScript program of the repository, in which time passes faster. */
function start(script: string, args: string[], timeFactor: number): ChildProcess {
	const clock = join(__dirname, 'scaledClock.js');
	const path = join(repositoryRoot, script);
	return spawn(process.execPath, ['--require', clock, '--import', 'tsx', path, ...args], {
		cwd: repositoryRoot,
		env: { ...process.env, BENCH_TIME_FACTOR: String(timeFactor) },
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
 * @param timeFactor time passes so much faster
 */
export async function runWorker<Outcome>(script: string, work: object, timeFactor: number): Promise<Outcome> {
	const child = start(script, [JSON.stringify(work)], timeFactor);
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
		private readonly controlUrl: string,
	) {}

	static async start(timeFactor: number): Promise<GatewayProcess> {
		const args = ['--balance', '1000000.00', '--ready-json'];
		const child = start('sandbox/gateway/main.ts', args, timeFactor);
		const { baseUrl, apiKey, controlUrl } =
			await jsonLine<Record<'baseUrl' | 'apiKey' | 'controlUrl', string>>(child);
		return new GatewayProcess(child, { baseUrl, apiKey }, controlUrl);
	}

	async prepare(rateLimit: RateLimit | null, settings: SettingsPatch): Promise<void> {
		await this.control('POST', '/reset');
		await this.control('PATCH', '/settings', { ...settings, rateLimit });
	}

	async requests(): Promise<RequestRecord[]> {
		const response = await this.control('GET', '/requests?host=api');
		return (await response.json()) as RequestRecord[];
	}

	async charges(): Promise<number> {
		const response = await this.control('GET', '/ledger');
		return ((await response.json()) as unknown[]).length;
	}

	async stop(): Promise<void> {
		const ended = once(this.child, 'exit');
		this.child.kill('SIGTERM');
		await ended;
	}

	private async control(method: string, path: string, body?: object): Promise<Response> {
		const response = await fetch(`${this.controlUrl}${path}`, {
			method,
			...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
		});
		if (!response.ok) throw new Error(`${method} ${path} gave ${response.status}`);
		return response;
	}
}
