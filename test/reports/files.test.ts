import { HumanMessage } from '@langchain/core/messages';

import nock from 'nock';

import { TEXT_MODEL } from '../contract/support';
import { binaryStorage } from '../helpers/engine';
import { useNock } from '../helpers/nock';
import { FORMATS, form, locator } from '../helpers/values';
import { withFiles } from '../nodes/text/files';
import { useReports } from './support';

// Files arrive as they are.

const { run, gateway, respond } = useReports();

/** Lines that differ, of more than one chunk of a stream. */
const TABLE = Array.from({ length: 8_000 }, (_, n) => `${n},чай ${n},${n * 7}`).join('\n');

/** All texts in a request, with those of data URLs. */
function textsIn(body: unknown): string {
	return JSON.stringify(body).replace(/data:[^"]*?;base64,([^"]+)/g, (_, data: string) =>
		JSON.stringify(Buffer.from(data, 'base64').toString()),
	);
}

test.each(FORMATS)('%s: a text file of 180 KB is sent whole', async (format) => {
	const content = Buffer.from(TABLE);
	const items = [await withFiles({ name: 'table', content, mimeType: 'text/csv', fileName: 'a.csv' })];
	const attachment = [{ type: 'file', source: 'binary', binaryPropertyName: 'table' }];
	const parameters = {
		resource: 'text',
		operation: 'generate',
		format,
		model: locator(TEXT_MODEL),
		prompt: 'Sum it up',
		attachments: { attachment },
	};
	const { json, sent } = await run('textGeneration', parameters, items);
	expect(json).not.toHaveProperty('error');
	expect(textsIn(sent[0])).toContain(JSON.stringify(TABLE).slice(1, -1));
});

const OFFICE = 'application/vnd.openxmlformats-officedocument';

test.each([
	['report.docx', `${OFFICE}.wordprocessingml.document`],
	['prices.xlsx', `${OFFICE}.spreadsheetml.sheet`],
	['talk.pptx', `${OFFICE}.presentationml.presentation`],
	['old.doc', 'application/msword'],
	['notes.md', 'text/markdown'],
	['feed.xml', 'application/xml'],
	['config.yaml', 'application/yaml'],
	['photo.heic', 'image/heic'],
])('%s without a type is sent as %s', async (fileName, mimeType) => {
	const content = Buffer.from(fileName);
	const octets = 'application/octet-stream';
	const items = [await withFiles({ name: 'data', content, mimeType: octets, fileName })];
	const parameters = {
		resource: 'document',
		operation: 'read',
		model: locator(TEXT_MODEL),
		prompt: 'Sum up',
	};
	const { json, sent } = await run('textGeneration', parameters, items);
	expect(json).not.toHaveProperty('error');
	const file = { filename: fileName, file_data: `data:${mimeType};base64,${content.toString('base64')}` };
	expect(JSON.stringify(sent)).toContain(JSON.stringify({ type: 'file', file }));
});

const picture = (prompt: string) => ({
	resource: 'image',
	operation: 'generate',
	model: locator('aurora/canvas-1'),
	prompt,
	input: form({ quality: 'draft', size: '512x512' }),
});

test('a result is downloaded whole after the file server has refused it once with 429', async () => {
	gateway.control.configure({ render: 'full' });
	const body = { text: 'Slow down', contentType: 'text/plain' };
	gateway.control.addFault({
		match: { host: 'files' },
		action: { kind: 'raw', status: 429, body, retryAfter: 2 },
	});
	const { items, json } = await run('mediaTask', picture('a lighthouse'));
	expect(json).toMatchObject({ state: 'success' });
	const file = items[0]?.binary?.data;
	const bytes = file && (await (await binaryStorage()).getAsBuffer(file));
	expect(file?.bytes).toBe(bytes?.length);
	// The end of a PNG.
	expect(bytes?.subarray(-8, -4).toString()).toBe('IEND');
	expect(gateway.control.requests({ host: 'files' }).map(({ status }) => status)).toStrictEqual([429, 200]);
	expect(gateway.charges()).toBe(1);
});

test('a 429 of the file server is not the rate limit of the account: other tasks are created meanwhile', async () => {
	const body = { text: 'Slow down', contentType: 'text/plain' };
	gateway.control.addFault({
		match: { host: 'files' },
		action: { kind: 'raw', status: 429, body, retryAfter: 30 },
		times: 2,
	});
	const prompts = ['a', 'b', 'c'].map((prompt) => ({ json: { prompt } }));
	const parameters = { ...picture('={{ $json.prompt }}'), options: { concurrency: 1 } };
	const { items, hints } = await run('mediaTask', parameters, prompts);
	expect(items.map(({ json }) => json.state)).toStrictEqual(['success', 'success', 'success']);
	const [first, , third] = gateway.control.requests({ method: 'POST' });
	expect((third?.startedAt ?? NaN) - (first?.startedAt ?? NaN)).toBeLessThan(30_000);
	expect(hints.join('\n')).not.toContain('rate limit');
	expect(gateway.charges()).toBe(3);
});

const bytes = (beginning: string) => Buffer.from(beginning.padEnd(2_000, '\0'), 'latin1');
const JPEG = bytes('\xff\xd8\xff\xe0');
const PNG = bytes('\x89PNG\r\n\x1a\n');
const PDF = bytes('%PDF-1.7');
const WAV = bytes('RIFF\x10\0\0\0WAVEfmt ');
const MP4 = bytes('\0\0\0\x20ftypisom');
const WEBM = bytes('\x1aE\xdf\xa3');
const TEXT = Buffer.from('ID3,name\n1,OggS\n');

// The first bytes win over name and label, unless files of that label begin so, too.
const TYPED: Array<
	[is: string, fileName: string, label: string, content: Buffer, type: string, name: string]
> = [
	['JPEG', 'photo.png', 'image/png', JPEG, 'image/jpeg', 'photo.jpg'],
	['JPEG', 'photo.webp', 'application/octet-stream', JPEG, 'image/jpeg', 'photo.jpg'],
	['JPEG', 'photo.JPEG', 'image/jpg', JPEG, 'image/jpeg', 'photo.JPEG'],
	['PNG', 'photo', 'text/plain', PNG, 'image/png', 'photo.png'],
	['WAV', 'voice.mp3', 'audio/mpeg', WAV, 'audio/wav', 'voice.wav'],
	['PDF', 'a.doc', 'application/msword', PDF, 'application/pdf', 'a.pdf'],
	['MP4', 'voice.m4a', 'audio/mp4', MP4, 'audio/mp4', 'voice.m4a'],
	['MP4', 'film.webm', 'video/webm', MP4, 'video/mp4', 'film.mp4'],
	['WebM', 'voice.webm', 'audio/webm', WEBM, 'audio/webm', 'voice.webm'],
	['WebM', 'film.mkv', 'video/x-matroska', WEBM, 'video/x-matroska', 'film.mkv'],
	['text', 'a.csv', 'text/csv', TEXT, 'text/csv', 'a.csv'],
];

describe.each(TYPED)('%s, called %s and %s', (...row) => {
	const [, fileName, label, content, type, name] = row;
	const item = async () => await withFiles({ name: 'data', content, mimeType: label, fileName });

	test(`is sent to a model as ${type}`, async () => {
		const parameters = {
			resource: 'document',
			operation: 'read',
			model: locator(TEXT_MODEL),
			prompt: 'Sum up',
		};
		const { sent } = await run('textGeneration', parameters, [await item()]);
		const file = { filename: name, file_data: `data:${type};base64,${content.toString('base64')}` };
		expect(JSON.stringify(sent)).toContain(JSON.stringify({ type: 'file', file }));
	});

	test(`is stored as ${type} when it is the result of a task`, async () => {
		gateway.control.addFault({
			match: { host: 'files' },
			action: { kind: 'raw', status: 200, body: { text: content, contentType: label } },
		});
		const { items } = await run('mediaTask', picture('a cat'));
		const fileType = type === 'application/pdf' ? 'pdf' : type.split('/')[0];
		expect(items[0]?.binary?.data).toMatchObject({ mimeType: type, fileType });
	});
});

describe('an upload', () => {
	useNock();

	test.each(TYPED)('of %s, called %s and %s', async (...row) => {
		const [, fileName, mimeType, content, type, name] = row;
		let body = '';
		nock(gateway.baseUrl)
			.post('/storage/upload')
			.reply((_, sent) => {
				body = sent as string;
				return [200, { id: 'f1' }];
			});
		const items = [await withFiles({ name: 'data', content, mimeType, fileName })];
		await run('storage', { resource: 'file', operation: 'upload' }, items);
		// nock has bodies that are not text in hexadecimal.
		const form = /^[0-9a-f]+$/.test(body) ? Buffer.from(body, 'hex').toString('latin1') : body;
		expect(form).toContain(`filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`);
	});
});

const PICTURE = { images: [{ image_url: { url: `data:image/png;base64,${JPEG.toString('base64')}` } }] };
const SOUND = { audio: { data: WAV.toString('base64') } };

test.each<[string, string, object, string, RegExp]>([
	['a picture of a model', 'image', PICTURE, 'image/jpeg', /\.jpg$/],
	['a picture beside sound of a model', 'image', { ...PICTURE, ...SOUND }, 'image/jpeg', /\.jpg$/],
	['sound of a model', 'audio', SOUND, 'audio/wav', /\.wav$/],
	['raw sound of a model', 'audio', { audio: { data: TEXT.toString('base64') } }, 'audio/mpeg', /\.mp3$/],
])('%s has the type of its first bytes', async (_, field, message, type, name) => {
	respond({ id: 'c1', choices: [{ message: { content: 'Here', ...message }, finish_reason: 'stop' }] });
	const options = {
		audioAndImages: { modalities: ['text', 'audio'], audioFormat: 'mp3', audioVoice: 'alloy' },
	};
	const parameters = {
		resource: 'text',
		operation: 'generate',
		model: locator(TEXT_MODEL),
		prompt: 'Go',
		options,
	};
	const { items } = await run('textGeneration', parameters);
	expect(items[0]?.binary?.[field]).toMatchObject({
		mimeType: type,
		fileName: expect.stringMatching(name) as string,
	});
});

test('a result in a data URL has the type of its first bytes', async () => {
	const resultUrls = [`data:image/png;base64,${JPEG.toString('base64')}`];
	const task = { state: 'success', resultJson: JSON.stringify({ resultUrls }) };
	const text = JSON.stringify({ code: 200, msg: 'success', data: task });
	gateway.control.addFault({
		match: { path: '/async/media/tasks/*' },
		action: { kind: 'raw', status: 200, body: { text, contentType: 'application/json' } },
	});
	const { items } = await run('mediaTask', picture('a cat'));
	expect(items[0]?.binary?.data).toMatchObject({ mimeType: 'image/jpeg', fileExtension: 'jpg' });
});

test('sound that is called mp3 is sent to a model in its own format', async () => {
	const file = { name: 'data', content: WAV, mimeType: 'audio/mpeg', fileName: 'a.mp3' };
	const parameters = {
		resource: 'audio',
		operation: 'transcribe',
		model: locator(TEXT_MODEL),
		prompt: 'Write it down',
	};
	const { sent } = await run('textGeneration', parameters, [await withFiles(file)]);
	expect(JSON.stringify(sent)).toContain('"format":"wav"');
});

test('an image in a message to the chat model is sent with the type of its first bytes', async () => {
	const { lc } = await gateway.chatModel();
	const data = JPEG.toString('base64');
	await lc.invoke([new HumanMessage({ content: [{ type: 'image', mimeType: 'image/png', data }] })]);
	const [request] = gateway.control.requests({ method: 'POST' });
	expect(JSON.stringify(request?.body.json)).toContain(`data:image/jpeg;base64,${data}`);
});
