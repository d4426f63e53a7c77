import nock from 'nock';

import { gatewayFailure } from '../../helpers/client';
import { useNock } from '../../helpers/nock';
import { attach, b64, film, fromField, fromUrl, paper, picture, sound, withFiles } from './files';
import { endpoints, gateway, generate, sentBody } from './support';

useNock();

describe('attachments become the parts of each format', () => {
	it('chat', async () => {
		const items = [await withFiles(picture, sound, film, paper)];
		const all = attach(
			fromField('image', 'photo'),
			fromField('audio', 'voice'),
			fromField('video', 'film'),
			fromField('file', 'paper'),
			fromUrl('image', 'https://files.test/x.png'),
			fromUrl('video', 'https://files.test/x.mp4'),
		);
		expect((await sentBody(all, { items })).messages).toStrictEqual([
			{
				role: 'user',
				content: [
					{ type: 'text', text: 'Say hello' },
					{ type: 'image_url', image_url: { url: `data:image/png;base64,${b64(picture)}` } },
					{ type: 'input_audio', input_audio: { data: b64(sound), format: 'mp3' } },
					{ type: 'video_url', video_url: { url: `data:video/mp4;base64,${b64(film)}` } },
					{
						type: 'file',
						file: { filename: 'd.pdf', file_data: `data:application/pdf;base64,${b64(paper)}` },
					},
					{ type: 'image_url', image_url: { url: 'https://files.test/x.png' } },
					{ type: 'video_url', video_url: { url: 'https://files.test/x.mp4' } },
				],
			},
		]);
	});

	it('sends the length of the body, and the whole body again in a retry', async () => {
		const items = [await withFiles({ ...picture, content: Buffer.alloc(200_001, 7) })];
		const lengths: unknown[] = [];
		const bodies: string[] = [];
		const take = (status: number) =>
			gateway()
				.post('/api/v1/chat/completions', (body: unknown) => {
					bodies.push(JSON.stringify(body));
					return true;
				})
				.reply(function () {
					lengths.push(this.req.headers['content-length']);
					return [status, status === 200 ? endpoints.chat?.response : gatewayFailure(status)];
				});
		take(503);
		take(200);
		const { error } = await generate(attach(fromField('image', 'photo')), { items });
		expect(error).toBeUndefined();
		expect(bodies[0]).toBe(bodies[1]);
		expect(bodies[0]).toContain(Buffer.alloc(200_001, 7).toString('base64'));
		expect(lengths.map(String)).toStrictEqual(bodies.map((body) => String(Buffer.byteLength(body))));
	});

	it('fetches a URL without the key when the format accepts only bytes', async () => {
		nock('https://files.test', { badheaders: ['authorization', 'x-api-key'] })
			.get('/talk.mp3')
			.reply(200, 'a sound', { 'content-type': 'audio/mpeg' });
		const body = await sentBody(attach(fromUrl('audio', 'https://files.test/talk.mp3')));
		expect(JSON.stringify(body)).toContain(Buffer.from('a sound').toString('base64'));
		expect(JSON.stringify(body)).toContain('"format":"mp3"');
	});
});

describe('the file of an attachment', () => {
	const file = (fileName: string, mimeType: string, content: string) => ({
		type: 'file',
		file: {
			filename: fileName,
			file_data: `data:${mimeType};base64,${Buffer.from(content).toString('base64')}`,
		},
	});
	const sentPart = async (attachment: Record<string, string>, extra = {}) => {
		const { messages } = await sentBody({ prompt: 'Look', ...attach(attachment) }, extra);
		const [message] = messages as Array<{ role: string; content: unknown[] }>;
		return message?.content.slice(1);
	};

	it.each<[string, Record<string, string>, unknown]>([
		[
			'a picture at a URL with blanks around it',
			fromUrl('image', '  HTTPS://files.test/a.png '),
			{ type: 'image_url', image_url: { url: 'HTTPS://files.test/a.png' } },
		],
		[
			'a data URL in capitals',
			fromUrl('file', 'DATA:text/csv;base64,YSxi'),
			file('file.csv', 'text/csv', 'a,b'),
		],
		['a data URL of text', fromUrl('file', 'data:text/csv,a%2Cb'), file('file.csv', 'text/csv', 'a,b')],
		[
			'a data URL without a type',
			fromUrl('file', 'data:;base64,JVBERi0='),
			file('file', 'application/pdf', '%PDF-'),
		],
	])('%s', async (_, attachment, part) => expect(await sentPart(attachment)).toStrictEqual([part]));

	it('of the kind File may have any known type', async () => {
		const items = [await withFiles({ ...picture, mimeType: 'application/x-a', fileName: 'a' })];
		expect(await sentPart(fromField('file', 'photo'), { items })).toStrictEqual([
			file('a', 'application/x-a', 'a picture'),
		]);
	});

	it('that is fetched has the name in its URL, if any', async () => {
		const files = nock('https://files.test');
		files.get('/b/talk.pdf?x=1').reply(200, 'A', { 'content-type': 'application/pdf' });
		files.get('/').reply(200, 'B', { 'content-type': 'application/pdf' });
		expect(await sentPart(fromUrl('file', 'https://files.test/b/talk.pdf?x=1'))).toStrictEqual([
			file('talk.pdf', 'application/pdf', 'A'),
		]);
		expect(await sentPart(fromUrl('file', 'https://files.test/'))).toStrictEqual([
			file('file.pdf', 'application/pdf', 'B'),
		]);
	});

	it('is sent as JSON, with the header of its format', async () => {
		const headers: Array<Record<string, string>> = [];
		gateway()
			.post('/api/v1/messages')
			.reply(function () {
				headers.push(this.req.headers);
				return [200, { content: [{ type: 'text', text: 'Hi' }] }];
			});
		const { error } = await generate(
			{ format: 'messages', ...attach(fromField('image', 'photo')) },
			{ items: [await withFiles(picture)] },
		);
		expect(error).toBeUndefined();
		expect(headers).toMatchObject([{ 'content-type': 'application/json' }]);
		expect(Object.values(headers[0] ?? {})).toContain('2023-06-01');
	});
});

describe('the name in a URL', () => {
	it.each([
		['video', 'https://files.test/a.ogg'],
		['image', 'https://files.test/a.pdf'],
		['image', 'https://files.test/a.pdf?format=png'],
		['image', 'https://files.test/a'],
	])('does not keep %s from being sent by %s', async (kind, url) => {
		const { messages } = await sentBody(attach(fromUrl(kind, url)));
		expect(JSON.stringify(messages)).toContain(url);
	});
});
