import { HumanMessage } from '@langchain/core/messages';

import nock from 'nock';

import { TEXT_MODEL } from '../contract/support';
import { binaryStorage } from '../helpers/engine';
import { useNock } from '../helpers/nock';
import { FORMATS, form, locator } from '../helpers/values';
import { attach, fromField, withFiles } from '../nodes/text/files';
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

const asFile = (field = 'data', format = 'chat') => ({
	resource: 'text',
	operation: 'generate',
	format,
	model: locator(TEXT_MODEL),
	prompt: 'Sum it up',
	...attach(fromField('file', field)),
});

test.each(FORMATS)('%s: a text file of 180 KB is sent whole', async (format) => {
	const content = Buffer.from(TABLE);
	const items = [await withFiles({ name: 'table', content, mimeType: 'text/csv', fileName: 'a.csv' })];
	const { json, sent } = await run('textGeneration', asFile('table', format), items);
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
	['film.srt', 'application/x-subrip'],
	['debug.log', 'text/plain'],
	['main.py', 'text/x-python'],
	['offer.eml', 'message/rfc822'],
	['meeting.ics', 'text/calendar'],
])('%s without a type is sent as %s', async (fileName, mimeType) => {
	const content = Buffer.from(fileName);
	const octets = 'application/octet-stream';
	const items = [await withFiles({ name: 'data', content, mimeType: octets, fileName })];
	const { json, sent } = await run('textGeneration', asFile(), items);
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
const LIVE_PHOTO = bytes('\0\0\0\x18ftyphevc\0\0\0\0mif1heic');
const BURST = bytes('\0\0\0\x18ftypmsf1\0\0\0\0hevxmsf1');
const CR3 = bytes('\0\0\0\x18ftypcrx \0\0\0\x01crx isom');
const M4B = bytes('\0\0\0\x18ftypM4B \0\0\0\0M4A mp42');
const TAGGED = bytes('ID3\x04\0');
const TRANSPORT = Buffer.from(`G@\0\x10${'\0'.repeat(184)}`.repeat(10), 'latin1');
const SVG = Buffer.from(
	`<?xml version="1.0"?>\n<!--${' '.repeat(500)}-->\n<svg xmlns="http://www.w3.org/2000/svg"/>`,
);
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
	['a live photo', 'IMG_1.HEIC', 'image/heic', LIVE_PHOTO, 'image/heic', 'IMG_1.HEIC'],
	['a burst of photos', 'IMG_2.HEIC', 'image/heic', BURST, 'image/heic', 'IMG_2.HEIC'],
	['a live photo', 'clip.mp4', 'video/mp4', LIVE_PHOTO, 'image/heic', 'clip.heic'],
	['CR3', 'IMG_3.CR3', 'image/x-canon-cr3', CR3, 'image/x-canon-cr3', 'IMG_3.CR3'],
	['M4B', 'book.m4b', 'audio/mp4', M4B, 'audio/mp4', 'book.m4b'],
	['FLAC with a tag', 'song.flac', 'audio/flac', TAGGED, 'audio/flac', 'song.flac'],
	['AAC with a tag', 'song.aac', 'audio/aac', TAGGED, 'audio/aac', 'song.aac'],
	['MPEG-TS', 'file_9', 'text/plain', TRANSPORT, 'video/mp2t', 'file_9.ts'],
	['SVG', 'logo', 'text/plain', SVG, 'image/svg+xml', 'logo.svg'],
];

describe.each(TYPED)('%s, called %s and %s', (...row) => {
	const [, fileName, label, content, type, name] = row;
	const item = async () => await withFiles({ name: 'data', content, mimeType: label, fileName });

	test(`is sent to a model as ${type}`, async () => {
		const { sent } = await run('textGeneration', asFile(), [await item()]);
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

test.each([
	['image/jpeg', JPEG],
	['image/heic', bytes('\0\0\0\x1cftypisom\0\0\0\0iso8mp41heix')],
])(
	'an image in a message to the chat model is sent with the type of its first bytes: %s',
	async (type, content) => {
		const { lc } = await gateway.chatModel();
		const data = content.toString('base64');
		await lc.invoke([new HumanMessage({ content: [{ type: 'image', mimeType: 'image/png', data }] })]);
		const [request] = gateway.control.requests({ method: 'POST' });
		expect(JSON.stringify(request?.body.json)).toContain(`data:${type};base64,${data}`);
	},
);

describe('an operation that asks about one kind of file', () => {
	const OPERATIONS = {
		'Transcribe audio': { resource: 'audio', operation: 'transcribe' },
		'Analyze image': { resource: 'image', operation: 'analyze' },
		'Analyze video': { resource: 'video', operation: 'analyze' },
		'Read document': { resource: 'document', operation: 'read' },
	} as const;
	type Name = keyof typeof OPERATIONS;
	const about = (name: Name, more: object = {}) => ({
		...OPERATIONS[name],
		model: locator('polyglot/omni-audio'),
		prompt: 'What is it?',
		...more,
	});

	const NAMES = Object.keys(OPERATIONS) as Name[];
	const [TRANSCRIBE, ANALYZE, WATCH, READ] = NAMES;
	const [SOUND, IMAGE, VIDEO, FILE] = ['input_audio', 'image_url', 'video_url', 'file'];

	/** What each operation sends: a part of this type, or nothing, and the error names this operation. */
	const TAKEN: Array<[fileName: string, content: Buffer, ...expected: Array<string | undefined>]> = [
		['a.png', PNG, ANALYZE, IMAGE, ANALYZE, IMAGE],
		['a.svg', SVG, ANALYZE, IMAGE, ANALYZE, IMAGE],
		['a.heic', LIVE_PHOTO, ANALYZE, IMAGE, ANALYZE, IMAGE],
		['a.wav', WAV, SOUND, TRANSCRIBE, TRANSCRIBE, TRANSCRIBE],
		['a.flac', TAGGED, SOUND, TRANSCRIBE, TRANSCRIBE, TRANSCRIBE],
		['a.mp4', MP4, SOUND, WATCH, VIDEO, WATCH],
		['a.webm', WEBM, SOUND, WATCH, VIDEO, WATCH],
		['a.pdf', PDF, READ, READ, READ, FILE],
		['a.csv', TEXT, READ, READ, READ, FILE],
		['a.docx', Buffer.from('PK'), READ, READ, READ, FILE],
		// By its bytes.
		['picture.wav', PNG, ANALYZE, IMAGE, ANALYZE, IMAGE],
		['sound.png', WAV, SOUND, TRANSCRIBE, TRANSCRIBE, TRANSCRIBE],
		['code.ts', Buffer.from('const a = 1;'), READ, READ, READ, FILE],
		// Of a type that nobody knows.
		['a.xyz', bytes('?'), SOUND, IMAGE, VIDEO, FILE],
	];

	const cases = TAKEN.flatMap(([fileName, content, ...expected]) =>
		NAMES.map((name, index) => [fileName, name, expected[index] ?? '', content] as const),
	);
	const asked = async (fileName: string, name: Name, content: Buffer) => {
		const mimeType = fileName === 'a.xyz' ? 'application/x-xyz' : 'application/octet-stream';
		const item = await withFiles({ name: 'data', content, mimeType, fileName });
		return await run('textGeneration', about(name), [item]);
	};

	test.each(cases.filter(([, , part]) => !part.includes(' ')))(
		'%s in %s is sent as %s',
		async (fileName, name, part, content) => {
			const { sent } = await asked(fileName, name, content);
			expect(JSON.stringify(sent)).toContain(`"type":"${part}"`);
		},
	);

	test.each(cases.filter(([, , operation]) => operation.includes(' ')))(
		'%s in %s is for %s: nothing is sent',
		async (fileName, name, operation, content) => {
			const { json, sent } = await asked(fileName, name, content);
			expect(sent).toStrictEqual([]);
			const [base] = fileName.split('.');
			expect(json.error).toMatchObject({
				message: expect.stringMatching(`'${name}' takes no file of the type .*"${base}\\.`) as string,
				description: expect.stringMatching(`'${operation}'.*Nothing was sent`) as string,
			});
		},
	);

	test('sends nothing for any item when the last one has a file of another kind, also by its bytes', async () => {
		const items = await Promise.all(
			[WAV, PNG].map(
				async (content) =>
					await withFiles({ name: 'data', content, mimeType: 'audio/wav', fileName: 'a.wav' }),
			),
		);
		const parameters = about('Transcribe audio', { options: { concurrency: 1 } });
		const { error } = await gateway.run({ node: 'textGeneration', parameters, items });
		expect(error?.context?.itemIndex).toBe(1);
		expect(gateway.control.requests({ method: 'POST' })).toStrictEqual([]);
	});

	const atUrl = async (name: Name, url: string) =>
		await run('textGeneration', about(name, { source: 'url', url }));

	test.each<[Name, string]>([
		['Analyze image', 'https://files.test/a.mp4'],
		['Analyze image', 'https://files.test/a.pdf'],
		['Analyze video', 'https://files.test/a.PNG'],
		['Transcribe audio', `data:audio/wav;base64,${PNG.toString('base64')}`],
	])('%s refuses the file at %s', async (name, url) => {
		const { json, sent } = await atUrl(name, url);
		expect(sent).toStrictEqual([]);
		expect(JSON.stringify(json.error)).toMatch(/Use the operation '\w+ \w+'/);
	});

	// A page or a program may return a picture.
	test.each<[Name, string]>([
		['Analyze image', 'https://files.test/a.jpg'],
		['Analyze image', 'https://files.test/a.py'],
		['Analyze image', 'https://files.test/report.pdf?page=2&fm=png'],
		['Analyze video', 'https://files.test/Film.ogg'],
		['Analyze image', 'https://files.test/a'],
		['Analyze video', 'https://files.test/watch.html'],
	])('%s sends the URL %s', async (name, url) => {
		expect(JSON.stringify((await atUrl(name, url)).sent)).toContain(url);
	});
});
