import { OwnEnvironment } from '../test/e2e/support/environment';
import type { Row } from './measure';
import { n8nNodes, textNode, type Contender } from './text/contenders';
import { runItems } from './text/run';

const ITEMS = 1_000;
const LATENCY_MS = 200;
const DEFAULT_CONCURRENCY = 8;

/** Text items in bulk through the real n8n, compared with the ideal (items × latency ÷ concurrency) and n8n's own nodes. */
export async function bulk(): Promise<Row[]> {
	const environment = await OwnEnvironment.start({
		gateway: { balance: '1000000.00', settings: { latency: { all: LATENCY_MS } } },
	});
	try {
		const { client, gateway } = environment;
		// The first run loads and warms up shared code.
		await runItems(environment, textNode(DEFAULT_CONCURRENCY), 50);
		const seconds = async (contender: Contender) => (await runItems(environment, contender, ITEMS)).seconds;
		const rows: Row[] = [];
		const own: number[] = [];
		for (const concurrency of [DEFAULT_CONCURRENCY, 20, 50]) {
			const taken = await seconds(textNode(concurrency));
			own.push(taken);
			const ideal = ((ITEMS / concurrency) * LATENCY_MS) / 1000;
			rows.push({
				what: `${ITEMS} texts of ${LATENCY_MS} ms, ${concurrency} at a time`,
				ours: `${(taken / ideal).toFixed(2)} × ideal`,
				others: [],
			});
		}
		const [ours = NaN] = own;
		for (const contender of await n8nNodes(client, gateway)) {
			const ratio = (await seconds(contender)) / ours;
			rows[0]?.others.push(`${contender.name} ${ratio.toFixed(2)} ×`);
		}
		return rows;
	} finally {
		await environment.close();
	}
}
