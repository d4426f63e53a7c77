import nock from 'nock';
import type { INodeParameters } from 'n8n-workflow';

import { jsonProblem } from '../../helpers/jsonProblem';
import { useNock } from '../../helpers/nock';
import { attach, fromField, fromUrl, picture, withFiles } from './files';
import { bySchema, generate, json, mockResponse, rows } from './support';

// Invalid input is rejected by its parameter, and nothing is sent.

useNock();

const settings = { onError: 'continueRegularOutput' as const };

/** The error of the item. */
async function errorOf(parameters: INodeParameters) {
	return (await generate(parameters, { settings })).items[0]?.json.error;
}

/** Of a parameter: what is invalid, and the message of its error. */
type Cases = Array<[what: string, parameters: INodeParameters, message: string]>;

const aboutRow = (row: INodeParameters) => rows({ role: 'user', content: 'Hi' }, row);
const tool = (fields: INodeParameters) => ({ tools: { function: [fields] } });
const extraBody = (value: string) => ({ options: { extraBody: value } });
const notAllowed = 'has a value that is not allowed:';
const cases: Record<string, Cases> = {
	model: [['that is empty', { model: { __rl: true, mode: 'id', value: '={{ "" }}' } }, "'Model' is empty"]],
	prompt: [
		['that is missing', { prompt: '={{ $json.missing }}' }, "'Prompt' is empty"],
		['of blanks', { prompt: '={{ "  " }}' }, "'Prompt' is empty"],
		['that is an object', { prompt: '={{ {a: 1} }}' }, "'Prompt' is not text"],
	],
	messages: [
		['that is empty', aboutRow({ content: ' ' }), "'Messages', row 2: 'Content' is empty"],
		[
			'of an assistant that says and calls nothing',
			aboutRow({ role: 'assistant', content: ' ', toolCallsJson: '' }),
			"'Messages', row 2: 'Content' is empty",
		],
		[
			'of an unknown role',
			aboutRow({ role: 'boss', content: 'x' }),
			`'Messages', row 2: 'Role' ${notAllowed} "boss"`,
		],
		[
			'with a result without the ID of its call',
			aboutRow({ role: 'tool', content: 'x', toolCallId: ' ' }),
			"'Messages', row 2: 'Tool Call ID' is empty",
		],
		[
			'with a file that cannot be read',
			aboutRow({ role: 'user', content: 'x', attachment: 'image', source: 'url', url: 'nowhere' }),
			"'Messages', row 2: the URL is not a web address",
		],
	],
	messagesJson: [
		['that is broken', json('[{'), `'Messages (JSON)' is not valid JSON: "[{" (${jsonProblem('[{')})`],
		...[
			'[\n  { "role": "user", "content": "" }\n]',
			'[{"content": ""}, {"content": ""}]',
			'[]',
			'["a"]',
			'" "',
			'[{"role": "user", "content": "x"}, "y"]',
			'{"role": "user"}',
		].map((value): Cases[number] => [
			value,
			json(value),
			"'Messages (JSON)' is not a list of messages with content",
		]),
	],
	attachments: [
		...['photo.png', ' ', 'https:///a.png', 'ftp://files.test/a', 'see https://files.test/a'].map(
			(url): Cases[number] => [
				`at "${url}"`,
				attach(fromUrl('image', url)),
				"'Attachments', row 1: the URL is not a web address",
			],
		),
		...['data:image/png;base64,***', 'data:text/plain'].map((url): Cases[number] => [
			`that is ${url}`,
			attach(fromUrl('image', url)),
			"'Attachments', row 1: the data URL cannot be read",
		]),
		[
			'of an empty data URL',
			attach(fromUrl('file', 'data:text/plain;base64,')),
			'\'Attachments\', row 1: the file "file.txt" is empty',
		],
		[
			'of an unknown kind, in its row',
			attach(fromUrl('image', 'https://files.test/a'), fromUrl('smell', 'https://files.test/a')),
			`'Attachments', row 2: 'Type' ${notAllowed} "smell"`,
		],
		[
			'from an unknown source',
			attach({ ...fromUrl('image', ''), source: 'air' }),
			`'Attachments', row 1: 'Source' ${notAllowed} "air"`,
		],
		[
			'from a field that the item does not have',
			attach(fromField('image', 'data')),
			"'Attachments', row 1: 'Input Binary Field' names the binary field 'data', which the input item does not have",
		],
	],
	format: [['that is unknown', { format: '={{ "soap" }}' }, `'API Format' ${notAllowed} "soap"`]],
	jsonSchema: [
		[
			'that is broken',
			{ ...bySchema, jsonSchema: '{"type": ' },
			`'JSON Schema' is not a JSON object: "{\\"type\\": " (${jsonProblem('{"type": ')})`,
		],
		['that is a list', { ...bySchema, jsonSchema: '[]' }, '\'JSON Schema\' is not a JSON object: "[]"'],
	],
	tools: [
		['without a name', tool({ name: ' ' }), "'Tools', row 1: 'Name' is empty"],
		...['Test Tool', 'погода', 'a.b', 'x'.repeat(65)].map((name): Cases[number] => [
			`with the name ${name}`,
			tool({ name }),
			`'Tools', row 1: 'Name' ${notAllowed} "${name}"`,
		]),
		[
			'with parameters that are no schema',
			tool({ name: 'look', parameters: '[1]' }),
			"'Tools', row 1: 'Parameters (JSON Schema)' is not a JSON object: \"[1]\"",
		],
	],
	schemaName: ['Карточка товара', 'my answer', 'x'.repeat(65)].map((schemaName): Cases[number] => [
		schemaName,
		{ ...bySchema, schemaName },
		`'Schema Name' ${notAllowed} "${schemaName}"`,
	]),
	thinking: [
		[
			'that is broken',
			{ format: 'messages', options: { thinking: '{' } },
			`The option 'Thinking (JSON)' is not a JSON object: "{" (${jsonProblem('{')})`,
		],
	],
	builtInTools: [
		[
			'that is no list',
			{ format: 'responses', options: { builtIn: { values: { builtInTools: '{}' } } } },
			'The option \'Built-In Tools (JSON)\' is not a JSON list: "{}"',
		],
	],
	temperature: [
		['out of range', { options: { temperature: '={{ 5 }}' } }, `The option 'Temperature' ${notAllowed} 5`],
	],
	maxTokens: [
		['of a fraction', { options: { maxTokens: 1.5 } }, `The option 'Max Tokens' ${notAllowed} 1.5`],
		[
			'that is no number',
			{ options: { maxTokens: '={{ "many" }}' } },
			`The option 'Max Tokens' ${notAllowed} "many"`,
		],
	],
	extraBody: [
		[
			'that is broken',
			extraBody('{a'),
			`The option 'Extra Body (JSON)' is not a JSON object: "{a" (${jsonProblem('{a')})`,
		],
		[
			'that turns streaming on',
			extraBody('{"stream": true}'),
			"'Extra Body (JSON)' must not contain 'stream'",
		],
	],
};

describe.each(Object.entries(cases))('%s', (param, own) => {
	it.each(own)('%s', async (_, parameters, message) => {
		const description = expect.stringMatching(/\w/) as string;
		const error = { message, description, param, code: 'invalid_input', retryable: false };
		expect(await errorOf(parameters)).toMatchObject(error);
	});
});

it.each([
	['responses', 'Responses', 'video'],
	['messages', 'Messages', 'audio'],
])('an attachment that the format %s does not support names one that does', async (format, label, kind) => {
	expect(await errorOf({ format, ...attach(fromUrl(kind, 'https://files.test/a')) })).toMatchObject({
		message: `'Attachments', row 1: the API format ${label} has no ${kind} attachments`,
		description: expect.stringMatching(/the API format Chat/) as string,
		param: 'attachments',
	});
});

it.each<[string, number, string, string, RegExp]>([
	['a page', 200, '<html></html>', 'text/html', /status 200/],
	['nothing', 200, '', 'audio/mpeg', /status 200/],
	['a file that is missing', 404, '', 'audio/mpeg', /status 404/],
])('%s at the URL of an attachment', async (_, status, content, type, description) => {
	nock('https://files.test').get('/talk.mp3').reply(status, content, { 'content-type': type });
	const options = { maxRetries: 0 };
	expect(
		await errorOf({ options, ...attach(fromUrl('audio', 'https://files.test/talk.mp3')) }),
	).toMatchObject({
		message: "'Attachments', row 1: the file could not be fetched from its URL",
		description: expect.stringMatching(description) as string,
		param: 'attachments',
	});
});

it('an attachment whose server cannot be reached, which is not an error of the gateway', async () => {
	nock('https://files.test')
		.get('/a.mp3')
		.times(4)
		.replyWithError(Object.assign(new Error('x'), { code: 'ENOTFOUND' }));
	const parameters = { options: { maxRetries: 0 }, ...attach(fromUrl('audio', 'https://files.test/a.mp3')) };
	expect(await errorOf(parameters)).toMatchObject({
		message: expect.stringContaining('could not be fetched') as string,
		description: expect.stringMatching(/nothing \(enotfound\)/) as string,
		param: 'attachments',
	});
});

it('a concurrency of 0, for all items', async () => {
	const { error } = await generate({ options: { concurrency: 0 } });
	expect(error?.message).toBe(`The option 'Concurrency' ${notAllowed} 0`);
});

it('a missing field of one item, while the others are sent', async () => {
	const items = [{ json: {} }, await withFiles(picture)];
	mockResponse('chat');
	const result = await generate(attach(fromField('image', 'photo')), { items, settings });
	expect(result.items[0]?.json.error).toMatchObject({ param: 'attachments' });
	expect(result.items[1]?.json.text).toBe('Hello there');
});
