import { sumOfCosts } from '../../nodes/shared/gateway/util/money';
import { waitForExecution, type RunResult } from '../../sandbox/n8n/executions';
import type { WorkflowJson } from '../../sandbox/n8n/types';
import { agent, model, start, writerTool } from './support/agents';
import { useEnvironment, type Environment } from './support/environment';
import { mediaTool } from './support/tools';
import {
	byId,
	clusterOf,
	costNode,
	gatewayNode,
	itemsNode,
	startName,
	workflowOf,
} from './support/workflows';

// What an execution of the real n8n has cost, as expressions read it.

let environment: Environment;
useEnvironment((started) => (environment = started));
beforeEach(async () => await environment.gateway.control.reset());

const cost = costNode('Cost', 'Write');
const ledger = () => environment.gateway.control.ledger();
const shown = (result: RunResult) => result.nodes['Cost']?.items[0]?.json;
const paid = (calls: number) => ({
	costRub: Number(sumOfCosts(...ledger().map(({ amount }) => amount))),
	calls,
	callsWithoutCost: 0,
});

const write = gatewayNode('Write', 'textGeneration', { model: byId('sandbox/swift-1'), prompt: 'Hello' });

test('after an AI Agent, it is that of all nodes', async () => {
	const asking = agent('Please use the tool');
	const result = await environment.runWorkflow(
		clusterOf('Cost', [start, write, asking], [model(), writerTool], [cost]),
	);
	expect(result).toMatchObject({ status: 'success' });
	// The node, the tool, and the model before and after it.
	expect(ledger()).toHaveLength(4);
	expect(shown(result)).toStrictEqual(paid(4));
});

test('it survives suspension', async () => {
	environment.gateway.control.configure({ taskDuration: { image: 600_000 } });
	const draw = gatewayNode('Draw', 'mediaTask', {
		operation: 'createAndWait',
		model: byId('aurora/canvas-1'),
		inputMode: 'json',
		inputJson: '={{ { prompt: "a cat " + $itemIndex, quality: "draft", size: "512x512" } }}',
		downloadResults: false,
		waitStrategy: 'suspend',
	});
	const ideas = itemsNode('Ideas', [{ n: 1 }, { n: 2 }, { n: 3 }]);
	const workflow = workflowOf('Cost', [ideas, write, draw, { ...write, name: 'Write later' }, cost], {
		[startName]: ['Ideas'],
		Ideas: ['Write'],
		Write: ['Draw'],
		Draw: ['Write later'],
		'Write later': ['Cost'],
	});
	const { client, gateway } = environment;
	const executionId = await environment.begin(workflow);
	await waitForExecution(client, executionId, { orWaiting: true });
	for (const { taskId } of gateway.control.tasks()) await gateway.control.finishTask(taskId);
	const result = await environment.end(executionId);
	expect(result).toMatchObject({ status: 'success' });
	expect(shown(result)).toStrictEqual(paid(9));
});

test('the traces of a run have models, tokens and rubles', async () => {
	const { gateway } = environment;
	const paid = (only?: string) => {
		const charges = ledger().filter(({ kind }) => only === undefined || kind === only);
		return sumOfCosts(...charges.map(({ amount }) => amount));
	};
	/** What n8n stores of each node's last run for its traces, and what the ledger says. */
	const traced = async (workflow: WorkflowJson) => {
		const ran = await environment.execute(workflow);
		return (name: string): unknown => {
			const run: { metadata?: { tracing?: unknown } } | undefined = ran.data.resultData.runData[name]?.at(-1);
			return run?.metadata?.tracing;
		};
	};
	const items = itemsNode('Items', [{ model: 'sandbox/swift-1' }, { model: 'sandbox/balanced-2' }]);
	const several = gatewayNode('Text', 'textGeneration', {
		model: byId('={{ $json.model }}'),
		prompt: 'Hello',
		options: { concurrency: 1 },
	});
	const ofText = await traced(workflowOf('Texts', [items, several], { Start: ['Items'], Items: ['Text'] }));
	expect(ofText('Text')).toMatchObject({
		'gateway.model': 'sandbox/swift-1, sandbox/balanced-2',
		'gateway.inputTokens': expect.stringMatching(/^\d+$/) as string,
		'gateway.outputTokens': expect.stringMatching(/^\d+$/) as string,
		'gateway.costRub': paid(),
	});
	await gateway.control.reset();
	gateway.control.configure({ taskDuration: { image: 0 } });
	const services = [model(), mediaTool];
	const ofAgent = await traced(clusterOf('Agent', [start, agent('Draw a lighthouse at dusk')], services));
	const traceOfModel = { 'gateway.model': 'sandbox/balanced-2', 'gateway.costRub': paid('text') };
	expect(ofAgent('Agent')).toMatchObject(traceOfModel);
	const traceOfTool = { 'gateway.model': 'aurora/canvas-1', 'gateway.costRub': paid('media') };
	expect(ofAgent(mediaTool[1].name)).toMatchObject(traceOfTool);
});
