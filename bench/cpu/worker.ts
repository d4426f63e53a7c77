import type * as engine from '../../test/helpers/engine';
import { engineOf, runAsWorker } from '../workerProcess';

// A process that runs Text Generation of two commits on n8n's engine in turns, and prints the processor time of each
// run. In one process, both have the same heap and the same moment of the machine.

/** The work of the process. */
export interface Work {
	credential: { baseUrl: string; apiKey: string };
	/** Two folders of this repository, at different commits, with their `node_modules`. */
	repositories: [own: string, base: string];
	/** The number of texts of a run. */
	texts: number;
	/** Each round runs both commits once. */
	rounds: number;
}

/** Processor time of a text in milliseconds, in a round. */
export interface Round {
	own: number;
	base: number;
}

async function main({ credential, repositories, texts, rounds }: Work): Promise<{ rounds: Round[] }> {
	const [own, base] = await Promise.all(repositories.map(engineOf));
	if (!own || !base) throw new Error('Two repositories are needed.');
	const measure = async ({ runNode }: typeof engine, executionId: string) => {
		const before = process.cpuUsage();
		const { items, error } = await runNode({
			node: 'textGeneration',
			parameters: {
				resource: 'text',
				operation: 'generate',
				model: { __rl: true, mode: 'id', value: 'sandbox/balanced-2' },
				prompt: 'Hello',
			},
			items: Array.from({ length: texts }, (_, index) => ({ json: { index } })),
			credential,
			executionId,
		});
		const { user, system } = process.cpuUsage(before);
		if (items.length !== texts) throw new Error(`${items.length} of ${texts} texts: ${error?.message}`);
		return (user + system) / 1_000 / texts;
	};
	const measured: Round[] = [];
	for (let round = 0; round < rounds; round += 1) {
		const times: Round = { own: NaN, base: NaN };
		if (round % 2 === 0) times.own = await measure(own, `own-${round}`);
		times.base = await measure(base, `base-${round}`);
		if (round % 2 === 1) times.own = await measure(own, `own-${round}`);
		measured.push(times);
	}
	return { rounds: measured };
}

runAsWorker(main);
