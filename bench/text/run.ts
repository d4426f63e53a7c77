import { itemsNode, workflowOf } from '../../test/e2e/support/workflows';
import { execute, type Place } from '../execute';
import { processSeconds } from '../measure';
import type { Contender } from './contenders';

export interface Run {
	/** Wall time of the node, as n8n measured it. */
	seconds: number;
	/** Processor time of n8n for the execution. */
	cpuSeconds: number;
}

/**
 * Runs a contender with this number of items.
 *
 * @throws when an item does not have its own response
 */
export async function runItems(place: Place, { name, node, textOf }: Contender, items: number): Promise<Run> {
	const { client, gateway, server } = place;
	await gateway.control.reset();
	const expected = Array.from({ length: items }, (_, n) => `answer ${n}`);
	const inputs = expected.map((text) => ({ prompt: `[[say:${text}]]`, expected: text }));
	const workflow = workflowOf(name, [itemsNode('Items', inputs), node], {
		Start: ['Items'],
		Items: ['Text'],
	});
	const before = await processSeconds(server.pid);
	const id = await execute(place, workflow);
	const cpuSeconds = (await processSeconds(server.pid)) - before;
	const execution = await client.readExecution(id);
	const run = execution.data.resultData.runData['Text']?.[0];
	const texts = (run?.data?.['main']?.[0] ?? []).map(({ json }) => textOf(json));
	if (texts.length !== items || texts.some((text, n) => text !== expected[n])) {
		throw new Error(`${name}: ${execution.status}; not every item has its own response.`);
	}
	return { seconds: (run?.executionTime ?? NaN) / 1000, cpuSeconds };
}
