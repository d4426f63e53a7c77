import type { INodeParameters } from 'n8n-workflow';
import nock from 'nock';

import { useGateway } from '../../contract/support';
import { useNock } from '../../helpers/nock';
import { eventually } from '../../helpers/time';
import { CONTINUE, locator } from '../../helpers/values';
import { attach, b64, fromField, fromUrl, paper, picture, withFiles } from './files';
import { bySchema, generate, json, rows, sentBody } from './support';

describe('input', () => {
	useNock();

	/** The messages that are sent for these rows. */
	const sentRows = async (message: INodeParameters[], extra = {}) =>
		(await sentBody(rows(...message), extra)).messages;
	const user = (content: unknown) => ({ role: 'user', content });

	it('tool calls in rows are sent with their results, also from an expression, and with an empty result', async () => {
		const sentCall = (id: string, name: string, args: string) => ({
			id,
			type: 'function',
			function: { name, arguments: args },
		});
		const calls = [{ id: 'c1', name: 'get_weather', arguments: { city: 'Oslo' } }];
		const made = [
			{ id: 7, name: 'f', arguments: '{"a":1}' },
			{ id: 'c8', name: 'g' },
		];
		const item = { json: { toolCalls: made } };
		const message = [
			{ role: 'assistant', content: '', toolCallsJson: JSON.stringify(calls) },
			{ role: 'tool', content: '7 °C', toolCallId: ' c1 ' },
			{ role: 'assistant', content: 'I look', toolCallsJson: '={{ $json.toolCalls }}' },
			{ role: 'tool', content: '', toolCallId: '7' },
		];
		expect(await sentRows(message, { items: [item] })).toStrictEqual([
			{ role: 'assistant', content: null, tool_calls: [sentCall('c1', 'get_weather', '{"city":"Oslo"}')] },
			{ role: 'tool', tool_call_id: 'c1', content: '7 °C' },
			{
				role: 'assistant',
				content: 'I look',
				tool_calls: [sentCall('7', 'f', '{"a":1}'), sentCall('c8', 'g', '{}')],
			},
			{ role: 'tool', tool_call_id: '7', content: '' },
		]);
	});

	it('files in rows go with their messages', async () => {
		const row = (content: string, { type = '', ...source }: Record<string, string>) => ({
			...{ role: 'user', content, attachment: type },
			...source,
		});
		const message = [
			row('What is this?', fromField('image', 'photo')),
			row('', fromField('file', 'paper')),
			row('And this?', fromUrl('image', 'https://x.test/a.png')),
		];
		const image = (url: string) => ({ type: 'image_url', image_url: { url } });
		const file = { filename: 'd.pdf', file_data: `data:application/pdf;base64,${b64(paper)}` };
		expect(await sentRows(message, { items: [await withFiles(picture, paper)] })).toStrictEqual([
			user([{ type: 'text', text: 'What is this?' }, image(`data:image/png;base64,${b64(picture)}`)]),
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
		it('may have an empty one among others', async () => {
			const sent = [
				{ role: 'assistant', content: '' },
				{ role: 'user', content: 'Hi' },
			];
			expect((await sentBody(json(JSON.stringify(sent)))).messages).toStrictEqual(sent);
		});
		it.each(['"Once"', '={{ [{ role: "user", content: "Once" }] }}'])(
			'may be a plain text, which the user says, and a list from an expression: %s',
			async (messagesJson) => {
				const body = { messages: [{ role: 'user', content: 'Once' }] };
				expect(await sentBody(json(messagesJson))).toMatchObject(body);
			},
		);
	});
});

describe('invalid input', () => {
	// Invalid input is rejected by its parameter, and nothing is sent.

	useNock();

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
	const smell = attach(fromUrl('image', 'https://files.test/a'), fromUrl('smell', 'https://files.test/a'));
	const cases: Record<string, Cases> = {
		model: [['that is empty', { model: locator('={{ "" }}') }, "'Model' is empty"]],
		prompt: [
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
		jsonSchema: [
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

	const sentPart = async (attachment: Record<string, string>) => {
		const { messages } = await sentBody({ prompt: 'Look', ...attach(attachment) });
		const [message] = messages as Array<{ role: string; content: unknown[] }>;
		return message?.content.slice(1);
	};

	it('go with the prompt, also behind a system prompt', async () => {
		const url = 'https://files.test/a.png';
		const prompts = { systemPrompt: 'Be brief', prompt: 'Look' };
		expect((await sentBody({ ...prompts, ...attach(fromUrl('image', url)) })).messages).toStrictEqual([
			{ role: 'system', content: 'Be brief' },
			{
				role: 'user',
				content: [
					{ type: 'text', text: 'Look' },
					{ type: 'image_url', image_url: { url } },
				],
			},
		]);
	});

	it.each([
		['/b/talk.pdf?x=1', 'talk.pdf'],
		['/', 'file.pdf'],
	])(
		'a file at %s is fetched without the key as %s, when the format accepts only bytes',
		async (path, filename) => {
			nock('https://files.test', { badheaders: ['authorization', 'x-api-key'] })
				.get(path)
				.reply(200, 'A', { 'content-type': 'application/pdf' });
			const file = { filename, file_data: 'data:application/pdf;base64,QQ==' };
			expect(await sentPart(fromUrl('file', `https://files.test${path}`))).toStrictEqual([
				{ type: 'file', file },
			]);
		},
	);

	it('a data URL in capitals is read as a file of any type; a picture at a URL is sent without the blanks around it', async () => {
		const file = { filename: 'file', file_data: 'data:application/x-a;base64,YSxi' };
		expect(await sentPart(fromUrl('file', 'DATA:application/x-a,a%2Cb'))).toStrictEqual([
			{ type: 'file', file },
		]);
		expect(await sentPart(fromUrl('image', '  HTTPS://files.test/a.png '))).toStrictEqual([
			{ type: 'image_url', image_url: { url: 'HTTPS://files.test/a.png' } },
		]);
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

describe('large attachment', () => {
	const gateway = useGateway();

	it('a file at a URL is read up to 75 MB, and no request is sent', async () => {
		const { url } = gateway.control.createBigFile({ size: 400 * 1024 * 1024, mimeType: 'audio/mpeg' });
		const { items } = await gateway.generate(attach(fromUrl('audio', url)), { settings: CONTINUE });
		expect(items[0]?.json.error).toMatchObject({
			message: expect.stringMatching(/row 1: .*75 MB/) as string,
			param: 'attachments',
		});
		const isGivenUp = () => gateway.control.requests({ host: 'files' })[0]?.outcome === 'aborted';
		await eventually(isGivenUp);
		expect(gateway.control.requests({ method: 'POST' })).toStrictEqual([]);
	});
});
