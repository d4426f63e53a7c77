import type { Message } from '@n8n/ai-node-sdk';

import { toTurns } from '../../../nodes/ChatModel/messages';
import { textFormat } from '../../../nodes/shared/gateway/formats';

function thrownBy(work: () => unknown): unknown {
	try {
		work();
	} catch (error) {
		return error;
	}
	return undefined;
}

const user = (...content: Message['content']): Message => ({ role: 'user', content });
const text = (said: string) => ({ type: 'text' as const, text: said });

/** A run of an agent: two tools called at once, their results, and the next question. */
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

function bodyOf(name: string, messages: Message[]) {
	const format = textFormat(name);
	return format.toBody({
		model: 'm',
		conversation: { kind: 'turns', turns: toTurns(messages, format) },
		tools: [],
		output: { kind: 'text' },
		options: {},
		stream: false,
	});
}

describe('the conversation of an agent in each format', () => {
	it('chat: calls stand in the message of the assistant, results are messages', () =>
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

	it('responses: calls and results are items', () =>
		expect(bodyOf('responses', run)).toMatchObject({
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

	it('messages: results of calls that were made together are one message', () =>
		expect(bodyOf('messages', run)).toMatchObject({
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

	it('an assistant that only called tools has said nothing', () => {
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

describe('messages: what is empty is not sent, because models of this format refuse empty text', () => {
	const picture = { type: 'file' as const, mediaType: 'image/png', data: 'iVBORw==' };
	const assistant = (...content: Message['content']): Message => ({ role: 'assistant', content });

	it('a picture without words', () =>
		expect(bodyOf('messages', [user(picture)]).messages).toStrictEqual([
			{
				role: 'user',
				content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw==' } }],
			},
		]));

	it('an answer without words, and a message of blanks', () =>
		expect(
			bodyOf('messages', [user(text('Hello')), assistant(text('')), user(text(' \n')), user(text('Again'))])
				.messages,
		).toStrictEqual([
			{ role: 'user', content: 'Hello' },
			{ role: 'user', content: 'Again' },
		]));

	it('a conversation of nothing is refused before it is sent', () =>
		expect(() => bodyOf('messages', [user(text(''))])).toThrow('There is no message of the user'));
});

describe('files in messages', () => {
	const png = { type: 'file' as const, mediaType: 'image/png', data: 'iVBORw==' };

	it('go along as the parts of the format', () => {
		expect(bodyOf('chat', [user(text('What is this?'), png)]).messages).toStrictEqual([
			{
				role: 'user',
				content: [
					{ type: 'text', text: 'What is this?' },
					{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw==' } },
				],
			},
		]);
		expect(bodyOf('responses', [user(png)]).input).toStrictEqual([
			{ role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,iVBORw==' }] },
		]);
	});

	it('may be given by an address, or as a data URL', () => {
		const at = (url: string) => ({ ...png, mediaType: 'image/*', data: '', providerMetadata: { url } });
		const parts = [at('https://x.test/a.png'), at('data:image/gif;base64,R0lG')];
		expect(toTurns([user(...parts)], textFormat('chat'))).toMatchObject([
			{
				attachments: [
					{ kind: 'image', source: { url: 'https://x.test/a.png' } },
					{ kind: 'image', source: { base64: 'R0lG', mimeType: 'image/gif' } },
				],
			},
		]);
	});

	it('have the type that their name says where they say none', () => {
		const pdf = { type: 'file' as const, data: 'JVBERg==', providerMetadata: { filename: 'a.pdf' } };
		expect(toTurns([user(pdf)], textFormat('chat'))).toMatchObject([
			{ attachments: [{ kind: 'file', source: { mimeType: 'application/pdf', fileName: 'a.pdf' } }] },
		]);
	});

	it('of a kind that the format has no part for are refused before anything is sent', () => {
		const video = { type: 'file' as const, mediaType: 'video/mp4', data: 'AAAA' };
		expect(() => toTurns([user(video)], textFormat('responses'))).toThrow('cannot take this video');
		const sound = {
			type: 'file' as const,
			mediaType: 'audio/mpeg',
			data: '',
			providerMetadata: { url: 'https://x.test/a.mp3' },
		};
		expect(() => toTurns([user(sound)], textFormat('chat'))).toThrow('cannot take this audio');
	});

	it.each(['data:image/png;base64,no base64!', 'data:image/svg+xml,<svg/>'])(
		'that are no base64 are refused in words that fit a message: %s',
		(url) => {
			const picture = {
				type: 'file' as const,
				mediaType: 'image/png',
				data: '',
				providerMetadata: { url },
			};
			const refusal = thrownBy(() => toTurns([user(picture)], textFormat('chat')));
			expect(refusal).toMatchObject({
				message: 'A message to the Gateway Chat Model holds a file that is not base64',
				description: expect.not.stringContaining('Upload Source') as string,
			});
		},
	);
});
