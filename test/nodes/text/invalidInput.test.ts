import nock from 'nock';
import type { INodeParameters } from 'n8n-workflow';

import type { RunOptions } from '../../helpers/engine';
import { useNock } from '../../helpers/nock';
import { attach, fromField, fromUrl, picture, withFiles } from './files';
import { generate, json, mockResponse, rows } from './support';
import { jsonProblem } from '../../helpers/jsonProblem';

useNock();

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
			'broken JSON messages',
			json('[{'),
			`'Messages (JSON)' is not valid JSON: "[{" (${jsonProblem('[{')})`,
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
		['a blank text', json('" "'), "'Messages (JSON)' is not a list of messages", 'messagesJson'],
		[
			'texts among messages',
			json('[{"role": "user", "content": "x"}, "y"]'),
			"'Messages (JSON)' is not a list of messages",
			'messagesJson',
		],
		[
			'several empty messages',
			json('[{"content": ""}, {"content": ""}]'),
			"'Messages (JSON)' has no content",
			'messagesJson',
		],
		[
			'an object for messages',
			json('{"role": "user"}'),
			"'Messages (JSON)' is not a list of messages",
			'messagesJson',
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
			{ format: 'messages', options: { thinking: '{' } },
			`The option 'Thinking (JSON)' is not a JSON object: "{" (${jsonProblem('{')})`,
			'thinking',
		],
		[
			'tools that are not a list',
			{ format: 'responses', options: { builtInTools: '{}' } },
			'The option \'Built-In Tools (JSON)\' is not a JSON list: "{}"',
			'builtInTools',
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
			`The option 'Extra Body (JSON)' is not a JSON object: "{a" (${jsonProblem('{a')})`,
			'extraBody',
		],
		[
			'an extra body that turns streaming on',
			{ options: { extraBody: '{"stream": true}' } },
			"'Extra Body (JSON)' must not contain 'stream'",
			'extraBody',
		],
	];
	const settings: RunOptions['settings'] = { onError: 'continueRegularOutput' };
	test.each(cases)('%s', async (_, parameters, message, param) => {
		const { items } = await generate(parameters, { settings });
		expect(items[0]?.json.error).toMatchObject({ message, param, code: 'invalid_input', retryable: false });
		expect(items[0]?.json.error).toMatchObject({ description: expect.stringMatching(/\w/) as string });
	});

	it.each([
		[
			'a page',
			'<html></html>',
			'text/html',
			"'Attachments', row 1: the file could not be fetched from its URL",
		],
		['nothing', '', 'audio/mpeg', "'Attachments', row 1: the file could not be fetched from its URL"],
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

	it('a missing field of one item, while the others are sent', async () => {
		const items = [{ json: {} }, await withFiles(picture)];
		mockResponse('chat');
		const result = await generate(attach(fromField('image', 'photo')), { items, settings });
		expect(result.items[0]?.json.error).toMatchObject({ param: 'attachments' });
		expect(result.items[1]?.json.text).toBe('Hello there');
	});
});
