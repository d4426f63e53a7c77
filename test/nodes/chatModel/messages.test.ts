import type { Message } from '@n8n/ai-node-sdk';

import { callIds, toChatMessages } from '../../../nodes/ChatModel/messages';
import { textFormat } from '../../../nodes/shared/gateway/text/formats';
import { assistant, bodyOf, system, text, tool, toolCall, toolResult, user } from './conversations';

/** A run of an agent: two parallel tool calls, their results, and the next prompt. */
const run: Message[] = [
	{ role: 'system', content: [text('Be brief')] },
	user(text('Weather and time?')),
	{
		role: 'assistant',
		content: [
			text('One '),
			text('moment'),
			{ type: 'reasoning', text: 'both tools' },
			{ type: 'tool-call', toolCallId: 'a', toolName: 'weather', input: '{"city":"Omsk"}' },
			{ type: 'tool-call', toolCallId: 'b', toolName: 'time', input: '{}' },
		],
	},
	{ role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a', result: '[{"t":3}]' }] },
	{ role: 'tool', content: [{ type: 'tool-result', toolCallId: 'b', result: [text('12:00'), text('UTC')] }] },
];

describe('the conversation of an agent in each format', () => {
	it('chat: tool calls are in the assistant’s message, results are messages', () =>
		expect(bodyOf('chat', run).messages).toStrictEqual([
			{ role: 'system', content: 'Be brief' },
			{ role: 'user', content: 'Weather and time?' },
			{
				role: 'assistant',
				content: 'One moment',
				tool_calls: [
					{ id: 'a', type: 'function', function: { name: 'weather', arguments: '{"city":"Omsk"}' } },
					{ id: 'b', type: 'function', function: { name: 'time', arguments: '{}' } },
				],
			},
			{ role: 'tool', tool_call_id: 'a', content: '[{"t":3}]' },
			{ role: 'tool', tool_call_id: 'b', content: '12:00\nUTC' },
		]));

	it('responses: tool calls and results are items', () =>
		expect(bodyOf('responses', run)).toStrictEqual({
			model: 'm',
			instructions: 'Be brief',
			input: [
				{ role: 'user', content: 'Weather and time?' },
				{ role: 'assistant', content: 'One moment' },
				{ type: 'function_call', call_id: 'a', name: 'weather', arguments: '{"city":"Omsk"}' },
				{ type: 'function_call', call_id: 'b', name: 'time', arguments: '{}' },
				{ type: 'function_call_output', call_id: 'a', output: '[{"t":3}]' },
				{ type: 'function_call_output', call_id: 'b', output: '12:00\nUTC' },
			],
		}));

	it('messages: results of parallel tool calls are one message', () =>
		expect(bodyOf('messages', run)).toStrictEqual({
			model: 'm',
			max_tokens: 4096,
			system: 'Be brief',
			messages: [
				{ role: 'user', content: 'Weather and time?' },
				{
					role: 'assistant',
					content: [
						{ type: 'text', text: 'One moment' },
						{ type: 'tool_use', id: 'a', name: 'weather', input: { city: 'Omsk' } },
						{ type: 'tool_use', id: 'b', name: 'time', input: {} },
					],
				},
				{
					role: 'user',
					content: [
						{ type: 'tool_result', tool_use_id: 'a', content: '[{"t":3}]' },
						{ type: 'tool_result', tool_use_id: 'b', content: '12:00\nUTC' },
					],
				},
			],
		}));

	it('an assistant’s message with only tool calls has no text', () => {
		const silent: Message = {
			role: 'assistant',
			content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'time', input: '{}' }],
		};
		expect(bodyOf('chat', [user(text('?')), silent]).messages).toMatchObject([{}, { content: null }]);
		expect(bodyOf('responses', [user(text('?')), silent]).input).toMatchObject([
			{},
			{ type: 'function_call' },
		]);
	});
});

describe('messages: empty text is not sent, because models of this format reject it', () => {
	const picture = { type: 'file' as const, mediaType: 'image/png', data: 'iVBORw==' };

	it('a picture without text', () =>
		expect(bodyOf('messages', [user(picture)]).messages).toStrictEqual([
			{
				role: 'user',
				content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw==' } }],
			},
		]));

	it('a response without text, and a message of blanks', () =>
		expect(
			bodyOf('messages', [user(text('Hello')), assistant(text('')), user(text(' \n')), user(text('Again'))])
				.messages,
		).toStrictEqual([
			{ role: 'user', content: 'Hello' },
			{ role: 'user', content: 'Again' },
		]));
});

describe('conversations that formats do not accept as they are', () => {
	const later = [user(text('One')), assistant(text('Two')), system(text('Be brief')), user(text('Three'))];

	it.each<[string, object]>([
		[
			'chat',
			{
				messages: [
					{ role: 'user', content: 'One' },
					{ role: 'assistant', content: 'Two' },
					{ role: 'system', content: 'Be brief' },
					{ role: 'user', content: 'Three' },
				],
			},
		],
		[
			'responses',
			{
				input: [
					{ role: 'user', content: 'One' },
					{ role: 'assistant', content: 'Two' },
					{ role: 'system', content: 'Be brief' },
					{ role: 'user', content: 'Three' },
				],
			},
		],
		[
			'messages',
			{
				max_tokens: 4096,
				system: 'Be brief',
				messages: [
					{ role: 'user', content: 'One' },
					{ role: 'assistant', content: 'Two' },
					{ role: 'user', content: 'Three' },
				],
			},
		],
	])('%s: a system message in the middle keeps its place if the format allows it', (format, body) =>
		expect(bodyOf(format, later)).toStrictEqual({ model: 'm', ...body }),
	);

	it('several system messages are all sent', () => {
		const two = [system(text('A')), system(text('B'), text('C')), user(text('Go'))];
		expect(bodyOf('chat', two).messages).toStrictEqual([
			{ role: 'system', content: 'A' },
			{ role: 'system', content: 'B\nC' },
			{ role: 'user', content: 'Go' },
		]);
		expect(bodyOf('messages', two).system).toBe('A\n\nB\nC');
	});

	it.each<[string, unknown]>([
		['chat', { role: 'tool', tool_call_id: 'lost', content: '1' }],
		['responses', { type: 'function_call_output', call_id: 'lost', output: '1' }],
		['messages', { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'lost', content: '1' }] }],
	])('%s: the result of a tool call that the memory has dropped is sent', (format, sent) => {
		const { messages, input } = bodyOf(format, [tool(toolResult('lost', '1')), user(text('Go'))]);
		expect(messages ?? input).toStrictEqual([sent, { role: 'user', content: 'Go' }]);
	});

	it('two text parts of a user are two lines, those of a model one text', () =>
		expect(
			toChatMessages(
				[user(text('a'), text(''), text('b')), assistant(text('a'), text('b'))],
				textFormat('chat'),
			),
		).toStrictEqual([
			{ role: 'user', text: 'a\nb' },
			{ role: 'assistant', text: 'ab' },
		]));

	it('a message without parts is an empty text', () =>
		expect(toChatMessages([user(), assistant(), system()], textFormat('chat'))).toStrictEqual([
			{ role: 'user', text: '' },
			{ role: 'assistant', text: '' },
			{ role: 'system', text: '' },
		]));

	it('parts that no format supports are left out', () => {
		const parts = [
			{ type: 'reasoning' as const, text: 'hm' },
			{ type: 'provider' as const, value: { a: 1 } },
			text('Hi'),
		];
		expect(toChatMessages([assistant(...parts), tool(text('no result'))], textFormat('chat'))).toStrictEqual([
			{ role: 'assistant', text: 'Hi' },
		]);
	});
});

describe('tool calls', () => {
	it('are sent once when a message has them twice, with the last input', () =>
		expect(
			toChatMessages(
				[assistant(toolCall('a', 't', ''), toolCall('b', 't', '{}'), toolCall('a', 't', '{"x":1}'))],
				textFormat('chat'),
			),
		).toStrictEqual([
			{
				role: 'assistant',
				text: '',
				toolCalls: [
					{ id: 'a', name: 't', arguments: '{"x":1}' },
					{ id: 'b', name: 't', arguments: '{}' },
				],
			},
		]));

	it('are all sent when they have no ids', () => {
		const message = assistant(toolCall(undefined, 'one', '{}'), toolCall(undefined, 'two', '{}'));
		expect(toChatMessages([message], textFormat('chat'))).toStrictEqual([
			{
				role: 'assistant',
				text: '',
				toolCalls: [
					{ id: '', name: 'one', arguments: '{}' },
					{ id: '', name: 'two', arguments: '{}' },
				],
			},
		]);
	});

	it('have ids, as results do, that the next response must not repeat', () => {
		const messages = toChatMessages(
			[user(text('Go')), assistant(toolCall('a', 't', '{}')), tool(toolResult('b', ''))],
			textFormat('chat'),
		);
		expect(callIds(messages)).toStrictEqual(new Set(['a', 'b']));
	});

	it.each<[string, unknown, string]>([
		['text', 'text', 'text'],
		['parts of text', [text('a'), text('b')], 'a\nb'],
		['an object with null', { a: null, b: { c: null } }, '{"a":null,"b":{"c":null}}'],
		['an empty list', [], '[]'],
		['a list of other things', [text('a'), { a: 1 }], '[{"type":"text","text":"a"},{"a":1}]'],
		['a list of null', [null], '[null]'],
		['null', null, 'null'],
		['a number', 0, '0'],
		['nothing', undefined, ''],
	])('may return %s', (_, result, sent) =>
		expect(toChatMessages([tool(toolResult('a', result))], textFormat('chat'))).toStrictEqual([
			{ role: 'tool', callId: 'a', text: sent },
		]),
	);

	it('may have several results in one message', () =>
		expect(
			toChatMessages([tool(toolResult('a', '1'), toolResult('b', '2'))], textFormat('chat')),
		).toStrictEqual([
			{ role: 'tool', callId: 'a', text: '1' },
			{ role: 'tool', callId: 'b', text: '2' },
		]));
});
