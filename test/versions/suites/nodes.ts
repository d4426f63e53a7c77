import { credentialType } from '../../../sandbox/n8n/workflows';
import { packageName } from '../../../sandbox/n8n/package';
import { checkPng } from '../../../sandbox/demo/png';
import { eventually } from '../../e2e/support/eventually';
import { byId, catcher, everySecond, gatewayNode, workflowOf } from '../../e2e/support/workflows';
import { environment, executionsOf, itemsOf, run, suite } from '../support';

const NODES = [
	'textGeneration',
	'mediaTask',
	'mediaTaskTrigger',
	'storage',
	'balance',
	'balanceTrigger',
	'chatModel',
];
const TOOLS = ['textGenerationTool', 'mediaTaskTool', 'storageTool', 'balanceTool'];

export function nodeSuites(): void {
	suite('Nodes', () => {
		it('are all there, with their tools', async () => {
			const names = (await environment.client.nodeTypes()).map(({ name }) => name);
			expect(names).toStrictEqual(
				expect.arrayContaining([...NODES, ...TOOLS].map((name) => `${packageName}.${name}`)),
			);
		});

		it('the credential can be tested', async () => {
			const { client, credential, gateway } = environment;
			const { baseUrl, apiKey } = gateway;
			expect(await client.testCredential(credential, credentialType, { baseUrl, apiKey })).toMatchObject({
				status: 'OK',
			});
			const wrong = { baseUrl, apiKey: 'sk-wrong' };
			expect(await client.testCredential(credential, credentialType, wrong)).toMatchObject({
				status: 'Error',
			});
		});

		it('Text, Media Task, Storage and Balance work', async () => {
			environment.gateway.control.configure({ taskDuration: { image: 0 } });
			const nodes = [
				...['chat', 'responses', 'messages'].map((format) =>
					gatewayNode(format, 'textGeneration', {
						format,
						model: byId('sandbox/balanced-2'),
						prompt: '[[say:hello]]',
					}),
				),
				gatewayNode('Draw', 'mediaTask', {
					operation: 'createAndWait',
					model: byId('aurora/canvas-1'),
					inputMode: 'json',
					inputJson: '{"prompt": "a cat", "quality": "draft", "size": "512x512"}',
				}),
				gatewayNode('Upload', 'storage', { operation: 'upload', uploadSource: 'binary' }),
				gatewayNode('Download', 'storage', { operation: 'download', fileId: '={{ $json.id }}' }),
				gatewayNode('Balance', 'balance', {}),
			];
			const names = nodes.map(({ name }) => name);
			const routes = ['Start', ...names.slice(0, -1)].map((name, index) => [name, [names[index]]]);
			const result = await run(
				workflowOf('Nodes', nodes, Object.fromEntries(routes) as Record<string, Array<string | undefined>>),
			);
			expect(result.error).toBeUndefined();
			for (const format of ['chat', 'responses', 'messages'])
				expect(itemsOf(result, format)).toMatchObject([{ text: 'hello' }]);
			for (const name of ['Draw', 'Download']) {
				const [item] = result.nodes[name]?.items ?? [];
				expect(item && (await checkPng(await environment.readBinary(item)))).toStrictEqual({
					width: 512,
					height: 512,
				});
			}
			expect(itemsOf(result, 'Balance')).toMatchObject([{ currency: 'RUB' }]);
		});

		it('Balance Trigger starts a workflow', async () => {
			environment.gateway.control.setBalance('12.34');
			const parameters = { fireOn: 'below', threshold: 100, pollTimes: { item: everySecond } };
			const workflow = workflowOf(
				'Low',
				[gatewayNode('Low', 'balanceTrigger', parameters), catcher('After')],
				{ Low: ['After'] },
			);
			const stored = await environment.publish(workflow);
			const [first] = await eventually(async () => await executionsOf(stored, 1));
			await environment.client.deactivate(stored);
			expect(itemsOf(first, 'After')).toMatchObject([{ amountRub: 12.34, lowBalance: true }]);
		});
	});
}
