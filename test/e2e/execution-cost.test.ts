import { sumOfCosts } from '../../nodes/shared/gateway/util/money';
import { waitForExecution, type RunResult } from '../../sandbox/n8n/executions';
import { agent, model, start, writerTool } from './support/agents';
import { useEnvironment, type Environment } from './support/environment';
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
const tokensOf = (result: RunResult, ...nodes: string[]) => {
	const items = nodes.flatMap((node) => result.nodes[node]?.items ?? []);
	const usages = items.map(({ json }) => json.usage as Record<'inputTokens' | 'outputTokens', number>);
	const sum = (name: 'inputTokens' | 'outputTokens') => usages.reduce((all, usage) => all + usage[name], 0);
	return { inputTokens: sum('inputTokens'), outputTokens: sum('outputTokens') };
};
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
	expect(shown(result)).toMatchObject(paid(4));
	// Those of the tool and the model are not in an output.
	const { inputTokens } = tokensOf(result, 'Write');
	expect(shown(result)?.inputTokens).toBeGreaterThan(3 * inputTokens);
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
	expect(shown(result)).toStrictEqual({ ...paid(9), ...tokensOf(result, 'Write', 'Write later') });
});
