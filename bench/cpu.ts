import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { repositoryRoot } from '../sandbox/n8n/runtime';
import type { Round, Work } from './cpu/worker';
import { table } from './measure';
import { median } from './media/figures';
import { GatewayProcess, runWorker } from './processes';
import type { Report } from './report';

const TEXTS = 200;
const ROUNDS = 600;
/** V8 compiles frequent code in the first rounds. */
const WARM_UP = 50;
const AIM = 1.03;

/**
 * The processor time of a text without a limit, compared with an earlier commit: both run in turns on n8n's engine, in
 * one process. `BENCH_BASE` is a clone at that commit, with its `node_modules`.
 */
export async function cpu(): Promise<Report> {
	const base = process.env.BENCH_BASE;
	if (base === undefined || !existsSync(join(base, 'node_modules')))
		return { details: 'Not measured: BENCH_BASE names no clone of an earlier commit.', headlines: [] };
	const gateway = await GatewayProcess.start();
	try {
		const work: Work = {
			credential: gateway.credential,
			repositories: [repositoryRoot, base],
			texts: TEXTS,
			rounds: ROUNDS,
		};
		const outcome = await runWorker<{ rounds: Round[] }>('bench/cpu/worker.ts', work);
		const rounds = outcome.rounds.slice(WARM_UP);
		const ownTime = median(rounds.map(({ own }) => own)).toFixed(3);
		const baseTime = median(rounds.map((round) => round.base)).toFixed(3);
		const { mean, low, high } = meanRatio(rounds);
		const interval = `${low.toFixed(3)} to ${high.toFixed(3)}`;
		return {
			details: `${rounds.length} rounds of ${TEXTS} texts of each commit, in turns, in one process.\n\n${table(
				['ms per text: this commit', 'the earlier commit', 'mean ratio', 'interval of 95 %'],
				[[ownTime, baseTime, mean.toFixed(3), interval]],
			)}`,
			headlines: [
				{
					what: 'Processor time of a text without a limit',
					ours: `${ownTime} ms`,
					compared: `the earlier commit: ${baseTime} ms; mean ratio ${mean.toFixed(3)} (95 %: ${interval})`,
					aim: `≤ ${AIM} ×`,
					met: mean <= AIM,
				},
			],
		};
	} finally {
		await gateway.stop();
	}
}

/** The geometric mean of the rounds' ratios, with its interval of confidence of 95 %. */
function meanRatio(rounds: Round[]): { mean: number; low: number; high: number } {
	const logs = rounds.map(({ own, base }) => Math.log(own / base));
	const mean = logs.reduce((sum, value) => sum + value, 0) / logs.length;
	const squares = logs.reduce((sum, value) => sum + (value - mean) ** 2, 0);
	const error = 1.96 * Math.sqrt(squares / (logs.length - 1) / logs.length);
	return { mean: Math.exp(mean), low: Math.exp(mean - error), high: Math.exp(mean + error) };
}
