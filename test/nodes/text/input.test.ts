import nock from 'nock';
import type { INodeParameters } from 'n8n-workflow';

import type { RunOptions } from '../../helpers/engine';
import { useNock } from '../../helpers/nock';
import { attach, b64, fromField, fromUrl, paper, picture, withFiles } from './files';
import { mockResponse, generate, sentBody } from './support';

useNock();

const rows = (...message: INodeParameters[]): INodeParameters => ({
	inputMode: 'messages',
	messages: { message },
});
const json = (messagesJson: string): INodeParameters => ({ inputMode: 'json', messagesJson });

describe('messages in rows', () => {
	const conversation = rows(
		{ role: 'system', content: 'Be brief' },
		{ role: 'user', content: 'Hi' },
		{ role: 'assistant', content: 'Hello' },
		{ role: 'user', content: '2024' },
	);
	const sent = [
		{ role: 'user', content: 'Hi' },
		{ role: 'assistant', content: 'Hello' },
		{ role: 'user', content: '2024' },
	];

	it('chat: are sent in order', async () => {
		expect(await sentBody(conversation)).toMatchObject({
			messages: [{ role: 'system', content: 'Be brief' }, ...sent],
		});
	});
	it('responses: have a leading system message as instructions', async () => {
		expect(await sentBody({ ...conversation, format: 'responses' })).toMatchObject({
			instructions: 'Be brief',
			input: sent,
		});
	});
	it('messages: have the system messages in a field of their own', async () => {
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

describe('tool calls in rows', () => {
	const calls = [{ id: 'c1', name: 'get_weather', arguments: { city: 'Oslo' } }];
	const conversation = rows(
		{ role: 'user', content: 'How warm is it?' },
		{ role: 'assistant', content: '', toolCallsJson: JSON.stringify(calls) },
		{ role: 'tool', content: '7 °C', toolCallId: ' c1 ' },
	);

	it.each<[string, object]>([
		[
			'chat',
			{
				messages: [
					{ role: 'user', content: 'How warm is it?' },
					{
						role: 'assistant',
						content: null,
						tool_calls: [
							{ id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } },
						],
					},
					{ role: 'tool', tool_call_id: 'c1', content: '7 °C' },
				],
			},
		],
		[
			'responses',
			{
				input: [
					{ role: 'user', content: 'How warm is it?' },
					{ type: 'function_call', call_id: 'c1', name: 'get_weather', arguments: '{"city":"Oslo"}' },
					{ type: 'function_call_output', call_id: 'c1', output: '7 °C' },
				],
			},
		],
		[
			'messages',
			{
				messages: [
					{ role: 'user', content: 'How warm is it?' },
					{
						role: 'assistant',
						content: [{ type: 'tool_use', id: 'c1', name: 'get_weather', input: { city: 'Oslo' } }],
					},
					{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: '7 °C' }] },
				],
			},
		],
	])('%s: are sent with their results', async (format, body) => {
		expect(await sentBody({ ...conversation, format })).toMatchObject(body);
	});

	it('may come from an expression, with arguments as text and an empty result', async () => {
		const item = { json: { toolCalls: [{ id: 7, name: 'f', arguments: '{"a":1}' }] } };
		const messages = rows(
			{ role: 'user', content: 'Go' },
			{ role: 'assistant', content: 'I look', toolCallsJson: '={{ $json.toolCalls }}' },
			{ role: 'tool', content: '', toolCallId: '7' },
		);
		expect((await sentBody(messages, { items: [item] })).messages).toStrictEqual([
			{ role: 'user', content: 'Go' },
			{
				role: 'assistant',
				content: 'I look',
				tool_calls: [{ id: '7', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
			},
			{ role: 'tool', tool_call_id: '7', content: '' },
		]);
	});

	it.each<[string, INodeParameters, string]>([
		[
			'a tool call without a name',
			{ role: 'assistant', content: '', toolCallsJson: '[{ "id": "c1" }]' },
			"row 2: 'Tool Calls (JSON)' has a tool call without an ID or a name",
		],
		[
			'a result without the ID of its call',
			{ role: 'tool', content: 'x', toolCallId: ' ' },
			"row 2: 'Tool Call ID' is empty",
		],
		[
			'an assistant that says and calls nothing',
			{ role: 'assistant', content: ' ', toolCallsJson: '' },
			"row 2: 'Content' is empty",
		],
	])('%s is not sent', async (_, row, message) => {
		const { error } = await generate(rows({ role: 'user', content: 'Go' }, row));
		expect(error?.message).toContain(message);
	});
});

describe('files in rows', () => {
	it('go with their messages', async () => {
		const item = await withFiles(picture, paper);
		const body = await sentBody(
			rows(
				{
					role: 'user',
					content: 'What is this?',
					attachment: 'image',
					source: 'binary',
					binaryPropertyName: 'photo',
				},
				{
					role: 'assistant',
					content: 'A picture',
					attachment: 'image',
					source: 'url',
					url: 'https://x.test/no.png',
				},
				{ role: 'user', content: '', attachment: 'file', source: 'binary', binaryPropertyName: 'paper' },
				{
					role: 'user',
					content: 'And this?',
					attachment: 'image',
					source: 'url',
					url: 'https://x.test/a.png',
				},
			),
			{ items: [item] },
		);
		expect(body.messages).toStrictEqual([
			{
				role: 'user',
				content: [
					{ type: 'text', text: 'What is this?' },
					{ type: 'image_url', image_url: { url: `data:image/png;base64,${b64(picture)}` } },
				],
			},
			{ role: 'assistant', content: 'A picture' },
			{
				role: 'user',
				content: [
					{
						type: 'file',
						file: { filename: 'd.pdf', file_data: `data:application/pdf;base64,${b64(paper)}` },
					},
				],
			},
			{
				role: 'user',
				content: [
					{ type: 'text', text: 'And this?' },
					{ type: 'image_url', image_url: { url: 'https://x.test/a.png' } },
				],
			},
		]);
	});

	it('that cannot be read name their row', async () => {
		const { error } = await generate(
			rows(
				{ role: 'user', content: 'Hi' },
				{ role: 'user', content: 'x', attachment: 'image', source: 'url', url: 'nowhere' },
			),
		);
		expect(error?.message).toBe("'Messages', row 2: the URL is not a web address");
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
	it('chat: may be a plain text as a prompt', async () => {
		const body = await sentBody(json('"Once"'));
		expect(body).toMatchObject({ prompt: 'Once' });
		expect(body).not.toHaveProperty('messages');
	});
	it('may be a list from an expression', async () => {
		expect(await sentBody(json('={{ [{ role: "user", content: "x" }] }}'))).toMatchObject({
			messages: [{ role: 'user', content: 'x' }],
		});
	});
});

describe('invalid input is rejected by its parameter, and nothing is sent', () => {
	const cases: Array<[string, INodeParameters, string, string]> = [
		['no messages', rows(), 'There are no messages', 'messages'],
		[
			'an empty message',
			rows({ role: 'user', content: ' ' }),
			"'Messages', row 1: 'Content' is empty",
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
		[
			'broken JSON messages',
			json('[{'),
			'\'Messages (JSON)\' is not valid JSON: "[{" (line 1, character 3: expected a name in double quotes)',
			'messagesJson',
		],
		[
			'the default messages of the panel',
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
			'a data URL that is not a file',
			attach(fromUrl('image', 'data:text/plain,hello')),
			"'Attachments', row 1: the data URL cannot be read",
			'attachments',
		],
		[
			'an attachment field that is missing',
			attach(fromField('image', 'data')),
			"'Attachments', row 1: 'Input Binary Field' names the binary field 'data', which the input item does not have",
			'attachments',
		],
		[
			'an invalid URL',
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
			'The option \'Logit Bias (JSON)\' is not a JSON object: "{" (line 1, character 2: expected a name in double quotes)',
			'logitBias',
		],
		[
			'plugins that are not a list',
			{ options: { plugins: '{}' } },
			'The option \'Plugins (JSON)\' is not a JSON list: "{}"',
			'plugins',
		],
		[
			'a fraction of a token',
			{ options: { maxTokens: 1.5 } },
			"The option 'Max Tokens' has a value that is not allowed: 1.5",
			'maxTokens',
		],
		[
			'an extra body that is broken',
			{ options: { extraBody: '{a' } },
			'The option \'Extra Body (JSON)\' is not a JSON object: "{a" (line 1, character 2: expected a name in double quotes instead of a)',
			'extraBody',
		],
		[
			'an extra body that turns streaming on',
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

	it('an attachment without a place in the format, with the formats that have one', async () => {
		const video = attach(fromUrl('video', 'https://files.test/x'));
		const { error } = await generate({ format: 'responses', ...video });
		expect(error?.description).toMatch(/^Choose the API format Chat Completions\./);
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
	])('%s in place of a file at a URL', async (_, content, type, message) => {
		nock('https://files.test').get('/talk.mp3').reply(200, content, { 'content-type': type });
		const { error } = await generate(attach(fromUrl('audio', 'https://files.test/talk.mp3')));
		expect(error?.message).toBe(message);
	});

	it('a file that is missing at its URL', async () => {
		nock('https://files.test').get('/talk.mp3').reply(404);
		const { items } = await generate(attach(fromUrl('audio', 'https://files.test/talk.mp3')), { settings });
		expect(items[0]?.json.error).toMatchObject({
			message: "'Attachments', row 1: the file could not be fetched from its URL",
			description: expect.stringContaining('status 404') as string,
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

	it('a missing field of one item, while the others are sent', async () => {
		const items = [{ json: {} }, await withFiles(picture)];
		mockResponse('chat');
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
		['a row with a list', ['={{ ["a", "b"] }}', 'c'], ['a', 'b', 'c']],
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
