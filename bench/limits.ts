import { Environment } from '../test/e2e/support/environment';
import type { RateLimit, RequestRecord } from '../sandbox/gateway/control/types';
import type { Outcome } from './limits/worker';
import { workOf, type Kind } from './limits/work';
import { table } from './measure';
import { GatewayProcess, runWorker } from './processes';
import type { Headline, Report } from './report';
import { textNode } from './text/contenders';
import { runItems } from './text/run';

/** Time passes so much faster in the gateway and in the workers. */
const TIME_FACTOR = 3;
const PER_MINUTE = 300;
const TEXTS = 1_000;
const TASKS = 300;
const LATENCY_MS = 200;
const AIM_SHARE = 0.95;
const AIM_REFUSED = 0.03;

interface Job {
	kind: Kind;
	limit: RateLimit;
	workers: number;
	/** Executions of each worker at the same time. */
	executions: number;
}

interface Result {
	title: string;
	items: number;
	failed: number;
	seconds: number;
	/** Of what the limit allows in this time. */
	share: number;
	/** Of all requests. */
	refused: number;
	requests: number;
}

/** Many items against an account with a rate limit: failures, the used share of the limit, and refusals. */
export async function limits(): Promise<Report> {
	const results: Result[] = [];
	const gateway = await GatewayProcess.start(TIME_FACTOR);
	try {
		for (const job of jobs()) results.push(await runJob(gateway, job));
	} finally {
		await gateway.stop();
	}
	results.push(await inN8n());
	return {
		details: [
			`${PER_MINUTE} requests a minute, ${LATENCY_MS} ms latency; time passes ${TIME_FACTOR} times faster in the processes of the gateway and of the workers, which run the nodes on n8n’s engine. The last row is n8n itself, in real time.`,
			table(
				['what', 'items', 'failed', 'took (s)', 'requests', 'share of the limit', 'refused'],
				results.map(({ title, items, failed, seconds, share, refused, requests }) => [
					title,
					items,
					failed,
					seconds.toFixed(0),
					requests,
					percent(share),
					percent(refused),
				]),
			),
		].join('\n\n'),
		headlines: headlines(results),
	};
}

function jobs(): Job[] {
	return (['texts', 'tasks'] as const).flatMap((kind) =>
		(['none', 'seconds'] as const).flatMap((retryAfter) => {
			const limit: RateLimit = { requestsPerMinute: PER_MINUTE, retryAfter };
			return [
				{ kind, limit, workers: 1, executions: 1 },
				{ kind, limit, workers: 1, executions: 3 },
				{ kind, limit, workers: 2, executions: 1 },
			];
		}),
	);
}

async function runJob(gateway: GatewayProcess, job: Job): Promise<Result> {
	const { kind, limit, workers, executions } = job;
	const items = kind === 'texts' ? TEXTS : TASKS;
	await gateway.prepare(limit, {
		latency: { all: LATENCY_MS },
		taskDuration: { image: [18_000, 22_000] },
		render: 'placeholder',
	});
	const parts = workers * executions;
	const sizes = Array.from({ length: parts }, (_, part) => Math.floor((items + part) / parts));
	const outcomes = await Promise.all(
		Array.from({ length: workers }, async (_, worker) => {
			const own = sizes.slice(worker * executions, (worker + 1) * executions);
			const work = workOf(gateway, kind, own, `worker-${worker}`);
			return await runWorker<Outcome>('bench/limits/worker.ts', work, TIME_FACTOR);
		}),
	);
	const charges = await gateway.charges();
	if (charges !== items) throw new Error(`${charges} charges for ${items} items.`);
	const after = limit.retryAfter === 'none' ? 'no Retry-After' : 'Retry-After';
	const who =
		workers > 1 ? `${workers} processes` : executions > 1 ? `${executions} executions` : '1 execution';
	return resultOf(`${kind}, ${after}, ${who}`, items, outcomes, await gateway.requests(), PER_MINUTE);
}

/** Requests to the catalogues need no key, and are not limited. */
function resultOf(
	title: string,
	items: number,
	outcomes: Outcome[],
	records: RequestRecord[],
	perMinute: number,
): Result {
	const limited = records.filter(({ group }) => group !== 'catalogue');
	const taken = limited.filter(({ status }) => status !== 429);
	const times = taken.map(({ startedAt }) => startedAt);
	const seconds = (Math.max(...times) - Math.min(...times)) / 1_000;
	const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0);
	if (failed > 0) console.error(title, outcomes.flatMap(({ errors }) => errors).slice(0, 3));
	return {
		title,
		items,
		failed,
		seconds,
		share: taken.length / ((perMinute * seconds) / 60),
		refused: (limited.length - taken.length) / limited.length,
		requests: limited.length,
	};
}

async function inN8n(): Promise<Result> {
	const rateLimit: RateLimit = { requestsPerMinute: PER_MINUTE, retryAfter: 'none' };
	const environment = await Environment.start({
		gateway: { balance: '1000000.00', settings: { latency: { all: LATENCY_MS }, rateLimit } },
	});
	try {
		// Throws when an item fails.
		await runItems(environment, textNode('chat', 8), TEXTS);
		const records = environment.gateway.control.requests({ host: 'api' });
		// Here, a minute is a minute.
		return resultOf('texts, no Retry-After, 1 execution in n8n', TEXTS, [], records, PER_MINUTE);
	} finally {
		await environment.close();
	}
}

function headlines(results: Result[]): Headline[] {
	const failed = results.reduce((sum, result) => sum + result.failed, 0);
	const texts = results.filter(({ title }) => title.startsWith('texts'));
	const share = Math.min(...texts.map((result) => result.share));
	const refused = Math.max(...results.map((result) => result.refused));
	const what = `${TEXTS.toLocaleString('en')} texts and ${TASKS} tasks at a rate limit`;
	return [
		{ what: `${what}: failures`, ours: String(failed), compared: '', aim: '0', met: failed === 0 },
		{
			what: 'The least share of the limit, texts',
			ours: percent(share),
			compared: '',
			aim: `≥ ${percent(AIM_SHARE)}`,
			met: share >= AIM_SHARE,
		},
		{
			what: 'The most refusals, of all requests',
			ours: percent(refused),
			compared: '',
			aim: `≤ ${percent(AIM_REFUSED)}`,
			met: refused <= AIM_REFUSED,
		},
	];
}

function percent(part: number): string {
	return `${(part * 100).toFixed(1)} %`;
}
