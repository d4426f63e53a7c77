import { runWorld } from '../test/helpers/world';
import { limitCases, strayCases, type WorldCase } from '../test/helpers/worlds';
import { median, type Row } from './measure';

const SEEDS = Array.from({ length: 11 }, (_, index) => index + 1);

/** Texts and tasks at rate limits that the client does not know, in virtual time: the time until all are done. */
export async function limits(): Promise<Row[]> {
	const rows: Row[] = [];
	for (const one of [...strayCases, ...limitCases]) rows.push(await simulate(one));
	return rows;
}

async function simulate({ name, world, ideal, hopeless }: WorldCase): Promise<Row> {
	const times: number[] = [];
	const shares: number[] = [];
	for (const seed of SEEDS) {
		const { ends, seconds, refused } = await runWorld(world, seed);
		times.push(hopeless === undefined ? seconds : Math.max(...ends.filter((_, n) => n !== hopeless)));
		shares.push(refused);
	}
	return {
		what: name,
		ours: `${(median(times) / ideal).toFixed(2)} × ideal`,
		others: [`${(median(shares) * 100).toFixed(0)} % refused`],
	};
}
