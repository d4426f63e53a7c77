import { OwnEnvironment } from '../test/e2e/support/environment';
import { table } from './measure';
import type { Headline, Report } from './report';
import {
	headerCredential,
	httpRequestNode,
	openAiCredential,
	openAiNode,
	textNode,
	type Contender,
} from './text/contenders';
import { runItems, type Run } from './text/run';

const ITEMS = 1_000;
const LATENCY_MS = 200;
/** The most time that the text node may take at its default concurrency, as a multiple of the ideal. */
const AIM = 1.15;
const DEFAULT_CONCURRENCY = 8;

interface Race {
	contender: Contender;
	/** Requests at a time; undefined: one for each item. */
	concurrency?: number;
}

/** Text items in bulk through the real n8n, compared with the ideal (items × latency ÷ concurrency) and n8n's own nodes. */
export async function bulk(): Promise<Report> {
	const environment = await OwnEnvironment.start({
		gateway: { balance: '1000000.00', settings: { latency: { all: LATENCY_MS } } },
	});
	try {
		const { client, gateway } = environment;
		const openAi = openAiNode(await openAiCredential(client, gateway));
		const races: Race[] = [
			...[DEFAULT_CONCURRENCY, 20, 50].map((concurrency) => ({
				contender: textNode('chat', concurrency),
				concurrency,
			})),
			{ contender: httpRequestNode(gateway, await headerCredential(client, gateway)) },
			{ contender: openAi, concurrency: 1 },
		];
		// The first run loads and warms up shared code.
		await runItems(environment, textNode('chat', DEFAULT_CONCURRENCY), 50);
		const results: Array<Race & { run: Run }> = [];
		for (const race of races)
			results.push({ ...race, run: await runItems(environment, race.contender, ITEMS) });
		return {
			details: `${ITEMS.toLocaleString('en')} text items, ${LATENCY_MS} ms latency of the gateway\n\n${table(
				['node', 'ideal (s)', 'ran (s)', '× ideal', 'most at once', 'charges'],
				results.map((result) => [
					result.contender.name,
					idealSeconds(result).toFixed(2),
					result.run.seconds.toFixed(2),
					timesIdeal(result).toFixed(2),
					result.run.mostAtOnce,
					result.run.charges,
				]),
			)}`,
			headlines: headlines(results),
		};
	} finally {
		await environment.close();
	}
}

function headlines(results: Array<Race & { run: Run }>): Headline[] {
	const ours = results.find(({ concurrency }) => concurrency === DEFAULT_CONCURRENCY);
	if (!ours) return [];
	const others = results.filter(({ contender }) => !contender.name.startsWith('Gateway'));
	return [
		{
			what: `${ITEMS.toLocaleString('en')} text items at the default concurrency of ${DEFAULT_CONCURRENCY}`,
			ours: `${timesIdeal(ours).toFixed(2)} × ideal`,
			compared: others
				.map(
					({ contender, run }) =>
						`${contender.name}: ${(run.seconds / ours.run.seconds).toFixed(2)} × the time`,
				)
				.join('; '),
			aim: `≤ ${AIM} × ideal`,
			met: timesIdeal(ours) <= AIM,
		},
	];
}

function idealSeconds({ concurrency = ITEMS }: Race): number {
	return (Math.ceil(ITEMS / concurrency) * LATENCY_MS) / 1000;
}

function timesIdeal(result: Race & { run: Run }): number {
	return result.run.seconds / idealSeconds(result);
}
