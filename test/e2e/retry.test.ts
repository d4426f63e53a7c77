import type { INodeExecutionData } from 'n8n-workflow';

import { rubles, sumOfCosts } from '../../nodes/shared/gateway/util/money';
import { waitForExecution, type Execution } from '../../sandbox/n8n/executions';
import type { WorkflowJson, WorkflowNode } from '../../sandbox/n8n/types';
import { manualTrigger, withCredential } from '../../sandbox/n8n/workflows';
import { agent, model, start } from './support/agents';
import { useEnvironment, type Environment } from './support/environment';
import { mediaTool } from './support/tools';
import { byId, clusterOf, gatewayNode, itemsNode, workflowOf } from './support/workflows';

// What a failed execution of the real n8n says of money, and what its *Retry* pays for. Nodes have their default options.

let environment: Environment;

useEnvironment((started) => (environment = started));
beforeEach(async () => {
	await control().reset();
	control().configure({ taskDuration: { image: 0 } });
});

const control = () => environment.gateway.control;
const ledger = () => control().ledger();
const tasks = () => control().tasks();
const ids = () => tasks().map(({ taskId }) => taskId);
const spent = (from = 0, to = Infinity) =>
	sumOfCosts(
		...ledger()
			.slice(from, to)
			.map(({ amount }) => amount),
	);

const form = (value: object) => ({ mappingMode: 'defineBelow', value, matchingColumns: [], schema: [] });
const text = gatewayNode('Gateway', 'textGeneration', {
	model: byId('sandbox/swift-1'),
	prompt: '={{ $json.prompt }}',
});
const picture = (parameters: object = {}, settings: Record<string, unknown> = {}) =>
	gatewayNode(
		'Gateway',
		'mediaTask',
		{
			resource: 'image',
			operation: 'generate',
			model: byId('aurora/canvas-1'),
			prompt: '={{ $json.prompt }}',
			input: form({ quality: 'draft', size: '512x512' }),
			...parameters,
		},
		settings,
	);
const prompts = (...list: string[]) =>
	itemsNode(
		'Items',
		list.map((prompt) => ({ prompt })),
	);

/** A node behind items. */
const behind = (items: WorkflowNode, node: WorkflowNode) =>
	workflowOf('Retry', [items, node], { Start: ['Items'], Items: ['Gateway'] });

async function run(workflow: WorkflowJson, credential = environment.credential): Promise<Execution> {
	const { client } = environment;
	const { id } = await client.createWorkflow(withCredential(workflow, credential));
	return await waitForExecution(client, await client.runManually(id, manualTrigger(workflow)));
}

/** *Retry* with the original workflow, or with another one that is saved first. */
async function retry({ id, workflowId }: Execution, saved?: WorkflowJson): Promise<Execution> {
	const { client, credential } = environment;
	if (saved) await client.updateWorkflow(workflowId, withCredential(saved, credential));
	return await client.readExecution(await client.retryExecution(id, saved !== undefined));
}

const runsOf = ({ data }: Execution, node = 'Gateway') => data.resultData.runData[node] ?? [];
const outputs = (execution: Execution, node?: string): INodeExecutionData[] =>
	runsOf(execution, node).at(-1)?.data?.['main']?.[0] ?? [];
const taskIds = (execution: Execution, node?: string) =>
	outputs(execution, node).map(({ json }) => json['taskId']);
const files = (execution: Execution, node?: string) =>
	outputs(execution, node).map(({ binary = {} }) => Object.keys(binary));
const hints = (execution: Execution) =>
	runsOf(execution).flatMap((entry) => (entry.hints ?? []).map(({ message }) => message));

/** The error as the user reads it. */
function errorOf({ data }: Execution): string {
	const { message = '', description } = data.resultData.error ?? {};
	return `${message}\n${description ?? ''}`;
}

it('of ten texts, the tenth is refused: the error says what nine cost, and a retry pays for one', async () => {
	const list = Array.from({ length: 10 }, (_, n) => `[[say:text ${n}]]`);
	control().addFault({
		match: { path: '/chat/completions', nth: 10 },
		action: { kind: 'error', code: 'invalid_request' },
	});
	const failed = await run(behind(prompts(...list), text));
	expect(ledger()).toHaveLength(9);
	const before = spent();
	expect(errorOf(failed)).toContain(
		`9 other items cost ${rubles(before ?? '')}. To get their results, use 'Retry'`,
	);
	const retried = await retry(failed);
	expect(outputs(retried).map(({ json }) => json['text'])).toStrictEqual(list.map((_, n) => `text ${n}`));
	expect(ledger()).toHaveLength(10);
	const now = spent(9);
	expect(hints(retried)).toStrictEqual([
		`Cost: ${rubles(now ?? '')} (execution so far: ${rubles(now ?? '')}; in the execution before: ${rubles(before ?? '')})`,
	]);
});

describe('a picture that is paid for cannot be downloaded', () => {
	async function failedDownload() {
		control().addFault({
			match: { host: 'files' },
			action: { kind: 'raw', status: 404, body: 'html' },
			times: 0,
		});
		const failed = await run(behind(prompts('a cat'), picture()));
		expect(errorOf(failed)).toContain(`Task ${tasks()[0]?.taskId} is paid for`);
		control().clearFaults();
		return failed;
	}

	it('a retry downloads it, and pays nothing', async () => {
		const retried = await retry(await failedDownload());
		expect(ledger()).toHaveLength(1);
		expect(taskIds(retried)).toStrictEqual(ids());
		expect(files(retried)).toStrictEqual([['data']]);
	});

	it('a retry with the saved workflow makes a new one, if the prompt was corrected', async () => {
		const failed = await failedDownload();
		const retried = await retry(failed, behind(prompts('a cat'), picture({ prompt: '=a red cat' })));
		expect(tasks().map(({ input }) => input['prompt'])).toStrictEqual(['a cat', 'a red cat']);
		expect(taskIds(retried)).toStrictEqual(ids().slice(1));
		expect(files(retried)).toStrictEqual([['data']]);
	});
});

it('an AI Agent that asks twice for the same picture pays once, and is told so', async () => {
	const ran = await run(
		clusterOf('Agent', [start, agent('Draw a lighthouse [[rounds:2]]')], [model(), mediaTool]),
	);
	const tool = runsOf(ran, mediaTool[1].name).map(({ data }) => JSON.stringify(data?.['ai_tool']));
	expect(tool).toHaveLength(2);
	expect(tasks()).toHaveLength(1);
	for (const output of tool) expect(output).toContain(tasks()[0]?.resultUrls[0]);
	expect(tool[0]).not.toContain('same task as before');
	expect(tool[1]).toContain('same task as before');
});
