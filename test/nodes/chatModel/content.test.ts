import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';

import { normalizeMessage } from '../../../nodes/ChatModel/content';
import { modelWith, sentMessages } from './support';

// Messages as other nodes and models write them, through n8n's SDK to the chat format.

/** The part of the request body for a part of a message. */
async function sentPart(part: object | string | number): Promise<unknown> {
	const content = [{ type: 'text', text: 'q' }, part] as HumanMessage['content'];
	const [message] = await sentMessages(new HumanMessage({ content }));
	if (typeof message?.content === 'string') return message.content;
	return (message?.content as unknown[])[1];
}

/** The part of the request body in a format that accepts URLs of files. */
async function sentPartOf(format: string, part: object): Promise<unknown> {
	const { lc, requests } = modelWith(responses[format] ?? '', { format });
	await lc.invoke([new HumanMessage({ content: [part] as HumanMessage['content'] })]);
	const { input, messages } = requests()[0] ?? {};
	const [message] = (input ?? messages) as Array<{ content: unknown[] }>;
	return message?.content[0];
}

const responses: Record<string, string> = {
	responses: JSON.stringify({ id: 'r', output: [{ type: 'message' }], status: 'completed' }),
	messages: JSON.stringify({ id: 'm', content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn' }),
};

const image = (url: string) => ({ type: 'image_url', image_url: { url } });
const png = image('data:image/png;base64,iVBORw==');
const pdf = (filename: string) => ({
	type: 'file',
	file: { filename, file_data: 'data:application/pdf;base64,JVBERg==' },
});
const wav = { type: 'input_audio', input_audio: { data: 'UklG', format: 'wav' } };

describe('parts of messages', () => {
	test.each<[string, object | string | number, unknown]>([
		['image_url', png, png],
		['input_image', { type: 'input_image', image_url: 'https://x.test/a' }, image('https://x.test/a')],
		['image without a type', { type: 'image', url: 'https://x.test/a' }, image('https://x.test/a')],
		[
			'image in the former shape',
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
		['a string', 'long', 'q\nlong'],
		['a number', 5, 'q'],
		['a text of null', { type: 'text', text: null }, 'q'],
		['a part of an unknown kind', { type: 'thing', text: 'long' }, 'q'],
		[
			'input_image in a data URL with an upper-case scheme',
			{ type: 'input_image', image_url: 'DATA:image/gif;base64,R0lGOD==' },
			image('data:image/gif;base64,R0lGOD=='),
		],
		[
			'video at a URL, without a type',
			{ type: 'video', url: 'https://x.test/a' },
			{ type: 'video_url', video_url: { url: 'https://x.test/a' } },
		],
		[
			'video of bytes',
			{ type: 'video', mime_type: 'video/mp4', data: 'AAAA' },
			{ type: 'video_url', video_url: { url: 'data:video/mp4;base64,AAAA' } },
		],
		['input_audio without a format', { type: 'input_audio', input_audio: { data: 'UklG' } }, wav],
		[
			'input_audio in an unknown format',
			{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'amr' } },
			{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'amr' } },
		],
		[
			'audio of bytes with a type',
			{ type: 'audio', mimeType: 'audio/mpeg', data: 'SUQz' },
			{ type: 'input_audio', input_audio: { data: 'SUQz', format: 'mp3' } },
		],
		[
			'audio of bytes without a type, which begin like a WebP picture',
			{ type: 'audio', data: 'UklGRg==' },
			{ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
		],
		[
			'file whose type follows from its name',
			{ type: 'file', data: 'JVBERg==', metadata: { filename: 'a.pdf' } },
			pdf('a.pdf'),
		],
		[
			'file in LangChain’s former shape',
			{ type: 'file', mime_type: 'application/pdf', data: 'JVBERg==', metadata: { filename: 'a.pdf' } },
			pdf('a.pdf'),
		],
		[
			'file with a type in either spelling',
			{
				type: 'file',
				mimeType: 'application/pdf',
				mime_type: 'text/plain',
				data: 'JVBERg==',
				metadata: { filename: 'a.pdf' },
			},
			pdf('a.pdf'),
		],
		['file without a name', { type: 'file', mimeType: 'application/pdf', data: 'JVBERg==' }, pdf('file.pdf')],
		[
			'text-plain of bytes',
			{ type: 'text-plain', data: 'YQ==', metadata: { filename: 'a.txt' } },
			{ type: 'file', file: { filename: 'a.txt', file_data: 'data:text/plain;base64,YQ==' } },
		],
		[
			'OpenAI’s file that is a picture',
			{ type: 'file', file: { file_data: 'data:image/png;base64,iVBORw==' } },
			png,
		],
		[
			'image_url at an address that holds the beginning of a data URL',
			image('https://x.test/a?data:video/mp4,'),
			image('https://x.test/a?data:video/mp4,'),
		],
		[
			'OpenAI’s file without a name, whose data URL says its type',
			{ type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERg==' } },
			pdf('file.pdf'),
		],
		[
			'document without a title',
			{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERg==' } },
			pdf('file.pdf'),
		],
	])('%s', async (_, part, expected) => expect(await sentPart(part)).toStrictEqual(expected));

	test.each([
		['jpeg', '/9j/4AA='],
		['gif', 'R0lGOD=='],
		['webp', 'UklGRg=='],
	])('an image of bytes without a type is %s by its first bytes', async (type, data) =>
		expect(await sentPart({ type: 'image', data })).toStrictEqual(image(`data:image/${type};base64,${data}`)),
	);

	test('an image of bytes that are of no known kind has the type image/*', async () =>
		expect(await sentPart({ type: 'image', data: 'AAAA' })).toStrictEqual(image('data:image/*;base64,AAAA')));

	test.each<[string, string, object, unknown]>([
		[
			'responses',
			'input_file at a URL',
			{ type: 'input_file', filename: 'a.pdf', file_url: 'https://x.test/a.pdf' },
			{ type: 'input_file', file_url: 'https://x.test/a.pdf' },
		],
		[
			'messages',
			'document at a URL',
			{ type: 'document', title: 'A', source: { type: 'url', url: 'https://x.test/a' } },
			{ type: 'document', source: { type: 'url', url: 'https://x.test/a' } },
		],
		[
			'messages',
			'image in Anthropic’s shape',
			{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw==' } },
			{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw==' } },
		],
		[
			'messages',
			'image at a URL in Anthropic’s shape',
			{ type: 'image', source: { type: 'url', url: 'https://x.test/a' } },
			{ type: 'image', source: { type: 'url', url: 'https://x.test/a' } },
		],
	])('%s: %s', async (format, _, part, expected) =>
		expect(await sentPartOf(format, part)).toStrictEqual(expected),
	);

	it('leave the message unchanged when they have that shape already', () => {
		const message = {
			content: [
				{ type: 'text', text: 'a' },
				{ type: 'image', mimeType: 'image/png', data: 'iVBORw==' },
			],
		};
		const silent = { content: [] };
		const result = { tool_call_id: 'a', content: [] };
		const said = { content: 'a' };
		expect([message, silent, result, said].map(normalizeMessage)).toStrictEqual([
			message,
			silent,
			result,
			said,
		]);
		for (const given of [message, silent, result, said]) expect(normalizeMessage(given)).toBe(given);
		expect.assertions(5);
	});

	it('a document at a URL is a PDF', () =>
		expect(
			normalizeMessage({ content: [{ type: 'document', source: { type: 'url', url: 'https://x.test/a' } }] }),
		).toStrictEqual({ content: [{ type: 'file', mimeType: 'application/pdf', url: 'https://x.test/a' }] }));

	it('null becomes an empty text, which the SDK accepts', () =>
		expect(normalizeMessage({ content: [null, { type: 'text', text: 'a' }] })).toStrictEqual({
			content: [
				{ type: 'text', text: '' },
				{ type: 'text', text: 'a' },
			],
		}));

	it('an image with only a URL has the type image/*', async () => {
		const { lc, requests } = modelWith(responses.responses ?? '', { format: 'responses' });
		await lc.invoke([
			new HumanMessage({ content: [image('https://x.test/a.pdf')] as HumanMessage['content'] }),
		]);
		expect(requests()[0]?.input).toStrictEqual([
			{ role: 'user', content: [{ type: 'input_image', image_url: 'https://x.test/a.pdf' }] },
		]);
	});

	it('do not change the message itself, which is sent again later', async () => {
		const parts = [png, { type: 'tool_use', id: 'a', name: 't', input: {} }, 'text'];
		const message = new HumanMessage({ content: [...parts] as HumanMessage['content'] });
		await sentMessages(message);
		expect(message.content).toStrictEqual(parts);
	});

	test.each<[string, object]>([
		['a file at another provider', { type: 'file', fileId: 'f_1', mimeType: 'application/pdf' }],
		['OpenAI’s file by its id', { type: 'file', file: { file_id: 'f_1' } }],
		['a picture by its id', { type: 'input_image', file_id: 'f_1' }],
		['an empty file', { type: 'file', mimeType: 'application/pdf', data: '' }],
		['a picture without a URL', { type: 'image_url' }],
		['audio without bytes', { type: 'input_audio' }],
		['a document without a source', { type: 'document' }],
	])(
		'%s is rejected before anything is sent',
		async (_, part) => await expect(sentPart(part)).rejects.toThrow('contains a file without content'),
	);
});

describe('tool calls in the content of a message', () => {
	const made = { id: 'a', name: 't', args: { x: 1 } };
	const wire = { id: 'a', type: 'function', function: { name: 't', arguments: '{"x":1}' } };
	const result = new ToolMessage({ tool_call_id: 'a', content: 'r' });
	const callsIn = async (message: AIMessage) =>
		(await sentMessages(new HumanMessage('q'), message, result))[1]?.tool_calls;

	it('are sent once if they are also in LangChain’s parts', async () => {
		const content = [
			{ type: 'text', text: 'x' },
			{ type: 'tool_call', ...made },
		];
		expect(await callsIn(new AIMessage({ content, tool_calls: [made] }))).toStrictEqual([wire]);
	});

	it('are tool calls as Anthropic’s parts', async () => {
		const content = [{ type: 'tool_use', id: 'a', name: 't', input: { x: 1 } }];
		expect(await callsIn(new AIMessage({ content }))).toStrictEqual([wire]);
		const unread = [{ type: 'tool_use', id: 'a', name: 't', input: '' }];
		expect(await callsIn(new AIMessage({ content: unread, tool_calls: [made] }))).toStrictEqual([wire]);
	});

	it('may have their input as text as Anthropic’s streamed parts', async () => {
		const content = [{ type: 'tool_use', id: 'a', name: 't', input: '{"x":1}' }];
		expect(await callsIn(new AIMessage({ content }))).toStrictEqual([wire]);
	});
});
