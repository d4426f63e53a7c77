import fc from 'fast-check';

import { histories, type Operation } from './history';
import { broken } from './promises';
import { Simulation } from './simulation';

const RUNS = Number(process.env.MODEL_RUNS ?? 60);
const SEED = Number(process.env.MODEL_SEED ?? 20_260);
/** The longest time for a history on a busy machine, with those that make it smaller when it fails. Milliseconds. */
const MS_PER_RUN = 20_000;

/** A test with random histories, `MODEL_RUNS` of them, from `MODEL_SEED` on. */
export function itKeepsThePromises(...operations: Operation[]): void {
	let simulation: Simulation | undefined;
	beforeAll(async () => void (simulation = await Simulation.start()));
	afterAll(async () => await simulation?.close());

	it(
		`keeps the promises in random histories of ${operations.join(', ')}`,
		async () => {
			const property = fc.asyncProperty(histories(operations), async (history) => {
				const problems = broken(history, await (simulation as Simulation).play(history));
				if (problems.length > 0) throw new Error(problems.join('\n'));
			});
			await fc.assert(property, { seed: SEED, numRuns: RUNS });
		},
		60_000 + RUNS * MS_PER_RUN,
	);
}
