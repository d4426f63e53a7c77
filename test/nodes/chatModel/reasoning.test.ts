import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';

import { keptReasoning, toChatMessages } from '../../../nodes/ChatModel/messages';
import { callOf, modelWith, streamed, streamOf, whole } from './support';

// Reasoning that goes back to the model with the results of its tool calls. How the formats send it is in
// contract/returnedReasoning.

const kept = {
	source: 'chat m',
	id: 'one',
	text: '',
	parts: [{ reasoning: 'Hm' }],
};
const storedAs = (value: unknown) => ({ reasoning_content: JSON.stringify({ aiGatewayReasoning: value }) });
const called = (id: string, more: object = {}, content = '') =>
	new AIMessage({
		content,
		tool_calls: [{ id, name: 'f', args: {} }],
		additional_kwargs: storedAs({ ...kept, ...more }),
	});
const result = (id: string) => new ToolMessage({ tool_call_id: id, content: 'x' });
const go = new HumanMessage('Go');
const sent = (...messages: BaseMessage[]) => toChatMessages([go, ...messages], 'chat m').slice(1);

describe('what agents keep', () => {
	it.each([
		['its text', storedAs(kept)],
		['its text, parsed', { reasoning_content: { aiGatewayReasoning: kept } }],
	])('is read from %s', (_, stored) => expect(keptReasoning(stored)).toStrictEqual(kept));

	it.each([
		['the reasoning of another model', { reasoning_content: 'I think' }],
		['other JSON', { reasoning_content: '{"source":"chat m","id":"one"}' }],
		['an incomplete record', storedAs({ source: 'chat m' })],
		['another one', storedAs({ id: 'one' })],
		['nothing', undefined],
	])('%s is not read', (_, value) => expect(keptReasoning(value)).toBeUndefined());
});

describe('a message', () => {
	it('goes back with its reasoning', () =>
		expect(sent(called('a'), result('a'))[0]).toStrictEqual({
			role: 'assistant',
			text: '',
			attachments: [],
			toolCalls: [{ id: 'a', name: 'f', arguments: '{}' }],
			reasoning: kept.parts,
		}));

	it.each<[string, BaseMessage[]]>([
		['of another format or model', [called('a', { source: 'responses m' })]],
		['of an earlier message of the user', [called('a'), result('a'), new HumanMessage('And?')]],
	])('goes back without reasoning %s', (_, messages) =>
		expect(sent(...messages)[0]).toMatchObject({ reasoning: [] }),
	);

	it('has the text of its completion, which n8n does not keep, once', () => {
		expect(sent(called('a', { text: 'Let me see' }))).toMatchObject([{ text: 'Let me see' }]);
		expect(sent(called('a', { text: 'Let me see' }, 'Let me see'))).toMatchObject([{ text: 'Let me see' }]);
	});

	it('has all tool calls of its completion before their results', () => {
		const messages = [
			called('a'),
			result('a'),
			called('b'),
			result('b'),
			called('c', { id: 'two' }),
			result('c'),
		];
		expect(
			sent(...messages).map((message) =>
				message.role === 'tool' ? message.callId : message.toolCalls?.map(({ id }) => id),
			),
		).toStrictEqual([['a', 'b'], 'a', 'b', ['c'], 'c']);
		expect(messages[0]).toMatchObject({ tool_calls: [{ id: 'a' }] });
	});
});

describe('a completion', () => {
	const reply = { reasoning: 'Hm', content: null, tool_calls: [callOf('a', 'f', '{}')] };

	it.each([
		['whole', whole(reply, 'tool_calls'), async (lc: Lc) => await lc.invoke([go])],
		[
			'streamed',
			streamOf({ reasoning: 'H' }, { reasoning: 'm' }, { tool_calls: reply.tool_calls }),
			streamed,
		],
	])('that calls tools gives its reasoning to the agent (%s)', async (_, body, ask) => {
		const message = await ask(modelWith(body).lc);
		expect(keptReasoning(message.additional_kwargs)).toStrictEqual({
			...kept,
			id: expect.any(String) as string,
		});
	});

	it.each([
		['calls no tools', { ...reply, tool_calls: [], content: 'Hi' }],
		['has no reasoning', { ...reply, reasoning: null }],
	])('that %s gives nothing', async (_, message) => {
		const response = await modelWith(whole(message)).lc.invoke([go]);
		expect(response.additional_kwargs).toStrictEqual({});
	});
});

type Lc = ReturnType<typeof modelWith>['lc'];
