import { HumanMessage } from '@langchain/core/messages';
import type { ChatModel } from '@n8n/ai-node-sdk';
import { z } from 'zod';

import { callOf, modelWith, streamed, streamOf, whole } from './support';

const calls = ['a', 'b'].map((id, index) => callOf(id, `tool_${id}`, `{"n":${index}}`, index));

describe('the tokens of a text, by which chains split it,', () => {
	const fetched = jest.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('no connection'));
	afterAll(() => fetched.mockRestore());

	it.each<[unknown, number]>([
		['', 0],
		['four', 1],
		['five!', 2],
		['четыре', 3],
		['文字文字', 3],
		[[{ type: 'text', text: 'four' }, { type: 'image_url', image_url: { url: 'data:' } }, 'more'], 2],
		[[null, { type: 'text' }], 0],
	])('are counted without a request: %j', async (content, tokens) => {
		const { lc } = modelWith(whole({ content: 'Hi' }));
		expect(await lc.getNumTokens(content)).toBe(tokens);
		expect(await lc.bindTools([]).getNumTokens(content)).toBe(tokens);
		expect(fetched).not.toHaveBeenCalled();
	});
});

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

it.each<[string, unknown, unknown]>([
	['any', 'any', 'required'],
	['auto', 'auto', 'auto'],
	['none', 'none', 'none'],
	['nothing', undefined, undefined],
	['an empty text', '', undefined],
	['a name', 'search', { type: 'function', function: { name: 'search' } }],
	[
		'a function',
		{ type: 'function', function: { name: 'search' } },
		{ type: 'function', function: { name: 'search' } },
	],
	['a tool', { type: 'tool', name: 'search' }, { type: 'function', function: { name: 'search' } }],
	['an object without a name', { type: 'auto' }, undefined],
])('understands LangChain’s choice of tools: %s', async (_, choice, wire) => {
	const { lc, requests } = modelWith(whole({ content: 'Hi' }));
	const tool = { name: 'search', description: '', schema: z.object({}), invoke: () => '' };
	await lc.bindTools([tool], { tool_choice: choice }).invoke([new HumanMessage('Go')]);
	expect(requests()[0]?.tool_choice).toStrictEqual(wire);
});

it('has no conversation when it is not called through LangChain', async () => {
	const { lc, requests } = modelWith(whole({ content: 'Hi' }));
	const { chatModel } = lc as unknown as { chatModel: ChatModel };
	await expect(chatModel.generate([])).rejects.toThrow('has no messages');
	expect(() => chatModel.stream([])).toThrow('has no messages');
	expect(requests()).toStrictEqual([]);
});
