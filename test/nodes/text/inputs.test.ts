import { once } from 'node:events';

import type { INodeParameters } from 'n8n-workflow';
import nock from 'nock';

import { useNock } from '../../helpers/nock';
import { useServer } from '../../helpers/server';
import { CONTINUE, locator } from '../../helpers/values';
import { attach, b64, fromField, fromUrl, paper, picture, withFiles } from './files';
import { bySchema, generate, json, rows, sentBody } from './support';

describe('input', () => {
	useNock();

	/** The messages that are sent for these rows. */
	const sentRows = async (message: INodeParameters[], extra = {}) =>
		(await sentBody(rows(...message), extra)).messages;
	const user = (content: unknown) => ({ role: 'user', content });

	describe('tool calls in rows', () => {
		const sentCall = (id: string, name: string, args: string) => ({
			id,
			type: 'function',
			function: { name, arguments: args },
		});

		it('are sent with their results', async () => {
			const calls = [{ id: 'c1', name: 'get_weather', arguments: { city: 'Oslo' } }];
			const sent = await sentRows([
				{ role: 'user', content: 'How warm is it?' },
				{ role: 'assistant', content: '', toolCallsJson: JSON.stringify(calls) },
				{ role: 'tool', content: '7 °C', toolCallId: ' c1 ' },
			]);
			expect(sent).toStrictEqual([
				user('How warm is it?'),
				{ role: 'assistant', content: null, tool_calls: [sentCall('c1', 'get_weather', '{"city":"Oslo"}')] },
				{ role: 'tool', tool_call_id: 'c1', content: '7 °C' },
			]);
		});

		it('may come from an expression, with arguments as text and an empty result', async () => {
			const item = { json: { toolCalls: [{ id: 7, name: 'f', arguments: '{"a":1}' }] } };
			const message = [
				{ role: 'assistant', content: 'I look', toolCallsJson: '={{ $json.toolCalls }}' },
				{ role: 'tool', content: '', toolCallId: '7' },
			];
			expect(await sentRows(message, { items: [item] })).toStrictEqual([
				{ role: 'assistant', content: 'I look', tool_calls: [sentCall('7', 'f', '{"a":1}')] },
				{ role: 'tool', tool_call_id: '7', content: '' },
			]);
		});
	});

	it('files in rows go with their messages', async () => {
		const row = (role: string, content: string, { type = '', ...source }: Record<string, string>) => ({
			...{ role, content, attachment: type },
			...source,
		});
		const message = [
			row('user', 'What is this?', fromField('image', 'photo')),
			row('assistant', 'A picture', fromUrl('image', 'https://x.test/no.png')),
			row('user', '', fromField('file', 'paper')),
			row('user', 'And this?', fromUrl('image', 'https://x.test/a.png')),
		];
		const image = (url: string) => ({ type: 'image_url', image_url: { url } });
		const file = { filename: 'd.pdf', file_data: `data:application/pdf;base64,${b64(paper)}` };
		expect(await sentRows(message, { items: [await withFiles(picture, paper)] })).toStrictEqual([
			user([{ type: 'text', text: 'What is this?' }, image(`data:image/png;base64,${b64(picture)}`)]),
			{ role: 'assistant', content: 'A picture' },
			user([{ type: 'file', file }]),
			user([{ type: 'text', text: 'And this?' }, image('https://x.test/a.png')]),
		]);
	});

	describe('a role from an expression', () => {
		const file = { attachment: 'image', source: 'url', url: 'https://files.test/a.png' };
		const toolCallsJson = '[{ "id": "c1", "name": "f", "arguments": {} }]';

		it.each<[string, INodeParameters]>([
			['assistant', { cache: true, ...file }],
			['user', { toolCallsJson }],
		])('of the %s leaves out what only another role has', async (role, others) => {
			const sent = await sentRows([{ role: `={{ "${role}" }}`, content: 'Hello', ...others }]);
			expect(sent).toStrictEqual([{ role, content: 'Hello' }]);
		});
	});

	it('rows are sent in order, and the cache ends after each that says so', async () => {
		const marked = (text: string) => [{ type: 'text', text, cache_control: { type: 'ephemeral' } }];
		const sent = await sentRows([
			{ role: 'system', content: 'Be brief', cache: true },
			{ role: 'user', content: 'Hi', cache: false },
			{ role: 'assistant', content: 'Hello' },
			{ role: 'user', content: '2024', cache: true },
		]);
		expect(sent).toStrictEqual([
			{ role: 'system', content: marked('Be brief') },
			user('Hi'),
			{ role: 'assistant', content: 'Hello' },
			user(marked('2024')),
		]);
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
		it('may be a plain text, which the user says', async () => {
			expect(await sentBody(json('"Once"'))).toMatchObject({ messages: [{ role: 'user', content: 'Once' }] });
		});
		it('may be a list from an expression', async () => {
			expect(await sentBody(json('={{ [{ role: "user", content: "x" }] }}'))).toMatchObject({
				messages: [{ role: 'user', content: 'x' }],
			});
		});
	});

	it('the extra body is merged last: objects field by field, everything else replaced', async () => {
		const body = await sentBody({
			options: {
				temperature: 0.1,
				providerRouting: { values: { providerSort: 'price' } },
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

describe('invalid input', () => {
	// Invalid input is rejected by its parameter, and nothing is sent.

	useNock();

	/** What this version of Node.js says of text that is not JSON. */
	function jsonProblem(text: string): string {
		try {
			return `is JSON: ${JSON.stringify(JSON.parse(text))}`;
		} catch (error) {
			return (error as Error).message;
		}
	}

	/** The error of the item. */
	async function errorOf(parameters: INodeParameters) {
		return (await generate(parameters, { settings: CONTINUE })).items[0]?.json.error;
	}

	/** Of a parameter: what is invalid, and the message of its error. */
	type Cases = Array<[what: string, parameters: INodeParameters, message: string]>;

	const row = (fields: INodeParameters) => rows({ role: 'user', content: 'Hi' }, fields);
	const image = (url: string) => attach(fromUrl('image', url));
	const tool = (fields: INodeParameters) => ({ tools: { function: [fields] } });
	const [ROW, FILE] = ["'Messages', row 2:", "'Attachments', row 1:"];
	const OTHER = 'has a value that is not allowed:';
	const nowhere = { role: 'user', content: 'x', attachment: 'image', source: 'url', url: 'nowhere' };
	const broken = { ...bySchema, jsonSchema: '{"type": ' };
	const smell = attach(fromUrl('image', 'https://files.test/a'), fromUrl('smell', 'https://files.test/a'));
	const cases: Record<string, Cases> = {
		model: [['that is empty', { model: locator('={{ "" }}') }, "'Model' is empty"]],
		prompt: [
			['that is missing', { prompt: '={{ $json.missing }}' }, "'Prompt' is empty"],
			['of blanks', { prompt: '={{ "  " }}' }, "'Prompt' is empty"],
			['that is an object', { prompt: '={{ {a: 1} }}' }, "'Prompt' is not text"],
		],
		messages: [
			['that is empty', row({ content: ' ' }), `${ROW} 'Content' is empty`],
			['of an assistant who is silent', row({ role: 'assistant' }), `${ROW} 'Content' is empty`],
			['of an unknown role', row({ role: 'boss', content: 'x' }), `${ROW} 'Role' ${OTHER} "boss"`],
			['without the ID of a call', row({ role: 'tool', toolCallId: ' ' }), `${ROW} 'Tool Call ID' is empty`],
			['with a file that cannot be read', row(nowhere), `${ROW} the URL is not a web address`],
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
				(url): Cases[number] => [`at "${url}"`, image(url), `${FILE} the URL is not a web address`],
			),
			...['data:image/png;base64,***', 'data:text/plain'].map((url): Cases[number] => {
				return [`that is ${url}`, image(url), `${FILE} the data URL cannot be read`];
			}),
			['of no bytes', image('data:image/png;base64,%0A'), `${FILE} the file "file.png" is empty`],
			['of an unknown kind, in its row', smell, `'Attachments', row 2: 'Type' ${OTHER} "smell"`],
			['from elsewhere', attach({ type: 'image', source: 'air' }), `${FILE} 'Source' ${OTHER} "air"`],
			[
				'from a field that the item does not have',
				attach(fromField('image', 'data')),
				`${FILE} 'Input Binary Fields' names the binary field 'data', which the input item does not have`,
			],
		],
		format: [['that is unknown', { format: '={{ "soap" }}' }, `'API Format' ${OTHER} "soap"`]],
		jsonSchema: [
			[
				'that is broken',
				broken,
				`'JSON Schema' is not a JSON object: "{\\"type\\": " (${jsonProblem(broken.jsonSchema)})`,
			],
			['that is a list', { ...bySchema, jsonSchema: '[]' }, '\'JSON Schema\' is not a JSON object: "[]"'],
		],
		tools: [
			['without a name', tool({ name: ' ' }), "'Tools', row 1: 'Name' is empty"],
			[
				'with parameters that are no schema',
				tool({ name: 'look', parameters: '[1]' }),
				"'Tools', row 1: 'Parameters (JSON Schema)' is not a JSON object: \"[1]\"",
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

	it.each<[string, (file: nock.Interceptor) => unknown, RegExp]>([
		['a page', (file) => file.reply(200, '<html></html>', { 'content-type': 'text/html' }), /web page/],
		['nothing', (file) => file.reply(200, '', { 'content-type': 'audio/mpeg' }), /is empty/],
		['a file that is missing', (file) => file.reply(404, ''), /status 404/],
		[
			'a server that cannot be reached',
			(file) => file.times(4).replyWithError(Object.assign(new Error('x'), { code: 'ENOTFOUND' })),
			/could not be reached/,
		],
	])('%s at the URL of an attachment is no error of the gateway', async (_, answer, description) => {
		answer(nock('https://files.test').get('/talk.mp3'));
		const attachment = attach(fromUrl('audio', 'https://files.test/talk.mp3'));
		expect(await errorOf({ options: { maxRetries: 0 }, ...attachment })).toMatchObject({
			message: "'Attachments', row 1: the file could not be fetched from its URL",
			description: expect.stringMatching(description) as string,
			param: 'attachments',
		});
	});
});

describe('attachments', () => {
	useNock();

	it('a URL is fetched without the key when the format accepts only bytes', async () => {
		nock('https://files.test', { badheaders: ['authorization', 'x-api-key'] })
			.get('/talk.mp3')
			.reply(200, 'a sound', { 'content-type': 'audio/mpeg' });
		const body = await sentBody(attach(fromUrl('audio', 'https://files.test/talk.mp3')));
		expect(JSON.stringify(body)).toContain(Buffer.from('a sound').toString('base64'));
		expect(JSON.stringify(body)).toContain('"format":"mp3"');
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
	});

	it.each([
		['video', 'https://files.test/a.ogg'],
		['image', 'https://files.test/a.pdf'],
		['image', 'https://files.test/a.pdf?format=png'],
		['image', 'https://files.test/a'],
	])('the name in a URL does not keep %s from being sent by %s', async (kind, url) => {
		const { messages } = await sentBody(attach(fromUrl(kind, url)));
		expect(JSON.stringify(messages)).toContain(url);
	});
});

describe('endless attachment', () => {
	// A file without an end, over a real socket.

	const MEGABYTE = Buffer.alloc(1024 * 1024, 'a');
	const MOST_MEGABYTES = 400;

	let sent = 0;

	beforeAll(() => nock.restore());
	const server = useServer((_, response) => {
		const send = async () => {
			response.writeHead(200, { 'Content-Type': 'audio/mpeg' });
			for (; sent < MOST_MEGABYTES && !response.destroyed; sent += 1) {
				if (response.write(MEGABYTE)) continue;
				const over = new AbortController();
				await Promise.race([once(response, 'drain', over), once(response, 'close', over)]);
				over.abort();
			}
			response.end();
		};
		void send();
	});

	it('an endless attachment is read up to the limit, and no request is sent', async () => {
		const { items } = await generate(attach(fromUrl('audio', `${server.origin()}/a.mp3`)), {
			settings: CONTINUE,
		});
		expect(items[0]?.json.error).toMatchObject({
			message: expect.stringMatching(/row 1: .*75 MB/) as string,
			param: 'attachments',
		});
		expect(sent).toBeGreaterThanOrEqual(75);
		expect(sent).toBeLessThan(MOST_MEGABYTES);
	});
});
