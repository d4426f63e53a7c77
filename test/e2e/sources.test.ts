import type { WorkflowNode } from '../../sandbox/n8n/types';
import { agent, model, start, writerTool } from './support/agents';
import { useEnvironment, type Environment } from './support/environment';
import { talk, texts } from './support/streams';
import { byId, clusterOf, gatewayNode, workflowOf } from './support/workflows';

// Two parts of a response, or of a file, say different things: what a user of n8n has then, in a node and from an agent.

let environment: Environment;
useEnvironment((started) => (environment = started));
beforeEach(async () => await environment.gateway.control.reset());

type Format = 'chat' | 'responses' | 'messages';
const PATHS = { chat: '/chat/completions', responses: '/responses', messages: '/messages' };

const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7, cost: { total_cost: 0.5 } };
const cost = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7, cost_rub: 0.5 };
const chunk = (content: string, end: object = {}) => ({
	id: 'c1',
	choices: [{ index: 0, delta: { content }, ...end }],
});
const finish = [chunk('', { finish_reason: 'stop' }), { choices: [], usage: cost }];
const place = { output_index: 0, content_index: 0, item_id: 'm1' };
const completed = (...output: object[]) => ({
	type: 'response.completed',
	response: { id: 'r1', model: 'm', status: 'completed', output, usage },
});
const start1 = (id: string) => ({
	type: 'message_start',
	message: { id, type: 'message', role: 'assistant', model: 'm', content: [], usage: { input_tokens: 3 } },
});
const block = (text: string) => ({
	type: 'content_block_start',
	index: 0,
	content_block: { type: 'text', text },
});

const EMPTY_CLOSING = [
	{ type: 'response.created', response: { id: 'r1', status: 'in_progress', output: [] } },
	...['Paris ', 'is big.'].map((delta) => ({ type: 'response.output_text.delta', ...place, delta })),
	completed({ type: 'message', id: 'm1', role: 'assistant', content: [{ type: 'output_text', text: '' }] }),
];
const TWO_MESSAGES = [
	start1('a'),
	block('The total is 1'),
	start1('b'),
	block('The total is 42.'),
	{ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 4 } },
	{ type: 'message_stop' },
];
const THOUGHTS = [
	...['<th', 'ink>Hm, 6×7', '</think>', '\n\nIt is', ' 42.'].map((text) => chunk(text)),
	...finish,
];

/** The gateway responds to the next call in a format with these events. */
function respond(format: Format, events: object[]): void {
	const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
	environment.gateway.control.addFault({
		match: { method: 'POST', path: PATHS[format] },
		action: { kind: 'raw', status: 200, body: { text, contentType: 'text/event-stream' } },
	});
}

const generate = (parameters: object) =>
	gatewayNode(
		'Text',
		'textGeneration',
		{ model: byId('sandbox/balanced-2'), prompt: 'Hello', ...parameters },
		{ onError: 'continueRegularOutput' },
	);
const runText = async (parameters: object) => {
	const run = await environment.runWorkflow(
		workflowOf('Sources', [generate(parameters)], { Start: ['Text'] }),
	);
	return run.nodes.Text?.items[0]?.json ?? {};
};

const CASES: Array<[title: string, format: Format, events: object[], json: object, says: RegExp]> = [
	[
		'an empty text after its deltas',
		'responses',
		EMPTY_CLOSING,
		{ text: 'Paris is big.' },
		/^Paris is big\.$/,
	],
	[
		'a second message',
		'messages',
		TWO_MESSAGES,
		{ error: { code: 'second_response', receivedText: 'The total is 1' } },
		/^The total is 1\n.*The stream has two responses.*Received so far: “The total is 1”/s,
	],
	['thoughts in the text', 'chat', THOUGHTS, { text: 'It is 42.', reasoning: 'Hm, 6×7' }, /^It is 42\.$/],
];

test.each(CASES)('%s (%s): a node', async (_, format, events, json) => {
	respond(format, events);
	expect(await runText({ format, options: { stream: true } })).toMatchObject(json);
	expect(environment.gateway.control.requests({ path: PATHS[format] })).toHaveLength(1);
});

test.each(CASES)('%s (%s): an agent in a chat', async (_, format, events, _json, says) => {
	const say = await talk(environment, agent('={{ $json.chatInput }}'), [model({ format })]);
	respond(format, events);
	const chunks = await say('Hello');
	const errors = chunks.filter(({ type }) => type === 'error').map(({ content }) => content);
	expect([texts(chunks), ...errors].join('\n')).toMatch(says);
	expect(environment.gateway.control.requests({ path: PATHS[format] })).toHaveLength(1);
});

test('a tool runs with the arguments that were streamed, and not with the empty ones after them', async () => {
	const call = { type: 'function_call', id: 'f1', call_id: 'c1', name: 'Writer' };
	const args = '{"prompt":"[[say:About cats]]"}';
	respond('responses', [
		{ type: 'response.output_item.added', output_index: 0, item: { ...call, arguments: '' } },
		{ type: 'response.function_call_arguments.done', output_index: 0, item_id: 'f1', arguments: args },
		completed({ ...call, arguments: '' }),
	]);
	const chain = clusterOf(
		'Tool',
		[start, agent('Write about cats')],
		[model({ format: 'responses' }), writerTool],
	);
	await environment.execute(chain);
	const [written] = environment.gateway.control.requests({ path: PATHS.chat });
	expect(written?.body.json).toMatchObject({ messages: [{ role: 'user', content: '[[say:About cats]]' }] });
});

test.each([
	['Text', 'jsonObject', {}],
	['by an example', 'jsonExample', { jsonExample: '{"name":"Lamp"}' }],
])('a list that is cut off is an error with its text and cost: %s', async (_, outputFormat, parameters) => {
	const text = 'Items: [{"name":"A"},{"name":"B"';
	respond('chat', [chunk(text), ...finish]);
	const json = await runText({ outputFormat, ...parameters, options: { stream: true } });
	expect(json).toMatchObject({ error: { code: 'json_cut_off', text, costRub: 0.5 } });
});

/** The first bytes of an iPhone's live photo. */
const HEIC = Buffer.concat([
	Buffer.from([0, 0, 0, 24]),
	Buffer.from('ftyphevc\0\0\0\0mif1hevc', 'latin1'),
	Buffer.alloc(64),
]).toString('base64');
const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(64)]).toString('base64');

const file = (data: string, mimeType: string, fileName: string) => ({
	name: 'File',
	type: 'n8n-nodes-base.code',
	typeVersion: 2,
	parameters: {
		jsCode: `return [{ json: {}, binary: { data: ${JSON.stringify({ data, mimeType, fileName })} } }];`,
	},
});

test('a photo of an iPhone is a photo: in storage, and for a model', async () => {
	const upload = gatewayNode('Upload', 'storage', {
		resource: 'file',
		operation: 'upload',
		binaryPropertyName: 'data',
	});
	const look = gatewayNode('Look', 'textGeneration', {
		resource: 'image',
		operation: 'analyze',
		model: byId('sandbox/balanced-2'),
		binaryPropertyName: 'data',
	});
	const runBehind = async (node: WorkflowNode) =>
		await environment.runWorkflow(
			workflowOf('Photo', [file(HEIC, 'image/heic', 'live.heic'), node], {
				Start: ['File'],
				File: [node.name],
			}),
		);
	const { nodes } = await runBehind(upload);
	expect(nodes.Upload?.items[0]?.json).toMatchObject({ mimeType: 'image/heic' });
	await runBehind(look);
	const [sent] = environment.gateway.control.requests({ path: PATHS.chat });
	expect(JSON.stringify(sent?.body.json)).toContain('"image_url":{"url":"data:image/heic;base64,');
});

test('a picture is not sent to be transcribed: the error names the operation that takes it', async () => {
	const transcribe = gatewayNode(
		'Transcribe',
		'textGeneration',
		{
			resource: 'audio',
			operation: 'transcribe',
			model: byId('sandbox/balanced-2'),
			binaryPropertyName: 'data',
		},
		{ onError: 'continueRegularOutput' },
	);
	const run = await environment.runWorkflow(
		workflowOf('Wrong file', [file(PNG, 'image/png', 'photo.png'), transcribe], {
			Start: ['File'],
			File: ['Transcribe'],
		}),
	);
	expect(run.nodes.Transcribe?.items[0]?.json).toMatchObject({
		error: { description: expect.stringContaining('Analyze image') as string },
	});
	expect(environment.gateway.control.requests({ method: 'POST' })).toStrictEqual([]);
});
