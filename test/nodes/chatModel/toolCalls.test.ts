import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';

import { callOf, modelWith, streamed, streamOf, whole, type LangChainModel } from './support';

const go = [new HumanMessage('Go')];
const inOnePiece = (calls: object[]) => whole({ content: null, tool_calls: calls }, 'tool_calls');
const inPieces = (calls: object[]) => streamOf({ tool_calls: calls });

describe.each<[string, (calls: object[]) => string, (lc: LangChainModel) => Promise<AIMessage>]>([
	['whole', inOnePiece, async (lc) => await lc.invoke(go)],
	['streamed', inPieces, streamed],
])('tool calls in a response that comes %s', (_, response, ask) => {
	const callsOf = async (calls: object[]) => (await ask(modelWith(response(calls)).lc)).tool_calls ?? [];

	it('stay apart when they have the same id', async () => {
		const calls = await callsOf([callOf('x', 'one', '{"n":0}', 0), callOf('x', 'two', '{"n":1}', 1)]);
		expect(calls).toMatchObject([
			{ id: 'x', name: 'one', args: { n: 0 } },
			{ name: 'two', args: { n: 1 } },
		]);
		expect(calls[1]?.id).toMatch(/^call_[0-9a-f]{32}$/);
	});

	it('get an id when they have none', async () => {
		const calls = await callsOf([callOf('', 'one', '{}', 0), callOf('', 'two', '{}', 1)]);
		expect(calls.map(({ name }) => name)).toStrictEqual(['one', 'two']);
		expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
	});
});

test('tool calls in a stream have indices of their own next to the text, by which LangChain’s events distinguish them', async () => {
	const calls = [callOf('a', 'one', '{"n":0}', 0), callOf('b', 'two', '{"n":1}', 1)];
	const { lc } = modelWith(streamOf({ content: 'H' }, { content: 'm' }, { tool_calls: calls }));
	const message = await lc.streamEvents(go, {});
	expect(message.text).toBe('Hm');
	expect(message.tool_calls).toMatchObject([
		{ id: 'a', name: 'one', args: { n: 0 } },
		{ id: 'b', name: 'two', args: { n: 1 } },
	]);
});

test.each<
	[string, (calls: object[]) => string, (lc: LangChainModel, messages: BaseMessage[]) => Promise<AIMessage>]
>([
	['whole', inOnePiece, async (lc, messages) => await lc.invoke(messages)],
	['streamed', inPieces, streamed],
])('a tool call with the id of an earlier one gets a new id: %s', async (_, response, ask) => {
	const earlier = [
		new HumanMessage('Go'),
		new AIMessage({ content: '', tool_calls: [{ id: 'call_0', name: 'one', args: {} }] }),
		new ToolMessage({ tool_call_id: 'call_0', content: '1' }),
	];
	const calls = [callOf('call_0', 'two', '{}'), callOf('call_1', 'two', '{}', 1)];
	const { tool_calls: made } = await ask(modelWith(response(calls)).lc, earlier);
	expect(made).toMatchObject([{ name: 'two' }, { id: 'call_1', name: 'two' }]);
	expect(made?.[0]?.id).not.toBe('call_0');
});
