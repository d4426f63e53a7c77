import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import type * as engine from '../test/helpers/engine';

/** The engine of a folder of this repository, possibly at an earlier commit, with that commit's nodes. */
export async function engineOf(repository: string): Promise<typeof engine> {
	return (await import(join(resolve(repository), 'test/helpers/engine.ts'))) as typeof engine;
}

/**
 * Does the work of the process, which is its argument as JSON; prints the result as a line of JSON and ends the process.
 * n8n's files are in a folder of the process.
 */
export function runAsWorker<Work, Outcome extends object>(main: (work: Work) => Promise<Outcome>): void {
	const folder = mkdtempSync(join(tmpdir(), 'ai-gateway-bench-'));
	process.env.N8N_USER_FOLDER = folder;
	process.env.N8N_ENCRYPTION_KEY = 'a key for benchmarks only';
	process.env.N8N_LOG_LEVEL = 'silent';
	void main(JSON.parse(process.argv[2] ?? '{}') as Work).then((outcome) => {
		process.stdout.write(`\n${JSON.stringify(outcome)}\n`, () => {
			rmSync(folder, { recursive: true, force: true });
			process.exit();
		});
	});
}
