import { OwnEnvironment } from '../test/e2e/support/environment';
import { median } from './media/figures';
import { table } from './measure';
import type { Report } from './report';
import {
	headerCredential,
	httpRequestNode,
	httpRequestWithOpenKey,
	idleNode,
	openAiCredential,
	openAiNode,
	textNode,
	type Contender,
} from './text/contenders';
import { runItems } from './text/run';

const ITEMS = 1_000;
const ROUNDS = 7;

/** The processor time of an item in n8n when the gateway responds at once, compared with n8n's own nodes, alternately. */
export async function overhead(): Promise<Report> {
	const environment = await OwnEnvironment.start({
		gateway: { balance: '1000000.00', settings: { latency: { all: 0 } } },
	});
	try {
		const { client, gateway } = environment;
		const contenders: Contender[] = [
			idleNode,
			textNode('chat', 8),
			textNode('responses', 8),
			httpRequestNode(gateway, await headerCredential(client, gateway)),
			httpRequestWithOpenKey(gateway),
			openAiNode(await openAiCredential(client, gateway)),
		];
		const seconds = new Map<Contender, number[]>(contenders.map((contender) => [contender, []]));
		// The first two rounds warm up: V8 compiles frequent code.
		for (let round = -2; round < ROUNDS; round += 1) {
			for (const contender of contenders) {
				const { cpuSeconds } = await runItems(environment, contender, ITEMS);
				if (round >= 0) seconds.get(contender)?.push(cpuSeconds);
			}
		}
		return reportOf(contenders, seconds);
	} finally {
		await environment.close();
	}
}

function reportOf(contenders: Contender[], seconds: Map<Contender, number[]>): Report {
	/** Without the time of n8n itself for the same number of items. */
	const perItem = (contender: Contender) => {
		const own = (of: Contender) => median(seconds.get(of) ?? []);
		return ((own(contender) - own(idleNode)) * 1000) / ITEMS;
	};
	const [, ours, , http, , openAi] = contenders;
	if (!ours || !http || !openAi) throw new Error('A contender is missing');
	const ratio = (contender: Contender) => perItem(contender) / perItem(ours);
	const rows = contenders.map((contender) => {
		const all = seconds.get(contender) ?? [];
		const range = `${Math.min(...all).toFixed(2)} / ${median(all).toFixed(2)} / ${Math.max(...all).toFixed(2)}`;
		const isIdle = contender === idleNode;
		return [
			contender.name,
			range,
			isIdle ? '' : perItem(contender).toFixed(2),
			isIdle ? '' : ratio(contender).toFixed(2),
		];
	});
	return {
		details: `${ITEMS.toLocaleString('en')} items, no latency; processor time of the n8n process, ${ROUNDS} rounds in turns\n\n${table(
			[
				'node',
				'per execution: least / median / most (s)',
				'per item above No Operation (ms)',
				'÷ this package’s',
			],
			rows,
		)}`,
		headlines: [
			{
				what: 'Processor time of n8n per text item',
				ours: `${perItem(ours).toFixed(2)} ms`,
				compared: `HTTP Request ${ratio(http).toFixed(2)} ×, OpenAI ${ratio(openAi).toFixed(2)} ×`,
				aim: 'no more than HTTP Request',
				met: ratio(http) >= 1,
			},
		],
	};
}
