import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';

import type { JsonObject } from '../../../nodes/shared/gateway/json';
import { modelWith, whole } from './support';

// Messages as other nodes and models write them, on their way through n8n's SDK to the chat format.

async function sent(...messages: BaseMessage[]): Promise<JsonObject[]> {
	const { lc, asked } = modelWith(whole({ content: 'Hi' }));
	await lc.invoke(messages);
	return asked()[0]?.messages as JsonObject[];
}

/** The part of the body that comes from this part of a message. */
async function sentPart(part: object | string): Promise<unknown> {
	const content = [{ type: 'text', text: 'q' }, part] as HumanMessage['content'];
	const [message] = await sent(new HumanMessage({ content }));
	if (typeof message?.content === 'string') return message.content;
	return (message?.content as unknown[])[1];
}

const image = (url: string) => ({ type: 'image_url', image_url: { url } });
const png = image('data:image/png;base64,iVBORw==');
const pdf = (filename: string) => ({
	type: 'file',
	file: { filename, file_data: 'data:application/pdf;base64,JVBERg==' },
});
const wav = { type: 'input_audio', input_audio: { data: 'UklG', format: 'wav' } };

describe('parts of messages', () => {
	test.each<[string, object | string, unknown]>([
		['image_url', png, png],
		['input_image', { type: 'input_image', image_url: 'https://x.test/a' }, image('https://x.test/a')],
		['image without a type', { type: 'image', url: 'https://x.test/a' }, image('https://x.test/a')],
		[
			'former image',
			{ type: 'image', source_type: 'url', url: 'https://x.test/a' },
			image('https://x.test/a'),
		],
		['image of bytes without a type', { type: 'image', data: 'iVBORw==' }, png],
		[
			'Anthropic’s image',
			{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw==' } },
			png,
		],
		[
			'Anthropic’s image at an address',
			{ type: 'image', source: { type: 'url', url: 'https://x.test/a' } },
			image('https://x.test/a'),
		],
		['input_audio', wav, wav],
		[
			'input_audio in MP3',
			{ type: 'input_audio', input_audio: { data: 'SUQz', format: 'mp3' } },
			{ type: 'input_audio', input_audio: { data: 'SUQz', format: 'mp3' } },
		],
		['OpenAI’s file', pdf('a.pdf'), pdf('a.pdf')],
		['input_file', { type: 'input_file', ...pdf('a.pdf').file }, pdf('a.pdf')],
		[
			'input_file in plain base64',
			{ type: 'input_file', filename: 'a.pdf', file_data: 'JVBERg==' },
			pdf('a.pdf'),
		],
		[
			'document',
			{
				type: 'document',
				title: 'a.pdf',
				source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERg==' },
			},
			pdf('a.pdf'),
		],
		['document of text', { type: 'document', source: { type: 'text', data: 'long' } }, 'q\nlong'],
		['text-plain', { type: 'text-plain', mimeType: 'text/plain', text: 'long' }, 'q\nlong'],
		['former text file', { type: 'file', source_type: 'text', text: 'long' }, 'q\nlong'],
		['a mere string', 'long', 'q\nlong'],
	])('%s', async (_, part, expected) => expect(await sentPart(part)).toStrictEqual(expected));

	test.each<[string, object]>([
		['a file at another provider', { type: 'file', fileId: 'f_1', mimeType: 'application/pdf' }],
		['OpenAI’s file by its id', { type: 'file', file: { file_id: 'f_1' } }],
		['a picture by its id', { type: 'input_image', file_id: 'f_1' }],
		['an empty file', { type: 'file', mimeType: 'application/pdf', data: '' }],
	])(
		'%s is refused before anything is sent',
		async (_, part) => await expect(sentPart(part)).rejects.toThrow('holds a file without content'),
	);
});

describe('calls that stand in the text of a message', () => {
	const made = { id: 'a', name: 't', args: { x: 1 } };
	const wire = { id: 'a', type: 'function', function: { name: 't', arguments: '{"x":1}' } };
	const result = new ToolMessage({ tool_call_id: 'a', content: 'r' });
	const callsIn = async (message: AIMessage) =>
		(await sent(new HumanMessage('q'), message, result))[1]?.tool_calls;

	it('as LangChain’s parts, beside the calls themselves, are sent once', async () => {
		const content = [
			{ type: 'text', text: 'x' },
			{ type: 'tool_call', ...made },
		];
		expect(await callsIn(new AIMessage({ content, tool_calls: [made] }))).toStrictEqual([wire]);
	});

	it('as Anthropic’s parts are calls', async () => {
		const content = [{ type: 'tool_use', id: 'a', name: 't', input: { x: 1 } }];
		expect(await callsIn(new AIMessage({ content }))).toStrictEqual([wire]);
		const unread = [{ type: 'tool_use', id: 'a', name: 't', input: '' }];
		expect(await callsIn(new AIMessage({ content: unread, tool_calls: [made] }))).toStrictEqual([wire]);
	});
});

describe('the result of a tool', () => {
	const call = new AIMessage({ content: '', tool_calls: [{ id: 'a', name: 't', args: {} }] });
	const resultOf = async (content: unknown) => {
		const result = new ToolMessage({ tool_call_id: 'a', content: content as ToolMessage['content'] });
		return (await sent(new HumanMessage('q'), call, result))[2]?.content;
	};

	test.each<[string, unknown, string]>([
		['text', 'text', 'text'],
		[
			'texts',
			[
				{ type: 'text', text: 'a' },
				{ type: 'text', text: 'b' },
			],
			'a\nb',
		],
		['JSON', [{ type: 'json', json: { a: 1 } }], '{"type":"json","json":{"a":1}}'],
		[
			'a resource beside text',
			[
				{ type: 'resource', resource: { text: 'abc' } },
				{ type: 'text', text: 'hi' },
			],
			'{"type":"resource","resource":{"text":"abc"}}\nhi',
		],
		[
			'a picture',
			[image('https://x.test/a.png')],
			'{"type":"image_url","image_url":{"url":"https://x.test/a.png"}}',
		],
		['nothing', '', ''],
	])('%s', async (_, content, expected) => expect(await resultOf(content)).toBe(expected));

	it('does not bring the bytes of files, which would be paid for as text', async () =>
		expect(await resultOf([image(`data:image/png;base64,${'A'.repeat(5_000)}`)])).toBe(
			'{"type":"image_url","image_url":{"url":"(a file, left out)"}}',
		));
});
