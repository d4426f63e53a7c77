import { waitForExecution } from '../sandbox/n8n/executions';
import { manualTrigger, withCredential } from '../sandbox/n8n/workflows';
import { Environment } from '../test/e2e/support/environment';
import { byId, gatewayNode, itemsNode, workflowOf } from '../test/e2e/support/workflows';
import { nodeMilliseconds, table } from './measure';

const ITEMS = 200;
const LATENCY_MS = 200;

/** Text items in bulk through the real n8n, by concurrency, against the ideal: items × latency ÷ concurrency. */
export async function bulk(): Promise<string> {
	const environment = await Environment.start();
	try {
		environment.gateway.control.configure({ latency: { chat: LATENCY_MS } });
		const rows: Array<Array<string | number>> = [];
		for (const concurrency of [8, 20, 50]) rows.push(await measure(environment, concurrency));
		return `${ITEMS} text items, ${LATENCY_MS} ms latency of the gateway\n\n${table(
			['concurrency', 'ideal (s)', 'node ran (s)', '× ideal', 'most at once', 'order and pairing', 'charges'],
			rows,
		)}`;
	} finally {
		await environment.close();
	}
}

async function measure(environment: Environment, concurrency: number): Promise<Array<string | number>> {
	const { client, credential, gateway } = environment;
	const inputs = Array.from({ length: ITEMS }, (_, n) => ({ n, prompt: `[[say:answer ${n}]]` }));
	const workflow = workflowOf(
		`Bulk ${concurrency}`,
		[
			itemsNode('Items', inputs),
			gatewayNode('Text', 'textGeneration', {
				model: byId('sandbox/balanced-2'),
				prompt: '={{ $json.prompt }}',
				options: { concurrency },
			}),
		],
		{ Start: ['Items'], Items: ['Text'] },
	);
	const charged = gateway.control.ledger().length;
	const stored = await client.createWorkflow(withCredential(workflow, credential));
	const execution = await waitForExecution(
		client,
		await client.runManually(stored.id, manualTrigger(workflow)),
	);
	const items = execution.data.resultData.runData['Text']?.[0]?.data?.['main']?.[0] ?? [];
	const inOrder = items.every(({ json, pairedItem }, n) => {
		const paired = typeof pairedItem === 'object' && 'item' in pairedItem ? pairedItem.item : undefined;
		return json['text'] === `answer ${n}` && paired === n;
	});
	const seconds = nodeMilliseconds(execution, 'Text') / 1000;
	const ideal = (Math.ceil(ITEMS / concurrency) * LATENCY_MS) / 1000;
	return [
		concurrency,
		ideal.toFixed(2),
		seconds.toFixed(2),
		(seconds / ideal).toFixed(2),
		gateway.control.concurrency().groups.chat?.max ?? 0,
		items.length === ITEMS && inOrder ? 'kept' : 'BROKEN',
		gateway.control.ledger().length - charged,
	];
}
