import type { WorkflowNode } from '../../../sandbox/n8n/types';
import { agent, model, start } from '../../e2e/support/agents';
import { byId, clusterOf, gatewayNode, type Service } from '../../e2e/support/workflows';
import { environment, itemsOf, run, sent, suite, suiteSince } from '../support';

const drawTool: [Service, WorkflowNode] = [
	'ai_tool',
	gatewayNode('Draw', 'mediaTaskTool', {
		resource: 'task',
		operation: 'createAndWait',
		model: byId('aurora/canvas-1'),
		inputMode: 'json',
		inputJson:
			"={{ JSON.stringify({ prompt: $fromAI('prompt', 'What it shows', 'string'), quality: 'draft', size: '512x512' }) }}",
	}),
];
const control = () => environment.gateway.control;

/** An AI Agent that draws a picture, in the newest version that this n8n has, with a model. */
async function draw(languageModel: [Service, WorkflowNode]) {
	control().configure({ taskDuration: { image: 0 } });
	const wish = agent('Please draw a lighthouse');
	const types = await environment.client.nodeTypes();
	const typeVersion = types.find(({ name, defaultVersion }) => name === wish.type && defaultVersion)?.[
		'defaultVersion'
	];
	return await run(clusterOf('Agent', [start, { ...wish, typeVersion }], [languageModel, drawTool]));
}

/** Two calls of the model and a picture, whose address the agent got from its tool. */
function expectPicture(result: Awaited<ReturnType<typeof draw>>): void {
	expect(result.error).toBeUndefined();
	expect(result.nodes['Draw']?.runs).toBe(1);
	const [asked] = control().requests({ path: '/chat/completions' });
	expect(JSON.stringify(asked?.body.json)).toContain('Generates an image, video, piece of music or speech');
	const [url = 'no file'] = control().tasks()[0]?.resultUrls ?? [];
	expect(itemsOf(result, 'Agent')).toMatchObject([{ output: expect.stringContaining(url) as string }]);
	expect(control().ledger()).toHaveLength(3);
}

export function agentSuites(): void {
	suite('Agent tool', () => {
		it('draws a picture for an agent with the model of another package', async () => {
			const { apiKey, baseUrl } = environment.gateway;
			const data = { apiKey, url: baseUrl, header: false };
			const openAiApi = await environment.client.saveCredential('OpenAI', 'openAiApi', data);
			expectPicture(
				await draw([
					'ai_languageModel',
					{
						name: 'Model',
						type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
						typeVersion: 1.2,
						parameters: { model: byId('sandbox/balanced-2'), options: {} },
						credentials: { openAiApi },
					},
				]),
			);
		});
	});

	suiteSince(
		'2.16',
		'Chat model',
		() => {
			it('answers an agent, which calls a tool', async () => expectPicture(await draw(model())));
		},
		() => {
			it('says which n8n it needs, and sends nothing', async () => {
				const result = await draw(model());
				expect(result.status).toBe('error');
				expect(JSON.stringify(result)).toContain('The Gateway Chat Model needs n8n 2.16 or newer');
				expect(sent()).toStrictEqual([]);
			});
		},
	);
}
