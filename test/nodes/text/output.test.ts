import nock from 'nock';
import type { INodeParameters } from 'n8n-workflow';

import type { JsonObject } from '../../../nodes/shared/gateway/util/json';
import { binaryStorage } from '../../helpers/engine';
import { useNock } from '../../helpers/nock';
import { mockResponse, endpoints, gateway, generate, sentBody } from './support';

useNock();

const usage = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12, cost_rub: 0.5, cost: 0.5 };
const chatResponse = (message: JsonObject, finish_reason = 'stop'): JsonObject => ({
	id: 'c1',
	model: 'acme/writer',
	choices: [{ index: 0, message, finish_reason }],
	usage,
});
const schema = '{"type": "object", "properties": {"title": {"type": "string"}}}';
const bySchema: INodeParameters = { outputFormat: 'jsonSchema', schemaName: 'book', jsonSchema: schema };

describe('JSON output is requested', () => {
	it('chat', async () => {
		expect((await sentBody({ outputFormat: 'jsonObject' })).response_format).toStrictEqual({
			type: 'json_object',
		});
		expect((await sentBody({ ...bySchema, options: { schemaStrict: true } })).response_format).toStrictEqual({
			type: 'json_schema',
			json_schema: { name: 'book', schema: JSON.parse(schema) as object, strict: true },
		});
	});
	it('responses: together with the verbosity', async () => {
		const body = await sentBody({ format: 'responses', ...bySchema, options: { verbosity: 'low' } });
		expect(body.text).toStrictEqual({
			format: { type: 'json_schema', name: 'book', schema: JSON.parse(schema) as object },
			verbosity: 'low',
		});
	});
	it('messages: as a required tool call', async () => {
		const body = await sentBody({ format: 'messages', ...bySchema });
		expect(body.tools).toStrictEqual([
			expect.objectContaining({ name: 'book', input_schema: JSON.parse(schema) as object }),
		]);
		expect(body.tool_choice).toStrictEqual({ type: 'tool', name: 'book' });
	});
	it('messages: as a call of any tool when there are others', async () => {
		const tools = { function: [{ name: 'look', parameters: '' }] };
		const body = await sentBody({ format: 'messages', outputFormat: 'jsonObject', tools });
		expect(body.tool_choice).toStrictEqual({ type: 'any' });
		expect(body.tools).toHaveLength(2);
	});
});

describe('a JSON response', () => {
	test.each<[string, string, unknown]>([
		['an object', '{"title": "Sea"}', { title: 'Sea' }],
		['a list', ' [1, 2] ', [1, 2]],
		['in a Markdown block', '```json\n{"a": 1}\n```', { a: 1 }],
	])('%s is parsed', async (_, content, value) => {
		mockResponse('chat', chatResponse({ content }));
		const { items } = await generate({ outputFormat: 'jsonObject' });
		expect(items[0]?.json).toMatchObject({ text: content, json: value });
	});

	it('is not expected with tool calls, also after text', async () => {
		const tool_calls = [{ id: 't', type: 'function', function: { name: 'look', arguments: '{}' } }];
		mockResponse('chat', chatResponse({ content: 'Let me look.', tool_calls }, 'tool_calls'));
		const { items } = await generate({
			...bySchema,
			tools: { function: [{ name: 'look', parameters: '' }] },
		});
		expect(items[0]?.json).toMatchObject({ text: 'Let me look.', toolCalls: [{ name: 'look' }] });
		expect(items[0]?.json).not.toHaveProperty('json');
	});

	it('is not expected of a pending response', async () => {
		mockResponse('responses', { id: 'r9', status: 'queued', output: [] });
		const { items } = await generate({ ...bySchema, format: 'responses', options: { background: true } });
		expect(items[0]?.json).toMatchObject({ id: 'r9', finishReason: 'queued' });
	});

	it('has an ID and a state, and no text, when it is pending', async () => {
		mockResponse('responses', { id: 'r9', model: 'acme/writer', status: 'queued', output: [] });
		const { items } = await generate({ format: 'responses', options: { background: true } });
		expect(items[0]?.json).toMatchObject({ id: 'r9', finishReason: 'queued', text: '', costRub: null });
	});

	it('messages: is the argument of the required call, which is not a tool call in the output', async () => {
		const content = [{ type: 'tool_use', id: 't1', name: 'book', input: { title: 'Sea' } }];
		mockResponse('messages', { id: 'm', content, stop_reason: 'tool_use' });
		const { items } = await generate({ format: 'messages', ...bySchema });
		expect(items[0]?.json).toMatchObject({
			json: { title: 'Sea' },
			text: '{"title":"Sea"}',
			finishReason: 'stop',
		});
		expect(items[0]?.json).not.toHaveProperty('toolCalls');
	});

	test.each<[string, JsonObject, string, string, string]>([
		[
			'that is not JSON',
			{ content: 'Sure! Here it is' },
			'stop',
			'not_json',
			'The model’s response is not JSON',
		],
		[
			'that was cut off',
			{ content: '{"title": "S' },
			'length',
			'json_cut_off',
			'The JSON was cut off at the token limit',
		],
		[
			'that was cut off and looks complete',
			{ content: '12' },
			'length',
			'json_cut_off',
			'The JSON was cut off at the token limit',
		],
		[
			'that is a word in quotes',
			{ content: '"Sorry"' },
			'stop',
			'not_json',
			'The model’s response is not JSON',
		],
		[
			'that is a refusal',
			{ content: null, refusal: 'I cannot' },
			'stop',
			'refused',
			'The model refused to respond',
		],
	])('%s is an error with text and cost', async (_, message, finish, code, title) => {
		mockResponse('chat', chatResponse(message, finish));
		const { items } = await generate(
			{ outputFormat: 'jsonObject' },
			{ settings: { onError: 'continueRegularOutput' } },
		);
		expect(items[0]?.json.error).toMatchObject({
			code,
			message: title,
			text: message.content ?? '',
			costRub: 0.5,
			retryable: false,
		});
	});

	it('that is not JSON is not charged again by Retry On Fail', async () => {
		mockResponse('chat', chatResponse({ content: 'no JSON' }));
		const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
		const { error } = await generate(bySchema, { settings });
		expect(error?.message).toBe('The model’s response is not JSON');
		expect(nock.isDone()).toBe(true);
	});

	it('that is not JSON has its cost in the panel', async () => {
		mockResponse('chat', chatResponse({ content: 'no JSON' }));
		const { error } = await generate(bySchema);
		expect(error?.description).toContain('The call cost ₽0.5.');
		expect(error?.context?.details).toMatchObject({ text: 'no JSON', costRub: 0.5 });
	});

	test.each([
		[
			'is broken',
			'{"type": ',
			'\'JSON Schema\' is not a JSON object: "{\\"type\\": " (line 1, character 10: expected a value, with text in double quotes)',
		],
		['is a list', '[]', '\'JSON Schema\' is not a JSON object: "[]"'],
		['is a text', '"object"', '\'JSON Schema\' is not a JSON object: "\\"object\\""'],
	])('with a schema that %s is rejected before anything is sent', async (_, jsonSchema, message) => {
		const { error } = await generate({ ...bySchema, jsonSchema });
		expect(error?.message).toBe(message);
	});

	it('with the schema of a list is rejected in the messages format', async () => {
		const { error } = await generate({ ...bySchema, format: 'messages', jsonSchema: '{"type": "array"}' });
		expect(error?.message).toBe("'JSON Schema' does not describe an object");
	});
});

describe('tools', () => {
	const look = { name: 'look', description: 'Looks', parameters: '{"type": "object"}', strict: true };
	const withTools = (more: INodeParameters = {}): INodeParameters => ({
		tools: { function: [look] },
		...more,
	});
	const parameters = { type: 'object' };

	it('chat', async () => {
		const body = await sentBody(withTools({ toolChoice: 'function', toolChoiceName: 'look' }));
		expect(body).toMatchObject({
			tools: [
				{ type: 'function', function: { name: 'look', description: 'Looks', parameters, strict: true } },
			],
			tool_choice: { type: 'function', function: { name: 'look' } },
		});
	});
	it('responses: with built-in ones', async () => {
		const options = { builtInTools: '[{"type": "web_search"}]' };
		const body = await sentBody(withTools({ format: 'responses', toolChoice: 'required', options }));
		expect(body).toMatchObject({
			tools: [{ type: 'function', name: 'look', description: 'Looks', parameters }, { type: 'web_search' }],
			tool_choice: 'required',
		});
	});
	it('messages', async () => {
		const body = await sentBody(withTools({ format: 'messages', toolChoice: 'required' }));
		expect(body).toMatchObject({
			tools: [{ name: 'look', description: 'Looks', input_schema: parameters }],
			tool_choice: { type: 'any' },
		});
	});

	it('messages: with JSON output must have other names, and none may be forced', async () => {
		const named = { format: 'messages', ...bySchema, tools: { function: [{ ...look, name: 'book' }] } };
		expect((await generate(named)).error?.message).toBe('There is a tool called "book", like the response');
		const forced = withTools({
			format: 'messages',
			...bySchema,
			toolChoice: 'function',
			toolChoiceName: 'look',
		});
		expect((await generate(forced)).error?.message).toBe(
			'JSON output and a tool that must be called exclude each other',
		);
	});

	test.each<[string, string, JsonObject]>([
		[
			'chat',
			'after text',
			chatResponse(
				{
					content: 'Let me see',
					tool_calls: [
						{ id: 't1', type: 'function', function: { name: 'look', arguments: '{"at": 1}' } },
						{ id: 't2', type: 'function', function: { name: 'look', arguments: '{"at":' } },
					],
				},
				'tool_calls',
			),
		],
		[
			'responses',
			'before and after the message',
			{
				id: 'r',
				status: 'completed',
				output: [
					{ type: 'function_call', id: 'fc', call_id: 't1', name: 'look', arguments: '{"at": 1}' },
					{ type: 'message', content: [{ type: 'output_text', text: 'Let me see' }] },
					{ type: 'function_call', id: 'fd', call_id: 't2', name: 'look', arguments: '{"at":' },
				],
			},
		],
	])(
		'%s: tool calls are found %s, and arguments that are not JSON are kept and marked',
		async (format, _, response) => {
			mockResponse(format, response);
			const { items } = await generate(withTools({ format }));
			expect(items[0]?.json).toMatchObject({
				text: 'Let me see',
				finishReason: 'tool_calls',
				toolCalls: [
					{ id: 't1', name: 'look', arguments: { at: 1 } },
					{ id: 't2', name: 'look', arguments: '{"at":', invalidArguments: true },
				],
			});
		},
	);

	describe('in Extra Body', () => {
		const wireTool: Record<string, string> = {
			chat: '{ "type": "function", "function": { "name": "look" } }',
			responses: '{ "type": "function", "name": "look" }',
			messages: '{ "name": "look", "input_schema": { "type": "object" } }',
		};
		const extraBody = (format: string, more = ''): INodeParameters => ({
			format,
			options: { extraBody: `{ "tools": [${wireTool[format]}]${more} }` },
		});

		it.each([
			['chat', { type: 'function', function: { name: 'look' } }, 'required'],
			['responses', { type: 'function', name: 'look' }, 'required'],
			['messages', { type: 'tool', name: 'look' }, { type: 'any' }],
		])('%s: may be required', async (format, named, required) => {
			const choose = async (choice: INodeParameters) =>
				(await sentBody({ ...extraBody(format), ...choice })).tool_choice;
			expect(await choose({ toolChoice: 'required' })).toStrictEqual(required);
			expect(await choose({ toolChoice: 'function', toolChoiceName: 'look' })).toStrictEqual(named);
			expect(await choose({ toolChoice: 'look' })).toStrictEqual(named);
		});

		it('need not be called', async () => {
			const body = await sentBody({ ...extraBody('chat'), toolChoice: 'none' });
			expect(body.tool_choice).toBe('none');
		});

		it('replace the tools of the panel', async () => {
			const parameters = { ...extraBody('chat'), tools: { function: [{ ...look, name: 'listen' }] } };
			const { error } = await generate({ ...parameters, toolChoice: 'function', toolChoiceName: 'listen' });
			expect(error?.message).toBe('There is no tool called "listen"');
			expect(error?.description).toContain(': look.');
		});

		it('may come with a choice of their own', async () => {
			const more = ', "tool_choice": "auto"';
			const body = await sentBody({
				...extraBody('chat', more),
				toolChoice: 'function',
				toolChoiceName: 'x',
			});
			expect(body.tool_choice).toBe('auto');
			const added = ', "tool_choice": { "disable_parallel_tool_use": true }';
			const merged = await sentBody({ ...extraBody('messages', added), toolChoice: 'required' });
			expect(merged.tool_choice).toStrictEqual({ type: 'any', disable_parallel_tool_use: true });
		});
	});

	it('built in may be required', async () => {
		const parameters = { format: 'responses', toolChoice: 'required' };
		const builtInTools = '[{"type": "web_search"}]';
		expect((await sentBody({ ...parameters, options: { builtInTools } })).tool_choice).toBe('required');
	});

	it.each(['auto', 'none', '={{ "" }}'])('may be missing with the choice %s', async (toolChoice) => {
		expect(await sentBody({ toolChoice, toolChoiceName: 'unused' })).not.toHaveProperty('tool_choice');
	});

	test.each<[string, INodeParameters, string, string]>([
		[
			'that is required but missing',
			{ toolChoice: 'function', toolChoiceName: 'look' },
			'There is no tool called "look"',
			'toolChoiceName',
		],
		[
			'that an expression names but is missing',
			{ toolChoice: '={{ "look" }}', toolChoiceName: 'unused' },
			'There is no tool called "look"',
			'toolChoice',
		],
		[
			'of any name that is required but missing',
			{ toolChoice: 'required' },
			"'Tool Choice' is 'Must Call a Tool', but there are no tools",
			'toolChoice',
		],
		[
			'that is required but removed by Extra Body',
			withTools({ toolChoice: 'required', options: { extraBody: '{ "tools": [] }' } }),
			"'Tool Choice' is 'Must Call a Tool', but there are no tools",
			'toolChoice',
		],
		[
			'that is required but built into another format',
			{ toolChoice: 'required', options: { builtInTools: '[{"type": "web_search"}]' } },
			"'Tool Choice' is 'Must Call a Tool', but there are no tools",
			'toolChoice',
		],
		['without a name', { tools: { function: [{ name: ' ' }] } }, "'Tools', row 1: 'Name' is empty", 'tools'],
		[
			'with a name that is taken',
			{ tools: { function: [look, look] } },
			'\'Tools\', row 2: there already is a tool called "look"',
			'tools',
		],
		[
			'with parameters that are not a schema',
			{ tools: { function: [{ name: 'look', parameters: '[1]' }] } },
			"'Tools', row 1: 'Parameters (JSON Schema)' is not a JSON object: \"[1]\"",
			'tools',
		],
		[
			'that is required but unknown',
			withTools({ toolChoice: 'function', toolChoiceName: 'loook' }),
			'There is no tool called "loook"',
			'toolChoiceName',
		],
	])('a tool %s is rejected before anything is sent', async (_, more, message, param) => {
		const { items } = await generate(more, { settings: { onError: 'continueRegularOutput' } });
		expect(items[0]?.json.error).toMatchObject({ message, param });
	});
});

describe('other output of a response', () => {
	it('has refusal, sources and thoughts apart from the text', async () => {
		mockResponse(
			'chat',
			chatResponse({
				content: 'Text',
				refusal: 'Only that',
				reasoning: 'Hm',
				annotations: [
					{ type: 'url_citation', url_citation: { url: 'https://a.test', title: 'A' } },
					{ url: 'https://b.test' },
					{ url: 'https://a.test', title: 'again' },
					{ type: 'note' },
				],
			}),
		);
		const { items } = await generate();
		expect(items[0]?.json).toMatchObject({
			text: 'Text',
			refusal: 'Only that',
			reasoning: 'Hm',
			sources: [{ url: 'https://a.test', title: 'A' }, { url: 'https://b.test' }],
		});
	});

	it('responses: has sources of searches, too', async () => {
		mockResponse('responses', {
			status: 'completed',
			output: [
				{ type: 'web_search_call', action: { sources: [{ type: 'url', url: 'https://s.test' }] } },
				{
					type: 'message',
					content: [{ type: 'output_text', text: 'x', annotations: [{ url: 'https://m.test' }] }],
				},
			],
		});
		const { items } = await generate({ format: 'responses' });
		expect(items[0]?.json.sources).toStrictEqual([{ url: 'https://m.test' }, { url: 'https://s.test' }]);
	});

	it('has an item for each choice, whose costs add up to that of the request', async () => {
		const choice = (index: number) => ({
			index,
			message: { content: `No. ${index}` },
			finish_reason: 'stop',
		});
		mockResponse('chat', { ...chatResponse({}), choices: [choice(0), choice(1), choice(2)] });
		const { items } = await generate({ options: { n: 3 } });
		expect(
			items.map(({ json, pairedItem }) => [json.text, json.choice, json.costRub, pairedItem]),
		).toStrictEqual([
			['No. 0', 0, 0.5, { item: 0 }],
			['No. 1', 1, 0, { item: 0 }],
			['No. 2', 2, 0, { item: 0 }],
		]);
		expect(items[1]?.json.usage).toMatchObject({ inputTokens: 0, totalTokens: 0 });
	});

	it('has audio and pictures as binary fields', async () => {
		const png = Buffer.from('89504e470d0a1a0a0000', 'hex').toString('base64');
		const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } };
		const audio = { id: 'a', data: Buffer.from('sound').toString('base64'), transcript: 'la la' };
		mockResponse('chat', chatResponse({ content: null, audio, images: [image, image] }));
		const { items } = await generate({ options: { modalities: ['text', 'audio'], audioFormat: 'mp3' } });
		expect(items[0]?.json.text).toBe('la la');
		expect(items[0]?.binary).toMatchObject({
			audio: { mimeType: 'audio/mpeg', fileName: 'audio.mp3' },
			image: { mimeType: 'image/png', fileName: 'image.png' },
			image_1: { fileName: 'image_1.png' },
		});
		const sound = items[0]?.binary?.audio;
		expect(sound && (await (await binaryStorage()).getAsBuffer(sound)).toString()).toBe('sound');
	});

	it('is the response as received when nothing in it is recognized: it is charged', async () => {
		const strange = chatResponse({ content: null, hologram: { data: 'x' } });
		mockResponse('chat', strange);
		const { items } = await generate();
		expect(items[0]?.json).toMatchObject({ text: '', costRub: 0.5, raw: strange });
	});

	it('is not charged again when n8n cannot store its files', async () => {
		const audio = { data: 'c291bmQ=', transcript: 'la la' };
		mockResponse('chat', chatResponse({ content: null, audio }));
		const storing = jest.spyOn(await binaryStorage(), 'store').mockRejectedValue(new Error('no space left'));
		const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
		const { error } = await generate({}, { settings });
		storing.mockRestore();
		expect(error?.message).toBe('The response could not be stored in n8n');
		expect(error?.context?.details).toMatchObject({ text: 'la la', costRub: 0.5 });
		expect(nock.isDone()).toBe(true);
	});

	it('has the tokens in the execution’s metadata', async () => {
		mockResponse('chat');
		mockResponse('chat');
		const { run } = await generate({}, { items: [{ json: {} }, { json: {} }] });
		expect(run.data.resultData.runData.Gateway?.[0]?.metadata?.tokenUsage).toStrictEqual({
			inputTokens: 24,
			outputTokens: 6,
		});
	});

	it('says what plugins cost, and whether one failed afterwards', async () => {
		const plugins = { masker: { total_cost_rub: 0.01 }, checker: { total_cost_rub: 0.02 } };
		const extended = { ...usage, plugins, plugin_post_process_error: true };
		const [choice] = chatResponse({ content: 'x' }).choices as JsonObject[];
		const choices = [choice ?? {}, { ...choice, index: 1 }];
		mockResponse('chat', { ...chatResponse({}), choices, usage: extended });
		const { items } = await generate({ options: { n: 2 } });
		expect(items[0]?.json).toMatchObject({ pluginsCostRub: 0.03, pluginPostProcessError: true });
		expect(items[1]?.json).not.toHaveProperty('pluginsCostRub');
		expect(items[1]?.json).not.toHaveProperty('pluginPostProcessError');
	});

	it('has no fields of plugins where none ran', async () => {
		mockResponse('chat', chatResponse({ content: 'x' }));
		const { items } = await generate();
		expect(Object.keys(items[0]?.json ?? {}).filter((name) => name.startsWith('plugin'))).toStrictEqual([]);
	});

	it('has the costs of plugins without Simplify', async () => {
		const plugins = { masker: { operations: [{ operation: 'mask', cost_rub: 0.01 }], total_cost_rub: 0.01 } };
		mockResponse('chat', { ...chatResponse({ content: 'x' }), usage: { ...usage, plugins } });
		const { items } = await generate({ simplify: false });
		expect(items[0]?.json).toMatchObject({ usage: { plugins } });
	});
});

describe('as the tool of an agent', () => {
	it('returns small JSON, and no files', async () => {
		const audio = { data: 'c291bmQ=', transcript: 'la' };
		mockResponse('chat', chatResponse({ content: '{"a": 1}', reasoning: 'Long thoughts', audio }));
		const { items } = await generate({ outputFormat: 'jsonObject', simplify: false }, { asTool: true });
		expect(items[0]?.json).toStrictEqual({ json: { a: 1 }, finishReason: 'stop', costRub: 0.5 });
		expect(items[0]?.binary).toBeUndefined();
	});
});

describe('a model that the gateway does not know', () => {
	const catalogue = { data: [{ id: 'acme/writer-2' }, { id: 'acme/painter' }, { id: 'zeta/other' }] };
	const unknown = {
		error: { message: 'no such model', code: 'model_not_found', type: 'invalid_request_error' },
	};

	it.each(Object.keys(endpoints))('%s: is an error that names similar models', async (format) => {
		gateway()
			.post(endpoints[format]?.path ?? '')
			.reply(404, unknown);
		gateway().get('/api/v1/models').reply(200, catalogue);
		const { error } = await generate({ format });
		expect(error?.message).toBe('The gateway does not know this model');
		expect(error?.description).toContain('Close to "acme/writer" are: acme/writer-2');
	});

	it('requests the catalogue once for several items', async () => {
		gateway().post('/api/v1/chat/completions').times(5).reply(404, unknown);
		gateway().get('/api/v1/models').once().reply(200, catalogue);
		const items = Array.from({ length: 5 }, () => ({ json: {} }));
		const result = await generate({}, { items, settings: { onError: 'continueRegularOutput' } });
		for (const { json } of result.items) expect(JSON.stringify(json)).toContain('acme/writer-2');
	});

	it('is an error without similar models when the catalogue does not respond', async () => {
		gateway().post('/api/v1/chat/completions').reply(404, unknown);
		gateway().get('/api/v1/models').reply(403, {});
		const { error } = await generate();
		expect(error?.message).toBe('The gateway does not know this model');
	});
});
