import type { FaultAction } from '../../sandbox/gateway/gateway';
import { agent, model, start } from './support/agents';
import { useEnvironment, type Environment } from './support/environment';
import { byId, clusterOf, gatewayNode, itemsNode, workflowOf } from './support/workflows';

// What was paid for arrives in n8n, in the frames and words of other gateways: the text node, an AI Agent and a task.

let environment: Environment;
useEnvironment((started) => (environment = started));
beforeEach(async () => await environment.gateway.control.reset());

const respond = (path: string, text: string, contentType = 'application/json') => {
	const action: FaultAction = { kind: 'raw', status: 200, body: { text, contentType } };
	environment.gateway.control.addFault({ match: { path }, action, times: 0 });
};
const completion = (message: object) => ({
	id: 'c1',
	choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
	usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7, cost_rub: 0.5 },
});

const write = (parameters: Record<string, unknown> = {}) =>
	gatewayNode('Write', 'textGeneration', { model: byId('sandbox/swift-1'), prompt: 'Hello', ...parameters });
const both = clusterOf('Both', [start, write(), agent('Hello')], [model()]);

const WHOLE = JSON.stringify(completion({ content: 'Hi there' }));
const EVENTS = [
	{ id: 'c1', choices: [{ index: 0, delta: { content: 'Hi ' } }] },
	{ id: 'c1', choices: [{ index: 0, delta: { content: 'there' }, finish_reason: 'stop' }] },
	{ id: 'c1', choices: [], usage: { cost_rub: 0.5 } },
].map((event) => `data: ${JSON.stringify(event)}\n\n`);

test.each([
	['events although none were asked for', EVENTS.join(''), 'text/event-stream'],
	['JSON and an end mark, as events', `${WHOLE}\n\ndata: [DONE]\n\n`, 'text/event-stream'],
	['a comment before JSON', `: PROCESSING\n\n${WHOLE}`, 'application/json'],
	['JSON as plain text', WHOLE, 'text/plain'],
])('%s: a node and an agent have the text', async (_, body, contentType) => {
	respond('/chat/completions', body, contentType);
	const { status, nodes } = await environment.runWorkflow(both);
	expect(status).toBe('success');
	expect(nodes.Write?.items[0]?.json).toMatchObject({ text: 'Hi there', costRub: 0.5 });
	expect(nodes.Agent?.items[0]?.json.output).toBe('Hi there');
});

test('a response of nothing but reasoning has a hint at the node, and is an error of the agent that shows it', async () => {
	const reasoning = 'They greet me. Answer: Moscow.';
	respond('/chat/completions', JSON.stringify(completion({ content: null, reasoning })));
	const { nodes, error, executionId } = await environment.runWorkflow(both);
	expect(nodes.Write?.items[0]?.json).toMatchObject({ text: '', reasoning, costRub: 0.5 });
	expect(await environment.readExecutionRaw(executionId)).toContain('it has no text, only reasoning');
	expect(JSON.stringify(error)).toContain(reasoning);
});

test.each([
	['Result: {"tag":"</think>","n":1}', { tag: '</think>', n: 1 }],
	['As [1] says: {"tag":"a","n":2}', { tag: 'a', n: 2 }],
])('JSON beside words is the output: %s', async (content, output) => {
	respond('/chat/completions', JSON.stringify(completion({ content })));
	const fields = {
		field: [
			{ name: 'tag', type: 'text' },
			{ name: 'n', type: 'number' },
		],
	};
	const { nodes } = await environment.runWorkflow(
		workflowOf('JSON', [write({ outputFormat: 'jsonFields', fields })], { Start: ['Write'] }),
	);
	expect(nodes.Write?.items[0]?.json.output).toStrictEqual(output);
});

test('a task that the gateway calls succeeded is not polled any more', async () => {
	const resultJson = JSON.stringify({ resultUrls: ['https://files.test/a.png'] });
	const task = { taskId: 't1', model: 'aurora/canvas-1', state: 'succeeded', resultJson };
	respond('/async/media/tasks/*', JSON.stringify({ code: 200, msg: 'success', data: task }));
	const draw = gatewayNode('Draw', 'mediaTask', {
		resource: 'image',
		operation: 'generate',
		model: byId('aurora/canvas-1'),
		inputMode: 'json',
		inputJson: '{ "prompt": "a cat", "quality": "draft", "size": "512x512" }',
		downloadResults: false,
	});
	const { nodes } = await environment.runWorkflow(workflowOf('Task', [draw], { Start: ['Draw'] }));
	expect(nodes.Draw?.items[0]?.json).toMatchObject({
		state: 'success',
		resultUrls: ['https://files.test/a.png'],
	});
});

test('rows that n8n makes from an expression are refused before anything is sent', async () => {
	const items = itemsNode('Files', [{ files: 'photo' }]);
	const attachments = { attachment: "={{ $('Files').item.json.files }}" };
	const { error } = await environment.runWorkflow(
		workflowOf('Rows', [items, write({ attachments })], { Start: ['Files'], Files: ['Write'] }),
	);
	expect(error?.message).toContain("'Attachments'");
	expect(environment.gateway.control.requests({ method: 'POST' })).toStrictEqual([]);
});
