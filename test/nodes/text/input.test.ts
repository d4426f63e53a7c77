import nock from 'nock';
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { binaryStorage, type RunOptions } from '../../helpers/engine';
import { useNock } from '../../helpers/nock';
import { answering, gateway, generate, sentBody } from './support';

useNock();

const rows = (...message: Array<{ role: string; content: string }>): INodeParameters => ({
	inputMode: 'messages',
	messages: { message },
});
const json = (messagesJson: string): INodeParameters => ({ inputMode: 'json', messagesJson });

describe('a conversation in rows', () => {
	const conversation = rows(
		{ role: 'system', content: 'Be brief' },
		{ role: 'user', content: 'Hi' },
		{ role: 'assistant', content: 'Hello' },
		{ role: 'user', content: '2024' },
	);
	const said = [
		{ role: 'user', content: 'Hi' },
		{ role: 'assistant', content: 'Hello' },
		{ role: 'user', content: '2024' },
	];

	it('chat: as it stands', async () => {
		expect(await sentBody(conversation)).toMatchObject({
			messages: [{ role: 'system', content: 'Be brief' }, ...said],
		});
	});
	it('responses: a leading system message becomes the instructions', async () => {
		expect(await sentBody({ ...conversation, format: 'responses' })).toMatchObject({
			instructions: 'Be brief',
			input: said,
		});
	});
	it('messages: what the system says has a field of its own', async () => {
		const body = await sentBody({
			format: 'messages',
			...rows(
				{ role: 'developer', content: 'A' },
				{ role: 'user', content: 'Hi' },
				{ role: 'system', content: 'B' },
			),
		});
		expect(body).toMatchObject({ system: 'A\n\nB', messages: [{ role: 'user', content: 'Hi' }] });
	});
});

describe('messages as JSON', () => {
	const list =
		'[{"role": "user", "content": [{"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}]}]';
	it.each([
		['chat', { messages: [{ role: 'system', content: 'S' }, ...(JSON.parse(list) as object[])] }],
		['responses', { instructions: 'S', input: JSON.parse(list) as object[] }],
		['messages', { system: 'S', messages: JSON.parse(list) as object[] }],
	])('%s: verbatim, after the system prompt', async (format, body) => {
		expect(await sentBody({ ...json(list), format, systemPrompt: 'S' })).toMatchObject(body);
	});
	it('chat: a plain text is a prompt', async () => {
		const body = await sentBody(json('"Once"'));
		expect(body).toMatchObject({ prompt: 'Once' });
		expect(body).not.toHaveProperty('messages');
	});
	it('may be a list that an expression gives', async () => {
		expect(await sentBody(json('={{ [{ role: "user", content: "x" }] }}'))).toMatchObject({
			messages: [{ role: 'user', content: 'x' }],
		});
	});
});

/** An input item whose binary fields hold these files. */
async function withFiles(
	...files: Array<{ name: string; content: Buffer; mimeType: string; fileName: string }>
): Promise<INodeExecutionData> {
	const storage = await binaryStorage();
	const binary: INodeExecutionData['binary'] = {};
	for (const { name, content, mimeType, fileName } of files) {
		const stored = { data: '', mimeType, fileName };
		const location = { type: 'execution' as const, workflowId: 'w', executionId: 'e' };
		binary[name] = await storage.store(location, content, stored);
	}
	return { json: {}, binary };
}

const picture = {
	name: 'photo',
	content: Buffer.from('a picture'),
	mimeType: 'image/png',
	fileName: 'a.png',
};
const sound = { name: 'voice', content: Buffer.from('a sound!'), mimeType: 'audio/mpeg', fileName: 'b.mp3' };
const film = { name: 'film', content: Buffer.from('a film'), mimeType: 'video/mp4', fileName: 'c.mp4' };
const paper = {
	name: 'paper',
	content: Buffer.from('%PDF-1'),
	mimeType: 'application/pdf',
	fileName: 'd.pdf',
};
const b64 = (file: { content: Buffer }) => file.content.toString('base64');
const attach = (...attachment: Array<Record<string, string>>): INodeParameters => ({
	attachments: { attachment },
});
const fromField = (type: string, binaryPropertyName: string) => ({
	type,
	source: 'binary',
	binaryPropertyName,
});
const fromUrl = (type: string, url: string) => ({ type, source: 'url', url });

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

	it('responses', async () => {
		const items = [await withFiles(picture, sound, paper)];
		const all = attach(
			fromField('image', 'photo'),
			fromField('audio', 'voice'),
			fromField('file', 'paper'),
			fromUrl('file', 'https://files.test/x.pdf'),
		);
		expect((await sentBody({ ...all, format: 'responses' }, { items })).input).toStrictEqual([
			{
				role: 'user',
				content: [
					{ type: 'input_text', text: 'Say hello' },
					{ type: 'input_image', image_url: `data:image/png;base64,${b64(picture)}` },
					{ type: 'input_audio', input_audio: { data: b64(sound), format: 'mp3' } },
					{
						type: 'input_file',
						filename: 'd.pdf',
						file_data: `data:application/pdf;base64,${b64(paper)}`,
					},
					{ type: 'input_file', file_url: 'https://files.test/x.pdf' },
				],
			},
		]);
	});

	it('messages', async () => {
		const items = [await withFiles(picture, paper)];
		const all = attach(
			fromField('image', 'photo'),
			fromField('file', 'paper'),
			fromUrl('image', 'https://files.test/x.png'),
		);
		expect((await sentBody({ ...all, format: 'messages' }, { items })).messages).toStrictEqual([
			{
				role: 'user',
				content: [
					{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: b64(picture) } },
					{
						type: 'document',
						source: { type: 'base64', media_type: 'application/pdf', data: b64(paper) },
						title: 'd.pdf',
					},
					{ type: 'image', source: { type: 'url', url: 'https://files.test/x.png' } },
					{ type: 'text', text: 'Say hello' },
				],
			},
		]);
	});

	it('each item has its own', async () => {
		const first = await withFiles(picture);
		const second = await withFiles({ ...picture, content: Buffer.from('another one') });
		const sent: string[] = [];
		gateway()
			.post('/api/v1/chat/completions', (body: unknown) => {
				sent.push(JSON.stringify(body));
				return true;
			})
			.times(2)
			.reply(200, { choices: [] });
		await generate(attach(fromField('image', 'photo')), { items: [first, second] });
		expect(sent.filter((body) => body.includes(b64(picture)))).toHaveLength(1);
		expect(sent.filter((body) => body.includes(Buffer.from('another one').toString('base64')))).toHaveLength(
			1,
		);
	});

	it('says how long the body is, and is whole again in a retry', async () => {
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
					return [status, status === 200 ? { choices: [] } : { error: { message: 'busy' } }];
				});
		take(503);
		take(200);
		const { error } = await generate(attach(fromField('image', 'photo')), { items });
		expect(error).toBeUndefined();
		expect(bodies[0]).toBe(bodies[1]);
		expect(bodies[0]).toContain(Buffer.alloc(200_001, 7).toString('base64'));
		expect(lengths.map(String)).toStrictEqual(bodies.map((body) => String(Buffer.byteLength(body))));
	});

	it('fetches from its address, without the key, what the format takes only as a file', async () => {
		nock('https://files.test', { badheaders: ['authorization', 'x-api-key'] })
			.get('/talk.mp3')
			.reply(200, 'a sound', { 'content-type': 'audio/mpeg' });
		const body = await sentBody(attach(fromUrl('audio', 'https://files.test/talk.mp3')));
		expect(JSON.stringify(body)).toContain(Buffer.from('a sound').toString('base64'));
		expect(JSON.stringify(body)).toContain('"format":"mp3"');
	});

	it('tells the type of a file that says none from its name', async () => {
		const items = [await withFiles({ ...sound, mimeType: 'application/octet-stream' })];
		const body = await sentBody(attach(fromField('audio', 'voice')), { items });
		expect(JSON.stringify(body)).toContain('"format":"mp3"');
	});

	it('takes a data URL for the file that it is', async () => {
		const body = await sentBody(attach(fromUrl('file', 'data:text/csv;base64,YSxi')));
		expect(JSON.stringify(body)).toContain('data:text/csv;base64,YSxi');
	});
});

describe('bad input names its parameter, and nothing is sent', () => {
	const cases: Array<[string, INodeParameters, string, string]> = [
		['no messages', rows(), 'There are no messages', 'messages'],
		[
			'an empty message',
			rows({ role: 'user', content: ' ' }),
			"'Messages', row 1: the message is empty",
			'messages',
		],
		[
			'an unknown role',
			rows({ role: 'boss', content: 'x' }),
			"'Messages', row 1: 'Role' has a value that is not allowed: \"boss\"",
			'messages',
		],
		[
			'only system messages in the messages format',
			{ format: 'messages', ...rows({ role: 'system', content: 'x' }) },
			'There is no message of the user',
			'messages',
		],
		['broken JSON messages', json('[{'), "'Messages (JSON)' is not valid JSON", 'messagesJson'],
		[
			'the messages that the panel begins with',
			json('[\n  { "role": "user", "content": "" }\n]'),
			"'Messages (JSON)' has no content",
			'messagesJson',
		],
		['an empty list', json('[]'), "'Messages (JSON)' is not a list of messages", 'messagesJson'],
		['a list of texts', json('["a"]'), "'Messages (JSON)' is not a list of messages", 'messagesJson'],
		[
			'an object for messages',
			json('{"role": "user"}'),
			"'Messages (JSON)' is not a list of messages",
			'messagesJson',
		],
		[
			'a plain text in the messages format',
			{ format: 'messages', ...json('"x"') },
			"'Messages (JSON)' is not a list",
			'messagesJson',
		],
		[
			'only system messages in the responses format',
			{ format: 'responses', ...rows({ role: 'system', content: 'x' }) },
			'There is no message of the user',
			'messages',
		],
		[
			'a data URL whose base64 is broken',
			attach(fromUrl('image', 'data:image/png;base64,***')),
			"'Attachments', row 1: the data URL cannot be read",
			'attachments',
		],
		[
			'a data URL that is no file',
			attach(fromUrl('image', 'data:text/plain,hello')),
			"'Attachments', row 1: the data URL cannot be read",
			'attachments',
		],
		[
			'an attachment field that is missing',
			attach(fromField('image', 'data')),
			"'Attachments', row 1: the input item has no binary field 'data'",
			'attachments',
		],
		[
			'an address that is none',
			attach(fromUrl('image', 'photo.png')),
			"'Attachments', row 1: the URL is not a web address",
			'attachments',
		],
		[
			'a video in the responses format',
			{ format: 'responses', ...attach(fromUrl('video', 'https://files.test/x')) },
			"'Attachments', row 1: the API format Responses has no video attachments",
			'attachments',
		],
		[
			'audio in the messages format',
			{ format: 'messages', ...attach(fromUrl('audio', 'https://files.test/x')) },
			"'Attachments', row 1: the API format Messages has no audio attachments",
			'attachments',
		],
		[
			'a JSON option that is broken',
			{ options: { logitBias: '{' } },
			'The option \'Logit Bias (JSON)\' has a value that is not allowed: "{"',
			'logitBias',
		],
		[
			'plugins that are no list',
			{ options: { plugins: '{}' } },
			'The option \'Plugins (JSON)\' has a value that is not allowed: "{}"',
			'plugins',
		],
		[
			'half a token',
			{ options: { maxTokens: 1.5 } },
			"The option 'Max Tokens' has a value that is not allowed: 1.5",
			'maxTokens',
		],
		[
			'an extra body that is broken',
			{ options: { extraBody: '{a' } },
			'The option \'Extra Body (JSON)\' has a value that is not allowed: "{a"',
			'extraBody',
		],
		[
			'an extra body that switches streaming on',
			{ options: { extraBody: '{"stream": true}' } },
			"'Extra Body (JSON)' must not hold 'stream'",
			'extraBody',
		],
	];
	const settings: RunOptions['settings'] = { onError: 'continueRegularOutput' };
	test.each(cases)('%s', async (_, parameters, message, param) => {
		const { items } = await generate(parameters, { settings });
		expect(items[0]?.json.error).toMatchObject({ message, param, code: 'invalid_input', retryable: false });
		expect(items[0]?.json.error).toMatchObject({ description: expect.stringMatching(/\w/) as string });
	});

	it('a file of another kind', async () => {
		const items = [await withFiles(paper)];
		const { error } = await generate(attach(fromField('image', 'paper')), { items });
		expect(error?.message).toBe('\'Attachments\', row 1: the file "d.pdf" is application/pdf, no image');
	});

	it.each([
		[
			'a page',
			'<html></html>',
			'text/html',
			'\'Attachments\', row 1: the file "talk.mp3" is text/html, no audio',
		],
		['nothing', '', 'audio/mpeg', '\'Attachments\', row 1: the file "talk.mp3" is empty'],
	])('%s in place of a file at an address', async (_, content, type, message) => {
		nock('https://files.test').get('/talk.mp3').reply(200, content, { 'content-type': type });
		const { error } = await generate(attach(fromUrl('audio', 'https://files.test/talk.mp3')));
		expect(error?.message).toBe(message);
	});

	it('a file that is not at its address', async () => {
		nock('https://files.test').get('/talk.mp3').reply(404);
		const { items } = await generate(attach(fromUrl('audio', 'https://files.test/talk.mp3')), { settings });
		expect(items[0]?.json.error).toMatchObject({
			message: "'Attachments', row 1: the file could not be fetched from its URL",
			description: expect.stringContaining('HTTP 404') as string,
			param: 'attachments',
		});
	});

	it('files that are too large together', async () => {
		nock('https://files.test')
			.get('/huge.mp3')
			.reply(200, 'x', { 'content-type': 'audio/mpeg', 'content-length': String(200 * 1024 * 1024) });
		const { error } = await generate(attach(fromUrl('audio', 'https://files.test/huge.mp3')));
		expect(error?.message).toBe("'Attachments', row 1: the attachments have more than 75 MB in total");
		expect(error?.description).toContain('Gateway Storage');
	});

	it('a missing field of one item does not keep the others from being sent', async () => {
		const items = [{ json: {} }, await withFiles(picture)];
		answering('chat');
		const result = await generate(attach(fromField('image', 'photo')), { items, settings });
		expect(result.items[0]?.json.error).toMatchObject({ param: 'attachments' });
		expect(result.items[1]?.json.text).toBe('Hello there');
	});
});

describe('several texts in an option', () => {
	it.each([
		['of the panel', ['a', 'b'], ['a', 'b']],
		['from an expression', '={{ ["a", "b"] }}', ['a', 'b']],
		['one that looks like a list', '={{ "[END]" }}', ['[END]']],
		['a row that gives a list', ['={{ ["a", "b"] }}', 'c'], ['a', 'b', 'c']],
	])('%s', async (_, stop, expected) => {
		expect((await sentBody({ options: { stop } })).stop).toStrictEqual(expected);
	});
});

describe('the extra body', () => {
	it('is merged last: objects field by field, everything else replaced', async () => {
		const body = await sentBody({
			options: {
				temperature: 0.1,
				providerSort: 'price',
				extraBody: '{"temperature": 0.9, "provider": {"data_collection": "deny"}, "new_field": [1]}',
			},
		});
		expect(body).toMatchObject({
			temperature: 0.9,
			provider: { sort: 'price', data_collection: 'deny' },
			new_field: [1],
		});
	});
});
