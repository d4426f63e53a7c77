import { randomUUID } from 'node:crypto';

import { packageName } from '../../../sandbox/n8n/package';
import { isN8nAtLeast } from '../../../sandbox/n8n/olderVersions';
import { waitForExecution } from '../../../sandbox/n8n/executions';
import type { WorkflowJson } from '../../../sandbox/n8n/types';
import { eventually } from '../../e2e/support/eventually';
import { byId, catcher, gatewayNode, itemsNode, setNode, workflowOf } from '../../e2e/support/workflows';
import { environment, executionsOf, itemsOf, run, suite } from '../support';

const MODEL = 'aurora/canvas-1';
const control = () => environment.gateway.control;
const taskIds = () =>
	control()
		.tasks()
		.map(({ taskId }) => taskId);

export function mediaSuites(): void {
	suite('Form', () => {
		it('has the fields of the model, and is sent in their types', async () => {
			const parameters = {
				resource: 'task',
				operation: 'create',
				model: byId(MODEL),
				prompt: '2024',
				inputMode: 'form',
			};
			const { fields } = await environment.client.mapperFields({
				nodeType: `${packageName}.mediaTask`,
				parameter: 'input',
				methodName: 'mapMediaFields',
				parameters,
				credentials: { aiGatewayApi: environment.credential },
			});
			expect(fields.map(({ id, type }) => [id, type])).toStrictEqual(
				expect.arrayContaining([
					['negative_prompt', 'string'],
					['size', 'options'],
					['num_images', 'number'],
				]),
			);
			const value = { size: '512x512', quality: 'draft', num_images: '={{ "2" }}' };
			const input = { mappingMode: 'defineBelow', value, matchingColumns: [], schema: fields };
			const node = gatewayNode('Draw', 'mediaTask', { ...parameters, input });
			const result = await run(workflowOf('Form', [node], { Start: ['Draw'] }));
			expect(result.error).toBeUndefined();
			expect(control().tasks()[0]?.input).toMatchObject({ ...value, prompt: '2024', num_images: 2 });
		});
	});

	suite('Suspend', () => {
		it('ends when the callbacks of all tasks have come', async () => {
			const executionId = await environment.begin(suspending());
			const waiting = await waitForExecution(environment.client, executionId, { orWaiting: true });
			expect(waiting.status).toBe('waiting');
			const [first = '', second = ''] = taskIds();
			await control().finishTask(second);
			expect((await environment.client.readExecution(executionId)).status).toBe('waiting');
			await control().finishTask(first);
			const result = await environment.end(executionId);
			expect(result.status).toBe('success');
			expect(itemsOf(result, 'After')).toMatchObject([
				{ taskId: first, state: 'success', asked: 'a cat' },
				{ taskId: second, state: 'success', asked: 'a dog' },
			]);
			expect(result.nodes['After']?.items.map(({ binary }) => Object.keys(binary ?? {}))).toStrictEqual([
				['data'],
				['data'],
			]);
			expect(control().ledger()).toHaveLength(2);
		});
	});

	suite('Sub-workflow', () => {
		it('that runs once for each item has a task for each', async () => {
			const trigger = {
				name: 'Called',
				type: 'n8n-nodes-base.executeWorkflowTrigger',
				typeVersion: 1.1,
				parameters: { inputSource: 'passthrough' },
			};
			const sub = workflowOf('Sub', [trigger, creation({})], { Called: ['Create'] });
			// Before n8n 2, there is nothing to publish.
			const { id } = await (isN8nAtLeast('2.0') ? environment.publish(sub) : environment.store(sub));
			const caller = {
				name: 'Call',
				type: 'n8n-nodes-base.executeWorkflow',
				typeVersion: 1.2,
				parameters: {
					workflowId: byId(id),
					workflowInputs: { mappingMode: 'defineBelow', value: {} },
					mode: 'each',
					options: { waitForSubWorkflow: true },
				},
			};
			const items = itemsNode('Items', [{ prompt: 'a cat' }, { prompt: 'a dog' }]);
			const parent = workflowOf('Parent', [items, caller], { Start: ['Items'], Items: ['Call'] });
			const result = await run(parent);
			const prompts = Object.fromEntries(
				control()
					.tasks()
					.map(({ taskId, input }) => [taskId, input.prompt]),
			);
			expect(itemsOf(result, 'Call').map(({ taskId }) => prompts[String(taskId)])).toStrictEqual([
				'a cat',
				'a dog',
			]);
			expect(control().ledger()).toHaveLength(2);
		});
	});

	suite('Media trigger', () => {
		it('starts a workflow once with the result of a task, by its callback', async () => {
			const webhookId = randomUUID();
			const trigger = gatewayNode('Trigger', 'mediaTaskTrigger', {}, { webhookId });
			const stored = await environment.publish(
				workflowOf('Trigger', [trigger, catcher('After')], { Trigger: ['After'] }),
			);
			const url = `${environment.server.url}/webhook/${webhookId}/media-task`;
			// Without a task it is refused, as soon as the webhook is there.
			await eventually(async () => expect((await fetch(url)).status).toBe(400), 30_000);
			await run(workflowOf('Create', [creation({ options: { callbackUrl: url } })], { Start: ['Create'] }));
			const [taskId = ''] = taskIds();
			await control().finishTask(taskId);
			await control().repeatCallback(taskId);
			const [first] = await eventually(async () => await executionsOf(stored, 1));
			await environment.client.deactivate(stored);
			const [item] = first?.nodes['After']?.items ?? [];
			expect(item?.json).toMatchObject({ taskId, state: 'success' });
			expect(item?.binary?.['data']?.mimeType).toBe('image/png');
		});
	});
}

function creation(parameters: Record<string, unknown>) {
	return gatewayNode('Create', 'mediaTask', {
		operation: 'create',
		model: byId(MODEL),
		inputMode: 'json',
		inputJson: '={{ { prompt: $json.prompt ?? "a cat", quality: "draft", size: "512x512" } }}',
		...parameters,
	});
}

/** Creates two pictures and suspends the execution; the next node reads what they were created from. */
function suspending(): WorkflowJson {
	const asked = { name: 'asked', type: 'string', value: "={{ $('Items').item.json.prompt }}" };
	const after = setNode('After', [asked], true);
	const nodes = [
		itemsNode('Items', [{ prompt: 'a cat' }, { prompt: 'a dog' }]),
		creation({ operation: 'createAndWait', waitStrategy: 'suspend', options: { concurrency: 1 } }),
		after,
	];
	return workflowOf('Suspend', nodes, { Start: ['Items'], Items: ['Create'], Create: ['After'] });
}
