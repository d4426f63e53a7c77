import { sumOfCosts } from '../../nodes/shared/gateway/util/money';
import type { LedgerEntry, RequestRecord, TaskView } from '../../sandbox/gateway/gateway';
import { waitForExecution } from '../../sandbox/n8n/executions';
import type { WorkflowNode } from '../../sandbox/n8n/types';
import { agent, model, start, writerTool } from './support/agents';
import { useEnvironment, type Environment } from './support/environment';
import { eventually } from './support/eventually';
import { connectMcp, type McpClient } from './support/mcp';
import { mediaTool } from './support/tools';
import { byId, clusterOf, gatewayNode, type Service } from './support/workflows';

// Two executions, a retry of a retry and an MCP client at the same time: n8n shows the costs that stand in the gateway's book.

let environment: Environment;
useEnvironment((started) => (environment = started), {
	settings: { taskDuration: { image: 0, audio: 10_000_000 } },
});
let mcp: McpClient | undefined;
afterAll(async () => await mcp?.close());

const options = { maxCostRub: 300 };
const media = (name: string, parameters: Record<string, unknown>) =>
	gatewayNode(name, 'mediaTask', { inputMode: 'json', downloadResults: false, options, ...parameters });
const row = (path: string) => `={{ $('Rows').item.json.${path} }}`;
/** Three rows: two are equal, and the sound of the third takes until the test ends it. */
const rows: WorkflowNode = {
	name: 'Rows',
	type: 'n8n-nodes-base.code',
	typeVersion: 2,
	parameters: {
		jsCode: `const of = 'of #' + $execution.id + '#';
			const cat = { model: 'aurora/canvas-1', input: { prompt: 'a cat ' + of, quality: 'draft' } };
			const purr = { model: 'voxa/speech-1', input: { text: 'Purr ' + of } };
			const card = { prompt: 'a card ' + of, quality: 'high' };
			const key = (n) => 'anna.' + n + ' ' + of + '@mail.example';
			return [cat, cat, purr].map((row, n) => ({ json: { ...row, card, of, key: key(n) } }));`,
	},
};
const write = gatewayNode('Write', 'textGeneration', {
	model: byId('sandbox/swift-1'),
	prompt: row('of'),
	options,
});
const order = media('Order', {
	operation: 'create',
	model: byId('aurora/canvas-1'),
	inputJson: row('card'),
	options: { ...options, idempotencyKey: row('key') },
});
const draw = media('Draw', {
	operation: 'createAndWait',
	model: byId(row('model')),
	inputJson: row('input'),
});
const wait = media('Wait', { operation: 'wait', taskId: "={{ $('Order').item.json.taskId }}", options: {} });
/** All items at once, which ask for the same. */
const batching = { batchSize: 3, delayBetweenBatches: 0 };
const asking = {
	...agent("={{ 'Call all tools for a poster ' + $('Rows').item.json.of }}", { options: { batching } }),
	typeVersion: 2.2,
};
const services = [model(), writerTool, mediaTool].map(([as, node]): [Service, WorkflowNode] => [
	as,
	{ ...node, parameters: { ...node.parameters, options } },
]);
const workflow = clusterOf('Ledger', [start, rows, write, order, draw, wait, asking], services);
/** The nodes of the package that send calls, as far as they run. */
const nodes = ['Write', 'Order', 'Draw', 'Model', 'Writer', mediaTool[1].name];
const trigger: WorkflowNode = {
	name: 'MCP',
	type: '@n8n/n8n-nodes-langchain.mcpTrigger',
	typeVersion: 2,
	webhookId: 'ledger',
	parameters: { authentication: 'none', path: 'ledger' },
};

const isOrder = ({ idempotencyKey = '' }: LedgerEntry) => idempotencyKey.endsWith('@mail.example');
/** What n8n has to show for these entries. The cost of a task with a user's key, and of a failed one, is unknown. */
function shownFor(entries: LedgerEntry[]) {
	const tasks = environment.gateway.control.tasks().filter(({ state }) => state === 'fail');
	const failed = new Set<string | undefined>(tasks.map(({ taskId }) => taskId));
	const known = entries.filter((entry) => !isOrder(entry) && !failed.has(entry.taskId));
	return {
		gatewayCostRub: sumOfCosts(...known.map(({ amount }) => amount)),
		gatewayCalls: String(entries.length),
		gatewayCallsWithoutCost: String(entries.length - known.length),
	};
}

/** The entries of calls that contain a text. */
function bookOf(text: string): LedgerEntry[] {
	const { control } = environment.gateway;
	const sent = control.requests().filter(({ body }) => JSON.stringify(body.json ?? null).includes(text));
	return control.ledger().filter(({ requestId }) => sent.some(({ id }) => id === requestId));
}

/**
 * Checks what n8n has stored of an execution, in its custom data and at its nodes, against the book.
 *
 * @param of a text in all of its calls, and in those of the executions before it
 * @param before how many those are
 * @param ran how many of {@link nodes} have run
 * @returns how many calls there are now
 */
async function check(id: string, status: string, of: string, before: number, ran: number): Promise<number> {
	const { data, shown } = await eventually(async () => {
		const { data, ...execution } = await waitForExecution(environment.client, id);
		const shown = shownFor(bookOf(of).slice(before));
		expect([execution.status, execution.customData]).toStrictEqual([status, shown]);
		return { data, shown };
	}, 5_000);
	const contexts = Object.entries(data.executionData?.contextData ?? {});
	const costs = contexts.flatMap(([key, { gateway }]) =>
		gateway ? [{ key, gateway: gateway as unknown }] : [],
	);
	const gateway: unknown = expect.objectContaining({
		costRub: Number(shown.gatewayCostRub),
		calls: Number(shown.gatewayCalls),
		callsWithoutCost: Number(shown.gatewayCallsWithoutCost),
	});
	const expected = nodes.slice(0, ran).map((name) => ({ key: `node:${name}`, gateway }));
	expect(new Set(costs)).toStrictEqual(new Set(expected));
	// A user's key is for the gateway.
	expect(JSON.stringify(contexts)).not.toContain('mail.example');
	return bookOf(of).length;
}

test('each execution shows its own part of the book, and nothing is paid twice', async () => {
	const { client, gateway } = environment;
	const { control } = gateway;
	const tools = await environment.publish(clusterOf('MCP', [trigger], [mediaTool]));
	const connected = await eventually(async () => await connectMcp(`${client.url}/mcp/ledger`));
	mcp = connected;
	const [tool] = (await connected.listTools()).tools;
	const ask = async (Prompt: string) => {
		const input = { Model: 'aurora/canvas-1', Prompt, Quality: 'draft', Number_of_Images: 1 };
		const { content } = await connected.callTool({ name: tool?.name ?? '', arguments: input });
		return content.map(({ text }) => text).join('');
	};
	/** Ends the sound that has not ended. */
	const endSound = async (of: string, outcome: 'success' | object = 'success') => {
		const isOf = ({ input, endTime }: TaskView) => endTime === null && String(input.text).includes(of);
		const { taskId } = await eventually(() => {
			const found = control.tasks().find(isOf);
			if (!found) throw new Error(`There is no sound ${of}`);
			return found;
		});
		await control.finishTask(taskId, outcome as 'success');
	};

	// Both executions and the MCP client are in the middle of a call.
	const held = control.hold({ method: 'POST', path: '*' });
	const { id: workflowId } = await environment.store(workflow);
	const one = await client.runManually(workflowId, 'Start');
	const other = await client.runManually(workflowId, 'Start');
	const first = ask('An MCP mill');
	await eventually(() => expect(held.requests.length).toBe(7));
	const [ofOne, ofOther] = [`of #${one}#`, `of #${other}#`];
	const key = `anna.2 ${ofOther}@mail.example`;
	const which = ({ headers }: RequestRecord) => headers['idempotency-key'] === key;
	control.addFault({ match: { which }, action: { kind: 'error', code: 'invalid_input' } });
	held.release();
	expect(await first).not.toContain('same task');

	// Its order is refused, then its sound fails; the other execution waits for its own sound all the time.
	const paid = await check(other, 'error', ofOther, 0, 2);
	const retrying = client.retryExecution(other);
	await endSound(ofOther, { failCode: 'MODERATION', failMsg: 'No' });
	const retry = await retrying;
	const more = await check(retry, 'error', ofOther, paid, 3);
	const retryingAgain = client.retryExecution(retry);
	await endSound(ofOther);
	const all = await check(await retryingAgain, 'success', ofOther, more, 6);
	expect(await ask('An MCP mill')).toContain('same task as before');
	expect(bookOf('An MCP mill')).toHaveLength(1);
	expect(await ask('[[fail:MODERATION]] an MCP mine')).toContain('MODERATION');
	expect(await ask('[[fail:MODERATION]] an MCP mine')).toContain('MODERATION');
	expect(bookOf('an MCP mine')).toHaveLength(2);

	await endSound(ofOne);
	// Texts, orders, and pictures with the sound, of three rows; those of the agent: answers, texts, and one picture for all.
	const calls = 3 + 3 + 3 + (6 + 3 + 1);
	expect(await check(one, 'success', ofOne, 0, 6)).toBe(calls);
	expect([paid, more, all]).toStrictEqual([3 + 2, 3 + 3 + 3, calls + 1]);

	const book = control.ledger();
	expect(book).toHaveLength(calls + all + 3);
	const total = shownFor(book);
	await eventually(async () => {
		const lists = [await client.listExecutions(workflowId), await client.listExecutions(tools.id)].flat();
		const executions = await Promise.all(lists.map(async ({ id }) => await client.readExecution(id)));
		// Two with two retries, and four calls of the client.
		expect(executions).toHaveLength(8);
		const sumOf = (name: string) =>
			sumOfCosts(...executions.map(({ customData }) => customData?.[name] ?? ''));
		expect(Object.keys(total).map(sumOf)).toStrictEqual(Object.values(total));
	});
});
