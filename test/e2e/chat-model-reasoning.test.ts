import { randomUUID } from 'node:crypto';

import { withCredential } from '../../sandbox/n8n/workflows';
import { agent, balanceTool, model, writerTool } from './support/agents';
import { useEnvironment, type Environment } from './support/environment';
import { chatTrigger, listen, texts } from './support/streams';
import { byId, clusterOf } from './support/workflows';

// n8n's AI Agent with a model that rejects tool results without the reasoning before the tool call.

const FORMATS = ['chat', 'responses', 'messages'];
let environment: Environment;

useEnvironment((started) => (environment = started));
beforeEach(async () => await environment.gateway.control.reset());

const thinker = (format: string) => model({ format, model: byId('sandbox/recall-5') });
/** The calls of the agent's model; the writer is another model. */
const charges = () =>
	environment.gateway.control.ledger().filter((charge) => charge.model === 'sandbox/recall-5');

test.each(FORMATS)('%s: streams to a chat after two rounds of two tools together', async (format) => {
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
		chatInput: 'Please call all tools [[rounds:2]]',
	});
	expect(chunks.filter(({ type }) => type === 'error')).toStrictEqual([]);
	expect(texts(chunks)).toMatch(/(?:(?:amountRub|costRub).*){4}/s);
	expect(charges()).toHaveLength(3);
});
