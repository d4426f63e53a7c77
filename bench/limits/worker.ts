import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import type * as engine from '../../test/helpers/engine';

// A process that runs the package's nodes on n8n's engine, as a worker of n8n does, and prints what came of it.

/** The work of a worker: executions that run at the same time. */
export interface Work {
	credential: { baseUrl: string; apiKey: string };
	executions: Array<{ id: string; node: 'textGeneration' | 'mediaTask'; items: number; parameters: object }>;
	/** A folder of this repository, possibly of an earlier commit. */
	repository: string;
	/** Runs all executions so often; only the last ones are reported. */
	rounds: number;
}

/** The result of a worker. */
export interface Outcome {
	/** Items with an output, and those without. */
	succeeded: number;
	failed: number;
	/** Processor time of each round, in seconds. */
	cpuSeconds: number[];
	errors: string[];
}

async function main({ credential, executions, repository, rounds }: Work): Promise<Outcome> {
	const { runNode } = (await import(join(resolve(repository), 'test/helpers/engine.ts'))) as typeof engine;
	const outcome: Outcome = { succeeded: 0, failed: 0, cpuSeconds: [], errors: [] };
	for (let round = 0; round < rounds; round += 1) {
		const before = process.cpuUsage();
		const results = await Promise.all(
			executions.map(async ({ id, node, items, parameters }) => {
				const { items: outputs, error } = await runNode({
					node,
					parameters: { ...parameters },
					items: Array.from({ length: items }, (_, index) => ({ json: { index } })),
					credential,
					executionId: `${id}-${round}`,
				});
				return { items, outputs: outputs.filter(({ json }) => json.error === undefined).length, error };
			}),
		);
		const { user, system } = process.cpuUsage(before);
		outcome.cpuSeconds.push((user + system) / 1_000_000);
		outcome.succeeded = results.reduce((sum, { outputs }) => sum + outputs, 0);
		outcome.failed = results.reduce((sum, { items, outputs }) => sum + items - outputs, 0);
		outcome.errors = results.flatMap(({ error }) => (error ? [`${error.message} ${error.description}`] : []));
	}
	return outcome;
}

/** Where n8n keeps its files. */
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
