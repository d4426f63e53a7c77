import type { MessageContent } from '@n8n/ai-node-sdk';

import { toChatMessages } from '../../../nodes/ChatModel/messages';
import { textFormat } from '../../../nodes/shared/gateway/text/formats';
import { bodyOf, text, user } from './conversations';

// Files in the messages of an agent, as the formats take them.

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
		expect(toChatMessages([user(...parts)], textFormat('chat'))).toMatchObject([
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
		expect(toChatMessages([user(pdf)], textFormat('chat'))).toMatchObject([
			{ attachments: [{ kind: 'file', source: { mimeType: 'application/pdf', fileName: 'a.pdf' } }] },
		]);
	});

	it('of a kind that the format has no part for are refused before anything is sent', () => {
		const video = { type: 'file' as const, mediaType: 'video/mp4', data: 'AAAA' };
		const refusal = thrownBy(() => toChatMessages([user(video)], textFormat('responses')));
		expect(refusal).toMatchObject({
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
			description: expect.stringContaining('address') as string,
		});
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
			const refusal = thrownBy(() => toChatMessages([user(picture)], textFormat('chat')));
			expect(refusal).toMatchObject({
				message: 'A message to the Gateway Chat Model holds a file that is not base64',
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
			'a name that says nothing',
			{ ...bytes, providerMetadata: { filename: 'README' } },
			{ kind: 'file', source: { base64: 'YQ==', mimeType: 'application/octet-stream', fileName: 'README' } },
		],
		[
			'a data URL as its data',
			{ data: 'data:audio/wav;base64,YQ==', mediaType: 'audio/mpeg' },
			{ kind: 'audio', source: { base64: 'YQ==', mimeType: 'audio/wav', fileName: 'file.wav' } },
		],
		[
			'a data URL as its address, in capitals',
			at('DATA:image/gif;base64,YQ=='),
			{ kind: 'file', source: { base64: 'YQ==', mimeType: 'image/gif', fileName: 'file.gif' } },
		],
		[
			'an address that names a picture',
			at('https://x.test/a/cat.png?x=1'),
			{ kind: 'image', source: { url: 'https://x.test/a/cat.png?x=1' } },
		],
		[
			'a name beside its address, which counts',
			at('https://x.test/download', 'cat.mp4'),
			{ kind: 'video', source: { url: 'https://x.test/download' } },
		],
		[
			'an address beside bytes, which counts',
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
		['an empty address', { data: '', providerMetadata: { url: '' } }],
		['an id at another provider', { providerMetadata: { fileId: 'f_1' } }],
	])('with %s are refused', (_, content) =>
		expect(() => toChatMessages([user(file(content))], textFormat('chat'))).toThrow('without content'),
	);

	it('whose type only begins like that of a picture are files', () =>
		expect(
			toChatMessages([user(file({ ...bytes, mediaType: 'imagery/x' }))], textFormat('chat')),
		).toMatchObject([{ attachments: [{ kind: 'file' }] }]));

	it('in plain text that is no base64 are refused', () =>
		expect(() => toChatMessages([user(file({ data: 'no base64!' }))], textFormat('chat'))).toThrow(
			'not base64',
		));
});
