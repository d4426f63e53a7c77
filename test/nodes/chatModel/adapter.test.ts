import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import type { Message, StreamChunk } from '@n8n/ai-node-sdk';
import { z } from 'zod';

import { callOf, modelWith, streamed, streamOf, whole } from './support';

const calls = ['a', 'b'].map((id, index) => callOf(id, `tool_${id}`, `{"n":${index}}`, index));

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
		expect(asked()[0]?.messages).toStrictEqual([
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
		const all = await streamed(lc);
		expect(all.text).toBe('Hm');
		expect(all.tool_calls).toMatchObject([
			{ id: 'a', name: 'tool_a', args: { n: 0 } },
			{ id: 'b', name: 'tool_b', args: { n: 1 } },
		]);
	});
});

describe('text is a string, of which n8n’s parsers and LangChain make no blocks', () => {
	it('in a whole answer', async () => {
		const answer = await modelWith(whole({ content: '{"a":1}' })).lc.invoke([new HumanMessage('Go')]);
		expect(answer.content).toBe('{"a":1}');
	});

	it('in an answer that calls a tool', async () => {
		const { lc } = modelWith(whole({ content: null, tool_calls: calls }, 'tool_calls'));
		expect((await lc.invoke([new HumanMessage('Go')])).content).toBe('');
	});

	it('in each piece of a stream, and in all of it', async () => {
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
		const { lc, asked } = modelWith(whole({ content: 'Hi' }));
		await lc
			.bindTools(first, { tool_choice: 'any' })
			.bindTools(second)
			.invoke([new HumanMessage('Go')]);
		const [body] = asked();
		const tools = body?.tools as Array<{ function: { name: string; description: string } }>;
		return { choice: body?.tool_choice, tools: tools.map((each) => each.function) };
	};

	it('are sent once when they are given again, as an agent does that forces a call', async () =>
		expect(
			await sent([tool('a', 'old'), tool('b', 'old')], [tool('a', 'new'), tool('b', 'new')]),
		).toMatchObject({
			choice: 'required',
			tools: [
				{ name: 'a', description: 'new' },
				{ name: 'b', description: 'new' },
			],
		}));

	it('are joined by others', async () =>
		expect((await sent([tool('a', '')], [tool('b', '')])).tools).toMatchObject([
			{ name: 'a' },
			{ name: 'b' },
		]));
});

it('a choice of tools is not sent without tools', async () => {
	const { lc, asked } = modelWith(whole({ content: 'Hi' }));
	await lc.bindTools([], { tool_choice: 'any' }).invoke([new HumanMessage('Go')]);
	expect(asked()).toStrictEqual([
		{ model: 'm', temperature: 0.5, user: 'me', messages: [{ role: 'user', content: 'Go' }] },
	]);
});

it('the SDK may ask the model without settings', async () => {
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
