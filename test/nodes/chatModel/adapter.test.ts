import { HumanMessage } from '@langchain/core/messages';
import { z } from 'zod';

import { modelWith, streamed, streamOf, whole } from './support';

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
});

describe('text is a string, not a list of blocks', () => {
	it('in a response', async () => {
		const response = await modelWith(whole({ content: '{"a":1}' })).lc.invoke([new HumanMessage('Go')]);
		expect(response.content).toBe('{"a":1}');
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
