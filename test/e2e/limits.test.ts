import { resultOf, waitForExecution } from '../../sandbox/n8n/executions';
import type { WorkflowJson, WorkflowNode } from '../../sandbox/n8n/types';
import { manualTrigger, withCredential } from '../../sandbox/n8n/workflows';
import { agent, model, start } from './support/agents';
import { useEnvironment, type Environment } from './support/environment';
import { byId, clusterOf, gatewayNode, itemsNode, workflowOf, type Service } from './support/workflows';

// *Max Cost per Execution* and *Fallback Models* on the real n8n, where several calls are in progress at a time.

let environment: Environment;
useEnvironment((started) => (environment = started));
beforeEach(async () => await control().reset());

const control = () => environment.gateway.control;
const ledger = () => control().ledger();
const spent = () => ledger().reduce((sum, { amount }) => sum + Number(amount), 0);

/** Runs a workflow. Also returns the hints of a node. */
async function run(workflow: WorkflowJson, node: string) {
	const { client, credential } = environment;
	const { id } = await client.createWorkflow(withCredential(workflow, credential));
	const execution = await waitForExecution(client, await client.runManually(id, manualTrigger(workflow)));
	const result = resultOf(execution);
	const outputs = result.nodes[node]?.items.map(({ json }) => json) ?? [];
	const hints = (execution.data.resultData.runData[node] ?? []).flatMap((one) => one.hints ?? []);
	return { ...result, outputs, hints: hints.map(({ message }) => message).join('\n') };
}

const behind = (items: WorkflowNode, node: WorkflowNode) =>
	workflowOf('Limits', [items, node], { Start: ['Items'], Items: ['Gateway'] });
const questions = (count: number) =>
	itemsNode(
		'Items',
		Array.from({ length: count }, (_, n) => ({ prompt: `[[say:text ${n}]]` })),
	);
const text = (options: object, parameters: Record<string, unknown> = {}) =>
	gatewayNode('Gateway', 'textGeneration', {
		model: byId('sandbox/balanced-2'),
		prompt: '={{ $json.prompt }}',
		...parameters,
		options,
	});

test('twelve texts at a limit with room for three at a time are all answered within it', async () => {
	const { outputs: dry } = await run(behind(questions(1), text({ maxTokens: 100, dryRun: true })), 'Gateway');
	const maxCostRub = 3 * Number(dry[0]?.['maxCostRub']);
	const { error, outputs } = await run(
		behind(questions(12), text({ maxTokens: 100, maxCostRub })),
		'Gateway',
	);
	expect(error).toBeUndefined();
	expect(outputs.map((json) => json['text'])).toStrictEqual(
		Array.from({ length: 12 }, (_, n) => `text ${n}`),
	);
	expect(ledger()).toHaveLength(12);
	expect(spent()).toBeLessThanOrEqual(maxCostRub);
});

test('pictures are described within a limit that their context windows would exceed', async () => {
	const pictures = {
		...itemsNode('Items', []),
		parameters: {
			jsCode: `return await Promise.all(Array.from({ length: 5 }, async () => ({ json: {}, binary: { data: await this.helpers.prepareBinaryData(Buffer.alloc(20000, 1), 'photo.png', 'image/png') } })));`,
		},
	};
	const maxCostRub = 25;
	const describe = text({ maxCostRub }, { resource: 'image', operation: 'analyze', prompt: 'What is it?' });
	const { error, outputs } = await run(behind(pictures, describe), 'Gateway');
	expect(error).toBeUndefined();
	expect(outputs).toHaveLength(5);
	expect(spent()).toBeLessThanOrEqual(maxCostRub);
});

test('of two tools that an agent calls at a time, the one without a limit counts for the other', async () => {
	const tool = (name: string, parameters: Record<string, unknown>): [Service, WorkflowNode] => [
		'ai_tool',
		gatewayNode(name, 'mediaTaskTool', {
			descriptionType: 'manual',
			toolDescription: name,
			operation: 'createAndWait',
			inputMode: 'json',
			...parameters,
		}),
	];
	const video = { prompt: 'waves', duration: 5, resolution: '480p' };
	const picture = { prompt: 'waves', quality: 'draft', size: '512x512' };
	control().configure({ taskDuration: { image: 0, video: 0 } });
	control().addFault({
		match: { method: 'POST', path: '/async/media/tasks', nth: 1 },
		action: { kind: 'delay', ms: 1_000 },
	});
	const services = [
		model(),
		tool('Video', { model: byId('lumen/motion-2'), inputJson: JSON.stringify(video) }),
		tool('Picture', {
			model: byId('aurora/canvas-1'),
			inputJson: JSON.stringify(picture),
			options: { maxCostRub: 7 },
		}),
	];
	const asking = { ...agent('Call all the tools'), typeVersion: 2 };
	const { error, outputs } = await run(clusterOf('Limits', [start, asking], services), 'Agent');
	expect(error).toBeUndefined();
	expect(ledger().flatMap(({ kind, model: id }) => (kind === 'media' ? id : []))).toStrictEqual([
		'lumen/motion-2',
	]);
	expect(JSON.stringify(outputs)).toContain("'Max Cost per Execution (₽)'");
});

test('a fallback model answers within 5 s when the first one is above its rate limit', async () => {
	const [first, second] = ['sandbox/balanced-2', 'sandbox/swift-1'];
	control().addFault({
		match: { method: 'POST', model: first },
		action: { kind: 'error', code: 'rate_limit_exceeded' },
		times: 0,
	});
	const { error, outputs, hints } = await run(
		behind(questions(3), text({ fallbackModels: [second] })),
		'Gateway',
	);
	expect(error).toBeUndefined();
	expect(outputs.map(({ model: id, fallbackFrom }) => [id, fallbackFrom])).toStrictEqual(
		Array(3).fill([second, [first]]),
	);
	const calls = control().requests({ method: 'POST', path: '/chat/completions' });
	const answered = calls.filter(({ body }) => body.model === second);
	const started = Math.min(...calls.map(({ startedAt }) => startedAt));
	expect(Math.min(...answered.map(({ startedAt }) => startedAt)) - started).toBeLessThan(5_000);
	expect(hints).toContain('3 items were answered by a fallback model.');
});
