import { randomUUID } from 'node:crypto';

import { withCredential } from '../../sandbox/n8n/workflows';
import { agent, balanceTool, model, start, writerTool } from './support/agents';
import { useEnvironment, type Environment } from './support/environment';
import { chatTrigger, listen, texts } from './support/streams';
import { byId, clusterOf } from './support/workflows';

// n8n's AI Agent with a model that rejects tool results without the reasoning before the tool call.

const FORMATS = ['chat', 'responses', 'messages'];
const TASKS = [
	['two rounds of a tool', 'Please use the tool [[rounds:2]]', 1],
	['two rounds of two tools together', 'Please call all tools [[rounds:2]]', 2],
] as const;
let environment: Environment;

useEnvironment((started) => (environment = started));
beforeEach(async () => await environment.gateway.control.reset());

const thinker = (format: string) => model({ format, model: byId('sandbox/recall-5') });
/** The calls of the agent's model; the writer is another model. */
const charges = () =>
	environment.gateway.control.ledger().filter((charge) => charge.model === 'sandbox/recall-5');
const answered = (tools: number) =>
	new RegExp(
		Array(2 * tools)
			.fill('amountRub|costRub')
			.map((one) => `(?:${one}).*`)
			.join(''),
		's',
	);

describe.each(FORMATS)('the %s format', (format) => {
	it.each(TASKS)('responds after %s', async (_, prompt, tools) => {
		const services = [thinker(format), balanceTool, writerTool];
		const { nodes, error } = await environment.runWorkflow(
			clusterOf('Reasoning', [start, agent(prompt)], services),
		);
		expect(error).toBeUndefined();
		expect(nodes['Agent']?.items[0]?.json['output']).toMatch(answered(tools));
		expect(charges()).toHaveLength(3);
	});

	it.each(TASKS)('streams to a chat after %s', async (_, prompt, tools) => {
		const webhookId = randomUUID();
		const workflow = withCredential(
			clusterOf(
				`Chat ${webhookId}`,
				[chatTrigger(webhookId), agent('={{ $json.chatInput }}')],
				[thinker(format), balanceTool, writerTool],
			),
			environment.credential,
		);
		await environment.client.activate(await environment.client.createWorkflow(workflow));
		const chunks = await listen(environment.client.url, `${webhookId}/chat`, {
			action: 'sendMessage',
			sessionId: 's',
			chatInput: prompt,
		});
		expect(chunks.filter(({ type }) => type === 'error')).toStrictEqual([]);
		expect(texts(chunks)).toMatch(answered(tools));
		expect(charges()).toHaveLength(3);
	});
});
