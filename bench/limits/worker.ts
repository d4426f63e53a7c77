import { repositoryRoot } from '../../sandbox/n8n/runtime';
import { engineOf, runAsWorker } from '../workerProcess';

// A process that runs the package's nodes on n8n's engine, as a worker of n8n does, and prints what came of it.

/** The work of a worker: executions that run at the same time. */
export interface Work {
	credential: { baseUrl: string; apiKey: string };
	executions: Array<{ id: string; node: 'textGeneration' | 'mediaTask'; items: number; parameters: object }>;
}

/** The result of a worker. */
export interface Outcome {
	/** Items with an output, and those without. */
	succeeded: number;
	failed: number;
	errors: string[];
}

async function main({ credential, executions }: Work): Promise<Outcome> {
	const { runNode } = await engineOf(repositoryRoot);
	const results = await Promise.all(
		executions.map(async ({ id, node, items, parameters }) => {
			const { items: outputs, error } = await runNode({
				node,
				parameters: { ...parameters },
				items: Array.from({ length: items }, (_, index) => ({ json: { index } })),
				credential,
				executionId: id,
			});
			return { items, outputs: outputs.filter(({ json }) => json.error === undefined).length, error };
		}),
	);
	return {
		succeeded: results.reduce((sum, { outputs }) => sum + outputs, 0),
		failed: results.reduce((sum, { items, outputs }) => sum + items - outputs, 0),
		errors: results.flatMap(({ error }) => (error ? [`${error.message} ${error.description}`] : [])),
	};
}

runAsWorker(main);
