import { setTimeout as sleep } from 'node:timers/promises';

import { manualTrigger, withCredential } from '../../sandbox/n8n/workflows';
import type { OwnEnvironment } from '../../test/e2e/support/environment';
import { itemsNode, workflowOf } from '../../test/e2e/support/workflows';
import { processSeconds } from '../measure';
import type { Contender } from './contenders';

/** The result of a contender. */
export interface Run {
	/** Wall time of the node, as n8n measured it. */
	seconds: number;
	/** Processor time of n8n for the execution. */
	cpuSeconds: number;
}

const LONGEST_RUN_MS = 10 * 60_000;

/**
 * Runs a contender with this number of items.
 *
 * @throws when an item does not have its own response
 */
export async function runItems(
	{
		client,
		credential,
		gateway,
		server,
	}: Pick<OwnEnvironment, 'client' | 'credential' | 'gateway' | 'server'>,
	{ name, node, textOf }: Contender,
	items: number,
): Promise<Run> {
	await gateway.control.reset();
	const expected = Array.from({ length: items }, (_, n) => `answer ${n}`);
	const inputs = expected.map((text) => ({ prompt: `[[say:${text}]]`, expected: text }));
	const workflow = workflowOf(name, [itemsNode('Items', inputs), node], {
		Start: ['Items'],
		Items: ['Text'],
	});
	const { id: workflowId } = await client.createWorkflow(withCredential(workflow, credential));

	const before = await processSeconds(server.pid);
	const id = await client.runManually(workflowId, manualTrigger(workflow));
	const deadline = Date.now() + LONGEST_RUN_MS;
	// Its data is read only after the end, because it costs n8n time, too.
	while (['new', 'running'].includes((await client.listExecutions(workflowId))[0]?.status ?? 'new')) {
		if (Date.now() > deadline) throw new Error(`${name} still runs.`);
		await sleep(250);
	}
	const cpuSeconds = (await processSeconds(server.pid)) - before;

	const execution = await client.readExecution(id);
	const run = execution.data.resultData.runData['Text']?.[0];
	const texts = (run?.data?.['main']?.[0] ?? []).map(({ json }) => textOf(json));
	if (texts.length !== items || texts.some((text, n) => text !== expected[n])) {
		throw new Error(`${name}: ${execution.status}; not every item has its own response.`);
	}
	return { seconds: (run?.executionTime ?? NaN) / 1000, cpuSeconds };
}
