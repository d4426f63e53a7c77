import { AIMessage, HumanMessage, ToolMessage, type AIMessageChunk } from '@langchain/core/messages';
import type { ISupplyDataFunctions } from 'n8n-workflow';
import { z } from 'zod';

import { completed, toolChoice, type Adapter } from '../../../nodes/ChatModel/adapter';
import { GatewayChatModel } from '../../../nodes/ChatModel/model';
import { loadSdk } from '../../../nodes/ChatModel/sdk';
import { textFormat } from '../../../nodes/shared/gateway/formats';
import type { JsonObject } from '../../../nodes/shared/gateway/json';
import { scriptedClient } from '../../helpers/client';

// Our model behind n8n's SDK, with the LangChain that n8n's agents speak.

interface LangChainModel {
	invoke(messages: unknown[], options?: object): Promise<AIMessage>;
	stream(messages: unknown[]): Promise<AsyncIterable<AIMessageChunk>>;
	bindTools(tools: unknown[], settings?: object): LangChainModel;
}

/** The model with a gateway that answers with `body`; what n8n's log of the execution gets, and what is asked. */
function modelWith(body: string) {
	const { client, sent } = scriptedClient([{ body, headers: { 'content-type': contentType(body) } }]);
	const logged: JsonObject[] = [];
	const context = {
		getNode: () => ({ name: 'Model' }),
		getNextRunIndex: () => 0,
		addInputData: () => ({ index: 0 }),
		addOutputData: (_type: string, _index: number, data: Array<Array<{ json: JsonObject }>>) =>
			logged.push(data[0]?.[0]?.json ?? {}),
		logAiEvent: () => undefined,
		logger: { debug: () => undefined },
	} as unknown as ISupplyDataFunctions;
	const format = textFormat('chat');
	if (!format) throw new Error('there is no such format');
	const sdk = loadSdk();
	const model = new GatewayChatModel(
		{ format, model: 'm', options: { temperature: 0.5 }, extraBody: { user: 'me' } },
		{
			client,
			jsonSchema: sdk.getParametersJsonSchema,
			explained: (error) => Promise.resolve(error instanceof Error ? error : new Error(String(error))),
		},
	);
	const lc = completed(sdk.supplyModel(context, model).response) as LangChainModel;
	return {
		lc,
		logged,
		asked: () => sent.map((exchange) => JSON.parse(exchange.body as string) as JsonObject),
	};
}

const contentType = (body: string) => (body.startsWith('{') ? 'application/json' : 'text/event-stream');
const usage = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12, cost_rub: 0.5 };
const calls = ['a', 'b'].map((id, index) => ({
	index,
	id,
	type: 'function',
	function: { name: `tool_${id}`, arguments: `{"n":${index}}` },
}));
const whole = (message: object, finish_reason = 'stop') =>
	JSON.stringify({ id: 'c1', model: 'm', choices: [{ index: 0, message, finish_reason }], usage });
const streamOf = (...deltas: object[]) =>
	[
		...deltas.map((delta) => JSON.stringify({ id: 'c1', choices: [{ index: 0, delta }] })),
		JSON.stringify({ id: 'c1', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
		JSON.stringify({ id: 'c1', choices: [], usage }),
		'[DONE]',
	]
		.map((data) => `data: ${data}\n\n`)
		.join('');

describe('asked by LangChain', () => {
	it('sends options, extra fields, tools written with zod and the choice among them', async () => {
		const { lc, asked } = modelWith(whole({ content: 'Hi' }));
		const tool = {
			name: 'search',
			description: 'Searches',
			schema: z.object({ query: z.string() }),
			invoke: () => '',
		};
		await lc.bindTools([tool], { tool_choice: 'any' }).invoke([new HumanMessage('Hello')], { stop: ['END'] });
		expect(asked()).toMatchObject([
			{
				model: 'm',
				temperature: 0.5,
				user: 'me',
				stop: ['END'],
				messages: [{ role: 'user', content: 'Hello' }],
				tool_choice: 'required',
				tools: [
					{
						type: 'function',
						function: {
							name: 'search',
							description: 'Searches',
							parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
						},
					},
				],
			},
		]);
	});

	it('sends pictures and files as n8n puts them into messages', async () => {
		const { lc, asked } = modelWith(whole({ content: 'A cat' }));
		const message = new HumanMessage({
			content: [
				{ type: 'text', text: 'What is this?' },
				{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw==' } },
				{ type: 'image_url', image_url: 'https://x.test/cat.jpg' },
				{
					type: 'file',
					source_type: 'base64',
					mime_type: 'application/pdf',
					data: 'JVBERg==',
					metadata: { filename: 'a.pdf' },
				},
			],
		});
		await lc.invoke([message]);
		expect(asked()[0]?.messages).toEqual([
			{
				role: 'user',
				content: [
					{ type: 'text', text: 'What is this?' },
					{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw==' } },
					{ type: 'image_url', image_url: { url: 'https://x.test/cat.jpg' } },
					{ type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERg==' } },
				],
			},
		]);
		expect(message.content).toHaveLength(4);
	});

	it('sends the steps of an agent', async () => {
		const { lc, asked } = modelWith(whole({ content: 'Done' }));
		await lc.invoke([
			new HumanMessage('Go'),
			new AIMessage({ content: [], tool_calls: [{ id: 'a', name: 'tool_a', args: { n: 0 } }] }),
			new ToolMessage({ tool_call_id: 'a', content: '[1]' }),
		]);
		expect(asked()[0]?.messages).toMatchObject([
			{ role: 'user' },
			{ role: 'assistant', content: null, tool_calls: [{ id: 'a', function: { arguments: '{"n":0}' } }] },
			{ role: 'tool', tool_call_id: 'a', content: '[1]' },
		]);
	});

	it('gives parallel calls of tools', async () => {
		const { lc } = modelWith(whole({ content: null, tool_calls: calls }, 'tool_calls'));
		const answer = await lc.invoke([new HumanMessage('Go')]);
		expect(answer.tool_calls).toMatchObject([
			{ id: 'a', name: 'tool_a', args: { n: 0 } },
			{ id: 'b', name: 'tool_b', args: { n: 1 } },
		]);
	});

	it('gives parallel calls whose arguments are streamed in pieces', async () => {
		const pieces = calls.flatMap((call) => [
			{ tool_calls: [{ ...call, function: { name: call.function.name, arguments: '{"n"' } }] },
			{ tool_calls: [{ index: call.index, function: { arguments: `:${call.index}}` } }] },
		]);
		const { lc } = modelWith(streamOf({ content: 'Hm' }, ...pieces));
		let all: AIMessageChunk | undefined;
		for await (const chunk of await lc.stream([new HumanMessage('Go')])) {
			all = all ? all.concat(chunk) : chunk;
		}
		expect(all?.text).toBe('Hm');
		expect(all?.tool_calls).toMatchObject([
			{ id: 'a', name: 'tool_a', args: { n: 0 } },
			{ id: 'b', name: 'tool_b', args: { n: 1 } },
		]);
	});

	test.each([
		['whole', whole({ content: 'Hi', reasoning: 'A greeting' })],
		['streamed', streamOf({ reasoning: 'A greeting' }, { content: 'H' }, { content: 'i' })],
	])('logs tokens, cost and thoughts of an answer that comes %s', async (way, body) => {
		const { lc, logged } = modelWith(body);
		if (way === 'whole') await lc.invoke([new HumanMessage('Hello')]);
		else for await (const chunk of await lc.stream([new HumanMessage('Hello')])) expect(chunk).toBeDefined();
		expect(logged).toMatchObject([
			{
				response: {
					generations: [
						[
							{
								text: 'Hi',
								generationInfo: { finish_reason: 'stop', costRub: 0.5, reasoning: 'A greeting' },
							},
						],
					],
				},
				tokenUsage: { promptTokens: 5, completionTokens: 7, totalTokens: 12, costRub: 0.5 },
			},
		]);
	});
});

test('an SDK without what is completed here is left as it is', () => {
	const bare: Adapter = {};
	expect(completed(bare)).toBe(bare);
	expect(bare).toEqual({});
});

test.each([
	['any', 'required'],
	['auto', 'auto'],
	[undefined, undefined],
	['search', { name: 'search' }],
	[{ type: 'function', function: { name: 'search' } }, { name: 'search' }],
	[{ type: 'tool', name: 'search' }, { name: 'search' }],
])('the choice of tools %j is %j', (given, meant) => expect(toolChoice(given)).toEqual(meant));
