import { runScenario } from '../test/helpers/rateScenario';
import { rateScenarios, timeOf, type ScenarioCase } from '../test/helpers/rateScenarios';
import { median, type Row } from './measure';

const SEEDS = Array.from({ length: 11 }, (_, index) => index + 1);

/** Texts and tasks at rate limits that the client does not know, in virtual time: the time until all are done. */
export async function limits(): Promise<Row[]> {
	const rows: Row[] = [];
	for (const one of rateScenarios) rows.push(await simulate(one));
	return rows;
}

async function simulate(one: ScenarioCase): Promise<Row> {
	const times: number[] = [];
	const shares: number[] = [];
	for (const seed of SEEDS) {
		const outcome = await runScenario(one.scenario, seed);
		times.push(timeOf(one, outcome));
		shares.push(outcome.refused);
	}
	return {
		what: one.name,
		ours: `${(median(times) / one.ideal).toFixed(2)} × ideal`,
		others: [`${(median(shares) * 100).toFixed(0)} % refused`],
	};
}
