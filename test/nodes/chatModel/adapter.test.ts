import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import type { Message, StreamChunk } from '@n8n/ai-node-sdk';
import { z } from 'zod';

import { callOf, modelWith, streamed, streamOf, whole } from './support';

const calls = ['a', 'b'].map((id, index) => callOf(id, `tool_${id}`, `{"n":${index}}`, index));

describe('a LangChain call', () => {
	it('sends options, extra fields, tools written with zod and the choice among them', async () => {
		const { lc, requests } = modelWith(whole({ content: 'Hi' }));
		const tool = {
			name: 'search',
			description: 'Searches',
			schema: z.object({ query: z.string() }),
			invoke: () => '',
		};
		await lc.bindTools([tool], { tool_choice: 'any' }).invoke([new HumanMessage('Hello')], { stop: ['END'] });
		expect(requests()).toMatchObject([
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

	it('sends pictures and files in the shape that n8n’s messages have', async () => {
		const { lc, requests } = modelWith(whole({ content: 'A cat' }));
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
		expect(requests()[0]?.messages).toStrictEqual([
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
		const { lc, requests } = modelWith(whole({ content: 'Done' }));
		await lc.invoke([
			new HumanMessage('Go'),
			new AIMessage({ content: [], tool_calls: [{ id: 'a', name: 'tool_a', args: { n: 0 } }] }),
			new ToolMessage({ tool_call_id: 'a', content: '[1]' }),
		]);
		expect(requests()[0]?.messages).toMatchObject([
			{ role: 'user' },
			{ role: 'assistant', content: null, tool_calls: [{ id: 'a', function: { arguments: '{"n":0}' } }] },
			{ role: 'tool', tool_call_id: 'a', content: '[1]' },
		]);
	});

	it('returns parallel tool calls', async () => {
		const { lc } = modelWith(whole({ content: null, tool_calls: calls }, 'tool_calls'));
		const response = await lc.invoke([new HumanMessage('Go')]);
		expect(response.tool_calls).toMatchObject([
			{ id: 'a', name: 'tool_a', args: { n: 0 } },
			{ id: 'b', name: 'tool_b', args: { n: 1 } },
		]);
	});

	it('returns parallel tool calls whose arguments are streamed in chunks', async () => {
		const chunks = calls.flatMap((call) => [
			{ tool_calls: [{ ...call, function: { name: call.function.name, arguments: '{"n"' } }] },
			{ tool_calls: [{ index: call.index, function: { arguments: `:${call.index}}` } }] },
		]);
		const { lc } = modelWith(streamOf({ content: 'Hm' }, ...chunks));
		const all = await streamed(lc);
		expect(all.text).toBe('Hm');
		expect(all.tool_calls).toMatchObject([
			{ id: 'a', name: 'tool_a', args: { n: 0 } },
			{ id: 'b', name: 'tool_b', args: { n: 1 } },
		]);
	});
});

describe('text is a string, not a list of blocks', () => {
	it('in a response', async () => {
		const response = await modelWith(whole({ content: '{"a":1}' })).lc.invoke([new HumanMessage('Go')]);
		expect(response.content).toBe('{"a":1}');
	});

	it('in a response with a tool call', async () => {
		const { lc } = modelWith(whole({ content: null, tool_calls: calls }, 'tool_calls'));
		expect((await lc.invoke([new HumanMessage('Go')])).content).toBe('');
	});

	it('in each chunk of a stream, and in all of them together', async () => {
		const { lc } = modelWith(streamOf({ content: '{"title":' }, { content: '"Rivers"}' }));
		for await (const { content } of await lc.stream([new HumanMessage('Go')])) {
			expect(typeof content).toBe('string');
		}
		const again = modelWith(streamOf({ content: '{"title":' }, { content: '"Rivers"}' }));
		expect((await streamed(again.lc)).content).toBe('{"title":"Rivers"}');
	});
});

describe('the tools of a model that has tools already', () => {
	const tool = (name: string, description: string) => ({
		name,
		description,
		schema: z.object({}),
		invoke: () => '',
	});
	const sent = async (first: unknown[], second: unknown[]) => {
		const { lc, requests } = modelWith(whole({ content: 'Hi' }));
		await lc
			.bindTools(first, { tool_choice: 'any' })
			.bindTools(second)
			.invoke([new HumanMessage('Go')]);
		const [body] = requests();
		const tools = body?.tools as Array<{ function: { name: string; description: string } }>;
		return { choice: body?.tool_choice, tools: tools.map((each) => each.function) };
	};

	it('are sent once when an agent binds them again to force a call', async () =>
		expect(
			await sent([tool('a', 'old'), tool('b', 'old')], [tool('a', 'new'), tool('b', 'new')]),
		).toMatchObject({
			choice: 'required',
			tools: [
				{ name: 'a', description: 'new' },
				{ name: 'b', description: 'new' },
			],
		}));

	it('are sent together with others', async () =>
		expect((await sent([tool('a', '')], [tool('b', '')])).tools).toMatchObject([
			{ name: 'a' },
			{ name: 'b' },
		]));
});

it('does not send a tool choice without tools', async () => {
	const { lc, requests } = modelWith(whole({ content: 'Hi' }));
	await lc.bindTools([], { tool_choice: 'any' }).invoke([new HumanMessage('Go')]);
	expect(requests()).toStrictEqual([
		{ model: 'm', temperature: 0.5, user: 'me', messages: [{ role: 'user', content: 'Go' }] },
	]);
});

it('lets the SDK call the model without settings', async () => {
	const question: Message[] = [{ role: 'user', content: [{ type: 'text', text: 'Go' }] }];
	const { message } = await modelWith(whole({ content: 'Hi' })).model.generate(question);
	expect(message.content).toStrictEqual([{ type: 'text', text: 'Hi' }]);
	const chunks: StreamChunk[] = [];
	for await (const chunk of modelWith(streamOf({ content: 'Hi' })).model.stream(question)) chunks.push(chunk);
	expect(chunks).toStrictEqual([
		{ type: 'text-delta', delta: 'Hi' },
		{
			type: 'finish',
			finishReason: 'stop',
			usage: { promptTokens: 5, completionTokens: 7, totalTokens: 12 },
		},
	]);
});
