import type {
	Attachment,
	ChatMessage,
	Role,
	TextRequest,
	ToolDefinition,
	ToolMessage,
} from '../../../../nodes/shared/gateway/text/formats/request';
import { compact, type Json, type JsonObject, omit } from '../../../../nodes/shared/gateway/util/json';
import { bodyOf, fromUrl, inline, lookWith, messages } from './support';

describe('bodies', () => {
	type Format = 'chat' | 'responses' | 'messages';
	/** What each format makes of the same request. */
	type PerFormat<T> = Record<Format, T>;

	/** The body without the model. */
	function sent(format: Format, parts: Partial<TextRequest>): JsonObject {
		const { model, ...body } = bodyOf(format, parts);
		expect(model).toBe('acme/writer');
		return body;
	}
	const hi = [{ role: 'user', content: 'Hi' }];
	/** The body of a request that only says "Hi". */
	const BARE: PerFormat<JsonObject> = {
		chat: { messages: hi },
		responses: { input: 'Hi' },
		messages: { messages: hi, max_tokens: 4096 },
	};
	/** What is expected of each format, if anything. */
	type Part = JsonObject | undefined;
	type Expected = [chat?: Part, responses?: Part, messages?: Part];
	const byFormat = ([chat, responses, messages]: Expected) =>
		Object.entries(compact({ chat, responses, messages })) as Array<[Format, JsonObject]>;

	const schema = { type: 'object', properties: {} };
	const look = { name: 'look', parameters: schema };
	const said = (role: Role, text: string): ChatMessage => ({ role, text });
	const calling = (text: string, ...list: Array<[id: string, args: string]>): ChatMessage => {
		const toolCalls = list.map(([id, args]) => ({ id, name: 'look', arguments: args }));
		return { role: 'assistant', text, toolCalls };
	};
	const result = (callId: string): ToolMessage => ({ role: 'tool', callId, text: `seen ${callId}` });

	/** The same on the wire. */
	const wire = (role: Role, content: Json) => ({ role, content });
	const part = (text: string, type = 'text') => ({ type, text });
	const chatCall = (id: string, args: string) => {
		return { id, type: 'function', function: { name: 'look', arguments: args } };
	};
	const chatResult = (id: string) => ({ role: 'tool', tool_call_id: id, content: `seen ${id}` });
	const itemCall = (id: string, args: string) => {
		return { type: 'function_call', call_id: id, name: 'look', arguments: args };
	};
	const itemResult = (id: string) => ({ type: 'function_call_output', call_id: id, output: `seen ${id}` });
	const toolUse = (id: string, input: JsonObject) => ({ type: 'tool_use', id, name: 'look', input });
	const toolResult = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: `seen ${id}` });

	const mixed = [
		said('developer', 'In English'),
		said('user', 'Hi'),
		said('system', 'Be brief'),
		said('assistant', ' \n'),
		said('user', ''),
	];
	const mixedList = mixed.map(({ role, text }) => wire(role, text));
	const mixedOnWire = { chat: { messages: mixedList }, responses: { input: mixedList } };
	const mixedInMessages = { system: 'In English\n\nBe brief', messages: hi };

	it.each<[string, Array<ChatMessage | ToolMessage>, PerFormat<JsonObject>]>([
		[
			'a system message at the beginning',
			[said('system', 'Be brief'), said('user', 'Hi')],
			{
				chat: { messages: [wire('system', 'Be brief'), ...hi] },
				responses: { instructions: 'Be brief', input: 'Hi' },
				messages: { system: 'Be brief', messages: hi },
			},
		],
		[
			'a system message alone',
			[said('system', 'Be brief')],
			{
				chat: { messages: [wire('system', 'Be brief')] },
				responses: { input: [wire('system', 'Be brief')] },
				messages: { system: 'Be brief', messages: [] },
			},
		],
		['each role, with an empty message', mixed, { ...mixedOnWire, messages: mixedInMessages }],
		[
			'tool calls, and the results of those that were called together',
			[
				said('user', 'Hi'),
				calling('', ['a', '{"a":1}'], ['b', '']),
				result('a'),
				result('b'),
				calling('Wait', ['c', '[1]']),
				result('c'),
				said('user', 'And?'),
				result('d'),
			],
			{
				chat: {
					messages: [
						...hi,
						{ ...wire('assistant', null), tool_calls: [chatCall('a', '{"a":1}'), chatCall('b', '')] },
						chatResult('a'),
						chatResult('b'),
						{ ...wire('assistant', 'Wait'), tool_calls: [chatCall('c', '[1]')] },
						chatResult('c'),
						wire('user', 'And?'),
						chatResult('d'),
					],
				},
				responses: {
					input: [
						...hi,
						itemCall('a', '{"a":1}'),
						itemCall('b', ''),
						itemResult('a'),
						itemResult('b'),
						wire('assistant', 'Wait'),
						itemCall('c', '[1]'),
						itemResult('c'),
						wire('user', 'And?'),
						itemResult('d'),
					],
				},
				messages: {
					messages: [
						...hi,
						wire('assistant', [toolUse('a', { a: 1 }), toolUse('b', {})]),
						wire('user', [toolResult('a'), toolResult('b')]),
						wire('assistant', [part('Wait'), toolUse('c', {})]),
						wire('user', [toolResult('c')]),
						wire('user', 'And?'),
						wire('user', [toolResult('d')]),
					],
				},
			},
		],
	])('the conversation: %s', (_, conversation, expected) => {
		for (const [format, fields] of Object.entries(expected) as Array<[Format, JsonObject]>) {
			const limit = format === 'messages' ? { max_tokens: 4096 } : {};
			const body = sent(format, { conversation: messages(...conversation) });
			expect(body).toStrictEqual({ ...fields, ...limit });
		}
	});

	it.each<[Format, string]>([
		['chat', 'messages'],
		['responses', 'input'],
		['messages', 'messages'],
	])('%s: messages in the format’s own shape have no system prompt when it is empty', (format, field) => {
		const body = sent(format, { conversation: { kind: 'wire', messages: hi, systemPrompt: '' } });
		expect(omit(body, 'max_tokens')).toStrictEqual({ [field]: hi });
	});

	const URL = 'https://files.test/a';
	const PNG = 'data:image/png;base64,AAAA';
	const PDF = 'data:application/pdf;base64,AAAA';
	const byUrl = { type: 'url', url: URL };
	const inBase64 = (media_type: string) => ({ type: 'base64', media_type, data: 'AAAA' });
	const chatImage = (url: string) => ({ type: 'image_url', image_url: { url } });
	const chatVideo = (url: string) => ({ type: 'video_url', video_url: { url } });
	const inputImage = (url: string) => ({ type: 'input_image', image_url: url });
	const audio = (format: string) => ({ type: 'input_audio', input_audio: { data: 'AAAA', format } });
	const png = inBase64('image/png');
	const pdf = { type: 'document', source: inBase64('application/pdf'), title: 'a.pdf' };

	const inMessages = (type: string, source: JsonObject) => ({ type, source });
	const chatFile = { type: 'file', file: { filename: 'a.pdf', file_data: PDF } };
	const inputFile = { type: 'input_file', filename: 'a.pdf', file_data: PDF };

	it.each<[string, Attachment, ...Expected]>([
		['an image', inline('image', 'image/png'), chatImage(PNG), inputImage(PNG), inMessages('image', png)],
		['an image by URL', fromUrl('image'), chatImage(URL), inputImage(URL), inMessages('image', byUrl)],
		['a video', inline('video', 'video/mp4'), chatVideo('data:video/mp4;base64,AAAA')],
		['a video by URL', fromUrl('video'), chatVideo(URL)],
		['audio', inline('audio', 'audio/mpeg'), audio('mp3'), audio('mp3')],
		['a file', inline('file', 'application/pdf', 'a.pdf'), chatFile, inputFile, pdf],
		[
			'a file by URL',
			fromUrl('file'),
			undefined,
			{ type: 'input_file', file_url: URL },
			inMessages('document', byUrl),
		],
	])('attachments: %s is beside the text', (_, attachment, ...expected) => {
		const contents: PerFormat<(own: JsonObject) => JsonObject> = {
			chat: (own) => ({ messages: [wire('user', [part('Look'), own])] }),
			responses: (own) => ({ input: [wire('user', [part('Look', 'input_text'), own])] }),
			messages: (own) => ({ messages: [wire('user', [own, part('Look')])], max_tokens: 4096 }),
		};
		for (const [format, own] of byFormat(expected))
			expect(sent(format, lookWith(attachment))).toStrictEqual(contents[format](own));
	});

	it('attachments are sent in their order, without a text, and before tool calls', () => {
		const attachments = [fromUrl('image'), inline('image', 'image/png')];
		const alone = { role: 'user', text: '', attachments } as const;
		const before = { ...calling('See', ['c', '{}']), attachments: [fromUrl('image')] };
		const conversation = messages(alone, { ...said('user', 'Hi'), attachments: [] });
		expect(sent('chat', { conversation })).toStrictEqual({
			messages: [wire('user', [chatImage(URL), chatImage(PNG)]), ...hi],
		});
		expect(sent('responses', { conversation: messages(before) })).toStrictEqual({
			input: [wire('assistant', [part('See', 'input_text'), inputImage(URL)]), itemCall('c', '{}')],
		});
		expect(sent('messages', { conversation: messages(before) }).messages).toStrictEqual([
			wire('assistant', [{ type: 'image', source: byUrl }, part('See'), toolUse('c', {})]),
		]);
	});

	it.each([
		['audio/mpeg', 'mp3'],
		['audio/mp3', 'mp3'],
		['audio/wav', 'wav'],
		['audio/x-wav', 'wav'],
		['audio/wave', 'wav'],
		['audio/vnd.wave', 'wav'],
		['audio/mp4', 'm4a'],
		['audio/x-m4a', 'm4a'],
		['audio/flac', 'flac'],
		['audio/x-flac', 'flac'],
		['audio/OGG ; codecs=opus', 'ogg'],
		['audio/constructor', 'constructor'],
		['audio', ''],
		['', ''],
	])('audio of the type "%s" has the format "%s"', (mimeType, format) => {
		expect(sent('chat', lookWith(inline('audio', mimeType))).messages).toStrictEqual([
			wire('user', [part('Look'), audio(format)]),
		]);
	});

	const described = { name: 'look', description: 'Looks', parameters: schema };
	const bare = { name: 'go', parameters: {} };
	const jsonSchema = { kind: 'jsonSchema', name: 'book', schema } as const;
	const format = { type: 'json_schema', name: 'book', schema };
	const responseFormat = (strict?: boolean) => {
		const fields = { name: 'book', schema, ...(strict === undefined ? {} : { strict }) };
		return { response_format: { type: 'json_schema', json_schema: fields } };
	};
	const AUTO = { type: 'auto' };
	const STREAM = { stream: true };
	const toolOnWire = ({ parameters, ...tool }: ToolDefinition, strict = {}): Expected => [
		{ tools: [{ type: 'function', function: { ...tool, parameters, ...strict } }] },
		{ tools: [{ type: 'function', ...tool, parameters }] },
		{ tools: [{ ...tool, input_schema: parameters }] },
	];
	const choices = (...list: [chat: Json, responses: Json, messages: Json]): Expected => {
		const [chat, responses, messages] = list.map((tool_choice) => ({ tool_choice }));
		return [chat, responses, messages];
	};
	const json = { conversation: messages(said('user', 'JSON')), output: { kind: 'jsonObject', name: 'a' } };
	const [chatObject, object] = [{ type: 'json_object' }, { format: { type: 'json_object' } }];
	const lookUp = { type: 'function', name: 'look' };

	it.each<[string, Partial<TextRequest>, ...Expected]>([
		['nothing else', {}, {}, {}, {}],
		['a stream', { stream: true }, STREAM, STREAM, STREAM],
		['a tool', { tools: [{ ...described, strict: true }] }, ...toolOnWire(described, { strict: true })],
		['a bare tool', { tools: [{ ...bare, description: '', strict: false }] }, ...toolOnWire(bare)],
		['the choice auto', { toolChoice: 'auto' }, ...choices('auto', 'auto', AUTO)],
		['the choice none', { toolChoice: 'none' }, ...choices('none', 'none', { type: 'none' })],
		['the choice required', { toolChoice: 'required' }, ...choices('required', 'required', { type: 'any' })],
		[
			'the choice of one tool',
			{ toolChoice: { name: 'look' } },
			...choices({ type: 'function', function: { name: 'look' } }, lookUp, { type: 'tool', name: 'look' }),
		],
		[
			'a JSON object',
			json as Partial<TextRequest>,
			{ messages: [wire('user', 'JSON')], response_format: chatObject },
			{ input: 'JSON', text: object },
		],
		['JSON by a schema', { output: jsonSchema }, responseFormat(), { text: { format } }],
		...[true, false].map((strict): [string, object, ...Expected] => [
			`JSON by a schema, strict ${strict}`,
			{ output: { ...jsonSchema, strict } },
			responseFormat(strict),
			{ text: { format: { ...format, strict } } },
		]),
		['Max Tokens', { fields: { max_tokens: 5 } }, { max_tokens: 5 }, undefined, { max_tokens: 5 }],
	])('a request with %s', (_, parts, ...expected) => {
		for (const [format, extra] of byFormat(expected))
			expect(sent(format, parts)).toStrictEqual({ ...BARE[format], ...extra });
	});

	describe('messages: JSON output', () => {
		const description = 'Gives the answer as JSON. Always answer by calling it.';
		const jsonTool = { name: 'book', description, input_schema: schema };
		const others = [{ name: 'look', input_schema: schema }];
		const forced = { type: 'tool', name: 'book' };
		const fields = (parts: Partial<TextRequest>) => {
			const { tools, tool_choice } = sent('messages', { output: jsonSchema, ...parts });
			return { tools, tool_choice };
		};

		it.each<[string, Partial<TextRequest>, JsonObject]>([
			['is requested with a tool that must be called', {}, { tools: [jsonTool], tool_choice: forced }],
			[
				'may be any object, without a schema',
				{ output: { kind: 'jsonObject', name: 'book' } },
				{ tools: [{ ...jsonTool, input_schema: { type: 'object' } }], tool_choice: forced },
			],
			[
				'is an object, where the schema has no type',
				{ output: { ...jsonSchema, schema: { required: ['a'] } } },
				{ tools: [{ ...jsonTool, input_schema: { required: ['a'], type: 'object' } }], tool_choice: forced },
			],
			...([undefined, 'auto', 'required'] as const).map((toolChoice): [string, object, JsonObject] => [
				`may be replaced by another tool, with the choice ${toolChoice}`,
				{ tools: [look], toolChoice },
				{ tools: [...others, jsonTool], tool_choice: { type: 'any' } },
			]),
			[
				'allows no other tool, with the choice none',
				{ tools: [look], toolChoice: 'none' },
				{ tools: [...others, jsonTool], tool_choice: forced },
			],
			[
				'gives way to a tool that must be called',
				{ tools: [look], toolChoice: { name: 'look' } },
				{ tools: [...others, jsonTool], tool_choice: { type: 'tool', name: 'look' } },
			],
		])('%s', (_, parts, expected) => {
			expect(fields(parts)).toStrictEqual(expected);
		});

		it.each([
			[{ type: 'adaptive' }, AUTO],
			[{ type: 'brand_new', budget_tokens: 5 }, AUTO],
			[{ type: 'disabled' }, forced],
			[{}, forced],
		])('need not be called by a model that thinks: %j', (thinking, expected) => {
			for (const tools of [[], [look]]) {
				const { tool_choice } = fields({ tools, toolChoice: 'none', fields: { thinking } });
				expect(tool_choice).toStrictEqual(expected);
			}
		});
	});

	it.each<[TextRequest['toolChoice'], JsonObject | undefined]>([
		['required', AUTO],
		[{ name: 'look' }, AUTO],
		['auto', AUTO],
		['none', { type: 'none' }],
		[undefined, undefined],
	])('messages: a model that thinks need not call a tool, with the choice %j', (toolChoice, expected) => {
		const asked = { thinking: { type: 'enabled', budget_tokens: 1024 } };
		expect(sent('messages', { tools: [look], toolChoice, fields: asked }).tool_choice).toStrictEqual(
			expected,
		);
	});
});

describe('fields of options', () => {
	it('responses: built-in tools follow the functions', () => {
		const tools = [{ name: 'look', parameters: {} }];
		expect(bodyOf('responses', { tools, fields: { tools: [{ type: 'web_search' }] } }).tools).toStrictEqual([
			{ type: 'function', name: 'look', parameters: {} },
			{ type: 'web_search' },
		]);
	});

	it('responses: no reasoning is asked for to send it back when there is none', () => {
		const included = (effort: string) =>
			bodyOf('responses', { keepsReasoning: true, fields: { reasoning: { effort } } }).include;
		expect(['none', 'low'].map(included)).toStrictEqual([undefined, ['reasoning.encrypted_content']]);
	});

	it('responses: built-in tools that are not a list are not sent', () => {
		expect(bodyOf('responses', { fields: { tools: [] } })).toStrictEqual({
			model: 'acme/writer',
			input: 'Hi',
		});
	});

	it('responses: verbosity and the response format are sent in one object', () => {
		expect(
			bodyOf('responses', {
				output: { kind: 'jsonObject', name: 'a' },
				fields: { text: { verbosity: 'low' } },
			}).text,
		).toStrictEqual({ format: { type: 'json_object' }, verbosity: 'low' });
	});
});

describe('a prompt that is cached', () => {
	const marked = (text: string) => [{ type: 'text', text, cache_control: { type: 'ephemeral' } }];
	const contents = (parts: Partial<TextRequest>) =>
		(bodyOf('chat', { cachesPrompt: true, ...parts }).messages as JsonObject[]).map(({ content }) => content);
	const system = { role: 'system' as const, text: 'Be brief' };
	const user = (text: string) => ({ role: 'user' as const, text });
	const turns: Array<ChatMessage | ToolMessage> = [
		user('Look'),
		{ role: 'assistant', text: '', toolCalls: [{ id: 'c1', name: 'look', arguments: '{}' }] },
		{ role: 'tool', callId: 'c1', text: 'seen' },
	];
	const picture = { type: 'image_url', image_url: { url: 'https://files.test/a' } };

	it.each<[string, Array<ChatMessage | ToolMessage>, Json[]]>([
		['after the system prompt and the prompt', [system, user('Hi')], [marked('Be brief'), marked('Hi')]],
		[
			'after the user’s last message in a conversation',
			[system, user('Hi'), ...turns],
			[marked('Be brief'), 'Hi', marked('Look'), null, 'seen'],
		],
		[
			'on the text, not on files',
			[{ ...user('Look'), attachments: [fromUrl('image')] }],
			[[...marked('Look'), picture]],
		],
		['on no empty text', [{ ...system, text: '' }, user('Hi')], ['', marked('Hi')]],
		['on no blank text', [{ ...system, text: ' \n' }, user('Hi')], [' \n', marked('Hi')]],
		[
			'after the last instructions of both roles',
			[{ ...system, role: 'developer' }, system, user('Hi')],
			['Be brief', marked('Be brief'), marked('Hi')],
		],
		[
			'after the last instructions of both roles, whichever they are',
			[system, { ...system, role: 'developer' }, user('Hi')],
			['Be brief', marked('Be brief'), marked('Hi')],
		],
		[
			'after the developer’s instructions',
			[{ ...system, role: 'developer' }, user('Hi'), ...turns],
			[marked('Be brief'), 'Hi', marked('Look'), null, 'seen'],
		],
	])('has a mark %s', (_, list, expected) => {
		expect(contents({ conversation: messages(...list) })).toStrictEqual(expected);
	});

	it('has a mark after the system prompt beside messages as JSON, which have their own', () => {
		const conversation = { kind: 'wire' as const, systemPrompt: 'Be brief', messages: [{ content: 'Hi' }] };
		expect(contents({ conversation })).toStrictEqual([marked('Be brief'), 'Hi']);
	});
});
