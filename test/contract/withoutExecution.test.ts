import { ExecuteContext } from 'n8n-core';
import {
	createEmptyRunExecutionData,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeParameters,
} from 'n8n-workflow';

import { packageNodes, prepare } from '../helpers/engine';
import { quickTime } from '../helpers/time';
import { locator, TEXT_MODEL, useGateway } from './support';

// An agent of n8n that is not in a workflow runs its tools without an execution.

const gateway = useGateway();
quickTime(20);

async function call(node: 'balance' | 'mediaTask' | 'textGeneration', parameters: INodeParameters) {
	const { baseUrl, apiKey } = gateway;
	const prepared = prepare({ node, parameters, credential: { baseUrl, apiKey }, asTool: true });
	const { workflow, mode, more } = prepared;
	delete more.executionId;
	const target = workflow.getNode('Gateway');
	if (!target) throw new Error('There is no node');
	const items: INodeExecutionData[] = [{ json: {} }];
	const data = createEmptyRunExecutionData();
	const input = { main: [items] };
	const executeData = { node: target, data: input, source: null };
	const context: object = new ExecuteContext(
		workflow,
		target,
		more,
		mode,
		data,
		0,
		items,
		input,
		executeData,
		[],
	);
	const [outputs] = await packageNodes[node].execute.call(context as IExecuteFunctions);
	return outputs?.[0]?.json;
}

const picture = {
	resource: 'task',
	operation: 'createAndWait',
	model: locator('aurora/canvas-1'),
	inputMode: 'json',
	inputJson: '{"prompt": "cat", "quality": "draft", "size": "512x512"}',
};

it('a text is generated, within its own limit of cost', async () => {
	const parameters = {
		resource: 'text',
		operation: 'generate',
		model: locator(TEXT_MODEL),
		prompt: 'Say hello',
		options: { maxTokens: 10, maxCostRub: 100 },
	};
	expect(await call('textGeneration', parameters)).toMatchObject({ costRub: expect.any(Number) as number });
});

it('a picture is created and awaited; another call creates another one', async () => {
	const [first, second] = [await call('mediaTask', picture), await call('mediaTask', picture)];
	expect([first?.state, second?.state]).toStrictEqual(['success', 'success']);
	expect(first?.taskId).not.toBe(second?.taskId);
	expect(gateway.charges()).toBe(2);
});

it('a picture is polled for where the execution cannot be suspended', async () => {
	const item = await call('mediaTask', { ...picture, waitStrategy: 'suspend' });
	expect(item?.state).toBe('success');
});
