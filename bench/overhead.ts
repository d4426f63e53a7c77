import { OwnEnvironment } from '../test/e2e/support/environment';
import { median, type Row } from './measure';
import { httpRequestWithOpenKey, idleNode, n8nNodes, textNode, type Contender } from './text/contenders';
import { runItems } from './text/run';

const ITEMS = 1_000;
const ROUNDS = 7;

/** The processor time of an item in n8n when the gateway responds at once, compared with n8n's own nodes, alternately. */
export async function overhead(): Promise<Row[]> {
	const environment = await OwnEnvironment.start({
		gateway: { balance: '1000000.00', settings: { latency: { all: 0 } } },
	});
	try {
		const { client, gateway } = environment;
		const contenders: Contender[] = [
			idleNode,
			textNode(8),
			...(await n8nNodes(client, gateway)),
			httpRequestWithOpenKey(gateway),
		];
		const seconds = new Map<Contender, number[]>(contenders.map((contender) => [contender, []]));
		// The first two rounds warm up: V8 compiles frequent code.
		for (let round = -2; round < ROUNDS; round += 1) {
			for (const contender of contenders) {
				const { cpuSeconds } = await runItems(environment, contender, ITEMS);
				if (round >= 0) seconds.get(contender)?.push(cpuSeconds);
			}
		}
		return rowsOf(contenders, seconds);
	} finally {
		await environment.close();
	}
}

function rowsOf(contenders: Contender[], seconds: Map<Contender, number[]>): Row[] {
	const own = (of: Contender) => median(seconds.get(of) ?? []);
	/** Without the time of n8n itself for the same number of items. */
	const perItem = (contender: Contender) => ((own(contender) - own(idleNode)) * 1000) / ITEMS;
	const [, ours, ...others] = contenders;
	if (!ours) throw new Error('There are no contenders');
	return [
		{
			what: 'Processor time of a text',
			ours: `${perItem(ours).toFixed(2)} ms`,
			others: others.map(
				(contender) => `${contender.name} ${(perItem(contender) / perItem(ours)).toFixed(2)} ×`,
			),
		},
	];
}
