import { randomUUID } from 'node:crypto';

import { listen, texts } from '../../e2e/support/streams';
import { byId, gatewayNode, workflowOf } from '../../e2e/support/workflows';
import { environment, suite } from '../support';

const WORDS = 'one two three four five six seven eight';

/** Publishes a webhook that streams, with a text node behind it; returns the path. */
async function publishWebhook(): Promise<string> {
	const path = randomUUID();
	const webhook = {
		name: 'Webhook',
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2,
		webhookId: path,
		parameters: { httpMethod: 'POST', path, responseMode: 'streaming', options: {} },
	};
	const text = gatewayNode('Text', 'textGeneration', {
		model: byId('sandbox/balanced-2'),
		prompt: `[[say:${WORDS}]]`,
	});
	await environment.publish(workflowOf('Streaming', [webhook, text], { Webhook: ['Text'] }));
	return path;
}

export function streamingSuites(): void {
	suite('Streaming', () => {
		it('sends a text to a webhook word by word', async () => {
			// The rest is sent when the first words have arrived.
			const { release } = environment.gateway.control.hold({ method: 'POST' }, { afterDeltas: 4 });
			const chunks = await listen(environment.server.url, await publishWebhook(), {}, release);
			const own = chunks.filter(({ metadata }) => metadata.nodeName === 'Text');
			expect(own[0]?.type).toBe('begin');
			expect(texts(own)).toContain(WORDS);
			expect(environment.gateway.control.ledger()).toHaveLength(1);
		});
	});
}
