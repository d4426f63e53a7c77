import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { repositoryRoot } from '../sandbox/n8n/runtime';
import { GatewayProcess, runWorker } from './limits/processes';
import { workOf } from './limits/work';
import { table } from './measure';
import { median } from './media/figures';
import type { Report } from './report';

const TEXTS = 1_000;
const PAIRS = 12;
const ROUNDS = 9;
/** V8 compiles frequent code in the first rounds. */
const WARM_UP = 4;
const AIM = 1.03;

/**
 * The processor time of a text without a limit, compared with an earlier commit: pairs of processes, which run the node
 * on n8n's engine. `BENCH_BASE` is a clone at that commit, with its `node_modules`.
 */
export async function cpu(): Promise<Report> {
	const base = process.env.BENCH_BASE;
	if (base === undefined || !existsSync(join(base, 'node_modules')))
		return { details: 'Not measured: BENCH_BASE names no clone of an earlier commit.', headlines: [] };
	const gateway = await GatewayProcess.start(1);
	try {
		await gateway.prepare(null, {});
		const measure = async (repository: string) => {
			const work = { ...workOf(gateway, 'texts', [TEXTS], 'cpu'), repository, rounds: ROUNDS };
			const { cpuSeconds } = await runWorker(work, 1);
			return median(cpuSeconds.slice(WARM_UP)) * (1_000 / TEXTS);
		};
		const own: number[] = [];
		const before: number[] = [];
		for (let pair = 0; pair < PAIRS; pair += 1) {
			if (pair % 2 === 0) own.push(await measure(repositoryRoot));
			before.push(await measure(base));
			if (pair % 2 === 1) own.push(await measure(repositoryRoot));
		}
		const ratios = own.map((value, pair) => value / (before[pair] ?? NaN));
		const ratio = median(ratios);
		const spread = (all: number[]) =>
			[Math.min(...all), median(all), Math.max(...all)].map((value) => value.toFixed(2));
		return {
			details: `${TEXTS} texts, ${PAIRS} pairs of processes, one after the other; of each process the median of rounds ${WARM_UP + 1} to ${ROUNDS}.\n\n${table(
				['what', 'least', 'median', 'most'],
				[
					['this commit, ms per text', ...spread(own)],
					['the earlier commit, ms per text', ...spread(before)],
					['ratio of a pair', ...spread(ratios)],
				],
			)}`,
			headlines: [
				{
					what: 'Processor time of a text without a limit',
					ours: `${median(own).toFixed(2)} ms`,
					compared: `the earlier commit: ${median(before).toFixed(2)} ms; median of the ratios ${ratio.toFixed(2)}`,
					aim: `≤ ${AIM} ×`,
					met: ratio <= AIM,
				},
			],
		};
	} finally {
		await gateway.stop();
	}
}
