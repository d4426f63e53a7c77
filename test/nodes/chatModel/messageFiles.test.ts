import type { MessageContent } from '@n8n/ai-node-sdk';

import { toChatMessages } from '../../../nodes/ChatModel/messages';
import { textFormat } from '../../../nodes/shared/gateway/text/formats';
import { bodyOf, text, user } from './conversations';

// Files in the messages of an agent.

function thrownBy(work: () => unknown): unknown {
	try {
		work();
	} catch (error) {
		return error;
	}
	return undefined;
}

describe('files in messages', () => {
	const png = { type: 'file' as const, mediaType: 'image/png', data: 'iVBORw==' };

	it('are sent as parts of the format', () => {
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

	it('may be a URL or a data URL', () => {
		const at = (url: string) => ({ ...png, mediaType: 'image/*', data: '', providerMetadata: { url } });
		const parts = [at('https://x.test/a.png'), at('data:image/gif;base64,R0lG')];
		expect(toChatMessages([user(...parts)], textFormat('chat'))).toMatchObject([
			{
				attachments: [
					{ kind: 'image', source: { url: 'https://x.test/a.png' } },
					{ kind: 'image', source: { base64: 'R0lG', mimeType: 'image/gif' } },
				],
			},
		]);
	});

	it('have the type of their name when they have none', () => {
		const pdf = { type: 'file' as const, data: 'JVBERg==', providerMetadata: { filename: 'a.pdf' } };
		expect(toChatMessages([user(pdf)], textFormat('chat'))).toMatchObject([
			{ attachments: [{ kind: 'file', source: { mimeType: 'application/pdf', fileName: 'a.pdf' } }] },
		]);
	});

	it('are rejected before anything is sent when the format has no part for their kind', () => {
		const video = { type: 'file' as const, mediaType: 'video/mp4', data: 'AAAA' };
		const error = thrownBy(() => toChatMessages([user(video)], textFormat('responses')));
		expect(error).toMatchObject({
			name: 'InvalidInputError',
			message: expect.stringMatching(/Responses.*video/) as string,
			description: expect.stringContaining('another API format') as string,
		});
		const sound = {
			type: 'file' as const,
			mediaType: 'audio/mpeg',
			data: '',
			providerMetadata: { url: 'https://x.test/a.mp3' },
		};
		expect(thrownBy(() => toChatMessages([user(sound)], textFormat('chat')))).toMatchObject({
			name: 'InvalidInputError',
			message: expect.stringMatching(/Chat.*audio/) as string,
			description: expect.stringContaining('not its URL') as string,
		});
	});

	it.each(['data:image/png;base64,no base64!', 'data:image/svg+xml,<svg/>'])(
		'are rejected when they are not base64: %s',
		(url) => {
			const picture = {
				type: 'file' as const,
				mediaType: 'image/png',
				data: '',
				providerMetadata: { url },
			};
			const error = thrownBy(() => toChatMessages([user(picture)], textFormat('chat')));
			expect(error).toMatchObject({
				message: 'A message to the Gateway Chat Model contains a file that is not base64',
				description: expect.not.stringContaining('Upload Source') as string,
			});
		},
	);

	const file = (content: object): MessageContent => ({ type: 'file', ...content }) as MessageContent;
	const bytes = { data: 'YQ==' };
	const at = (url: string, filename?: string) => ({ data: '', providerMetadata: { url, filename } });

	it.each<[string, object, object]>([
		[
			'bytes',
			{ mediaType: 'image/png', data: new Uint8Array([97]) },
			{ kind: 'image', source: { base64: 'YQ==', mimeType: 'image/png', fileName: 'file.png' } },
		],
		[
			'a name of its own',
			{ ...bytes, mediaType: 'image/png', providerMetadata: { filename: 'cat.png' } },
			{ kind: 'image', source: { base64: 'YQ==', mimeType: 'image/png', fileName: 'cat.png' } },
		],
		[
			'neither name nor type',
			bytes,
			{ kind: 'file', source: { base64: 'YQ==', mimeType: 'application/octet-stream', fileName: 'file' } },
		],
		[
			'a name without an extension',
			{ ...bytes, providerMetadata: { filename: 'README' } },
			{ kind: 'file', source: { base64: 'YQ==', mimeType: 'application/octet-stream', fileName: 'README' } },
		],
		[
			'a data URL as its data',
			{ data: 'data:audio/wav;base64,YQ==', mediaType: 'audio/mpeg' },
			{ kind: 'audio', source: { base64: 'YQ==', mimeType: 'audio/wav', fileName: 'file.wav' } },
		],
		[
			'a data URL as its URL, in capitals',
			at('DATA:image/gif;base64,YQ=='),
			{ kind: 'file', source: { base64: 'YQ==', mimeType: 'image/gif', fileName: 'file.gif' } },
		],
		[
			'a URL that names a picture',
			at('https://x.test/a/cat.png?x=1'),
			{ kind: 'image', source: { url: 'https://x.test/a/cat.png?x=1' } },
		],
		[
			'a name next to its URL, which takes precedence',
			at('https://x.test/download', 'cat.mp4'),
			{ kind: 'video', source: { url: 'https://x.test/download' } },
		],
		[
			'a URL next to bytes, which takes precedence',
			{ ...bytes, mediaType: 'image/png', providerMetadata: { url: 'https://x.test/a' } },
			{ kind: 'image', source: { url: 'https://x.test/a' } },
		],
	])('with %s', (_, content, attachment) =>
		expect(toChatMessages([user(file(content))], textFormat('chat'))).toStrictEqual([
			{ role: 'user', text: '', attachments: [attachment] },
		]),
	);

	it.each<[string, object]>([
		['no data', { data: undefined }],
		['empty data', { data: '' }],
		['no bytes', { data: new Uint8Array() }],
		['an empty URL', { data: '', providerMetadata: { url: '' } }],
		['an id at another provider', { providerMetadata: { fileId: 'f_1' } }],
	])('with %s are rejected', (_, content) =>
		expect(() => toChatMessages([user(file(content))], textFormat('chat'))).toThrow('without content'),
	);

	it('are not pictures when their type only begins like one', () =>
		expect(
			toChatMessages([user(file({ ...bytes, mediaType: 'imagery/x' }))], textFormat('chat')),
		).toMatchObject([{ attachments: [{ kind: 'file' }] }]));

	it('are rejected when their plain text is not base64', () =>
		expect(() => toChatMessages([user(file({ data: 'no base64!' }))], textFormat('chat'))).toThrow(
			'not base64',
		));
});
