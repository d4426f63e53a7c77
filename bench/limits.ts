import type { RateLimit } from '../sandbox/gateway/control/types';
import { OwnEnvironment } from '../test/e2e/support/environment';
import { runWorld } from '../test/helpers/world';
import { limitCases, strayCases, type WorldCase } from '../test/helpers/worlds';
import { table } from './measure';
import { median } from './media/figures';
import type { Headline, Report } from './report';
import { textNode } from './text/contenders';
import { runItems } from './text/run';

const SEEDS = Array.from({ length: 11 }, (_, index) => index + 1);
const LATENCY_MS = 200;
const N8N_RUNS = 3;

/** What a 429 without a reason may cost the others, in seconds. */
const STRAY_SECONDS = 0.5;

interface Result {
	title: string;
	ideal: number;
	seconds: number;
	/** The longest time, as a multiple of the ideal. */
	bound: number;
	/** Of all requests. */
	refused: number;
}

/** Texts and tasks at rate limits that the client does not know: the time until all are done, beside the shortest one. */
export async function limits(): Promise<Report> {
	const simulated: Result[] = [];
	for (const one of [...strayCases, ...limitCases]) simulated.push(await simulate(one));
	const environment = await OwnEnvironment.start({ gateway: { balance: '1000000.00' } });
	try {
		const strays = await strayTexts(environment);
		const limited = [await limitedTexts(environment, 'none'), await limitedTexts(environment, 'seconds')];
		return {
			details: [
				`In virtual time; median of ${SEEDS.length} runs:`,
				resultTable(simulated),
				`In n8n, texts of ${LATENCY_MS} ms; median of ${N8N_RUNS} runs:`,
				resultTable(limited),
				`In n8n, one 429 with \`Retry-After: 1\`:`,
				table(
					['what', 'took (s)', 'without the 429 (s)'],
					strays.map(({ title, seconds, quiet }) => [title, seconds.toFixed(1), quiet.toFixed(1)]),
				),
			].join('\n\n'),
			headlines: [
				...headlines('in virtual time', simulated),
				...headlines('in n8n', limited),
				strayHeadline(strays),
			],
		};
	} finally {
		await environment.close();
	}
}

async function simulate({ name, world, ideal, bound, hopeless }: WorldCase): Promise<Result> {
	const times: number[] = [];
	const shares: number[] = [];
	for (const seed of SEEDS) {
		const { ends, seconds, refused } = await runWorld(world, seed);
		times.push(hopeless === undefined ? seconds : Math.max(...ends.filter((_, n) => n !== hopeless)));
		shares.push(refused);
	}
	return { title: name, ideal, seconds: median(times), bound, refused: median(shares) };
}

async function limitedTexts(environment: OwnEnvironment, retryAfter: 'none' | 'seconds'): Promise<Result> {
	const rateLimit: RateLimit = { requestsPerMinute: 60, windowMs: 20_000, retryAfter };
	const { control } = environment.gateway;
	const times: number[] = [];
	const shares: number[] = [];
	for (let run = 0; run < N8N_RUNS; run += 1) {
		const prepare = () => control.configure({ latency: { all: LATENCY_MS }, rateLimit });
		times.push((await runItems(environment, textNode('chat', 8), 160, prepare)).seconds);
		const records = control.requests({ method: 'POST' });
		shares.push(records.filter(({ status }) => status === 429).length / records.length);
	}
	return {
		title: `60 per 20 s: 160 texts at 8, Retry-After: ${retryAfter}`,
		ideal: 41,
		seconds: median(times),
		bound: 1.15,
		refused: median(shares),
	};
}

interface Stray {
	title: string;
	seconds: number;
	/** The same without the 429. */
	quiet: number;
}

async function strayTexts(environment: OwnEnvironment): Promise<Stray[]> {
	const { control } = environment.gateway;
	const texts = async (count: number, concurrency: number, latencyMs: number, stray?: number) =>
		await runItems(environment, textNode('chat', concurrency), count, () => {
			control.configure({ latency: { all: latencyMs } });
			if (stray === undefined) return;
			const action = { kind: 'error', code: 'rate_limit_exceeded', retryAfter: 1 } as const;
			control.addFault({ match: { method: 'POST', nth: stray }, action });
		});
	const measured = async (title: string, count: number, stray?: number): Promise<Stray> => {
		const { seconds } = await texts(count, 20, LATENCY_MS, stray);
		return { title, seconds, quiet: (await texts(count, 20, LATENCY_MS)).seconds };
	};
	// Twelve texts in 48 s.
	await texts(12, 1, 4_000, 11);
	return [
		await measured('12 texts in 48 s, the 11th refused once, then 200 at 20', 200),
		await measured('200 texts at 20, the first refused once', 200, 1),
		await measured('1,000 texts at 20, the first refused once', 1_000, 1),
	];
}

function resultTable(results: Result[]): string {
	return table(
		['what', 'ideal (s)', 'took (s)', 'ratio', 'at most', 'refused'],
		results.map(({ title, ideal, seconds, bound, refused }) => [
			title,
			ideal,
			seconds.toFixed(1),
			(seconds / ideal).toFixed(2),
			bound,
			`${(refused * 100).toFixed(1)} %`,
		]),
	);
}

function headlines(where: string, results: Result[]): Headline[] {
	const late = results.filter(({ seconds, ideal, bound }) => seconds > ideal * bound);
	const worst = Math.max(...results.map(({ seconds, ideal }) => seconds / ideal));
	return [
		{
			what: `Work at a rate limit, ${where}: the longest time, of the ideal`,
			ours: `${worst.toFixed(2)} ×`,
			compared: '',
			aim: `the bounds of ${results.length} rows`,
			met: late.length === 0,
		},
	];
}

function strayHeadline(strays: Stray[]): Headline {
	const most = Math.max(...strays.map(({ seconds, quiet }) => seconds - quiet));
	return {
		what: 'What one 429 costs other texts, in n8n',
		ours: `${most.toFixed(1)} s`,
		compared: '',
		aim: `≤ ${STRAY_SECONDS} s`,
		met: most <= STRAY_SECONDS,
	};
}
