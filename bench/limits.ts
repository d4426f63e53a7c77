import { runScenario } from '../test/helpers/rateScenario';
import { limitCases, refusedOnceCases, type ScenarioCase } from '../test/helpers/rateScenarios';
import { median, type Row } from './measure';

const SEEDS = Array.from({ length: 11 }, (_, index) => index + 1);

/** Texts and tasks at rate limits that the client does not know, in virtual time: the time until all are done. */
export async function limits(): Promise<Row[]> {
	const rows: Row[] = [];
	for (const one of [...refusedOnceCases, ...limitCases]) rows.push(await simulate(one));
	return rows;
}

async function simulate({ name, scenario, ideal, neverFits }: ScenarioCase): Promise<Row> {
	const times: number[] = [];
	const shares: number[] = [];
	for (const seed of SEEDS) {
		const { ends, seconds, refused } = await runScenario(scenario, seed);
		times.push(neverFits === undefined ? seconds : Math.max(...ends.filter((_, n) => n !== neverFits)));
		shares.push(refused);
	}
	return {
		what: name,
		ours: `${(median(times) / ideal).toFixed(2)} × ideal`,
		others: [`${(median(shares) * 100).toFixed(0)} % refused`],
	};
}
