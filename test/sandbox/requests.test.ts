/** What the sandbox refuses: wrong types and values where the specification shows them, and parts of another format. */
import { useRawGateway, type FormatName } from './support';

const { gateway, send, ask } = useRawGateway();

/** Messages of one user with one part. */
const part = (type: string, fields: object = {}) => [{ role: 'user', content: [{ type, ...fields }] }];
const says = (role: string) => [{ role, content: 'Say hello' }];
const picture = { type: 'image_url', image_url: { url: 'https://example.com/cat.png' } };
const schema = { type: 'object' };

type Row = [format: FormatName, fields: object, param: string];

/** One field of the tables of §4.1 to 4.3 a row, by format, with values that do not fit. */
const wrong: Record<FormatName, Record<string, unknown[]>> = {
	chat: {
		model: ['', 5],
		messages: ['hello', {}, []],
		max_tokens: ['many', 1.5],
		max_completion_tokens: ['many', 1.5],
		temperature: ['hot', -0.1, 2.1],
		top_p: ['most', -0.1, 1.1],
		top_k: [1.5, '1'],
		frequency_penalty: [-2.1, 2.1, 'no'],
		presence_penalty: [-2.1, 2.1, 'no'],
		stop: [5, [5]],
		seed: [1.5, '1'],
		n: [1.5, '1'],
		stream: ['yes', 1],
		logprobs: ['yes'],
		top_logprobs: [1.5],
		logit_bias: [[], { 50256: 'no' }],
		reasoning: ['high', { enabled: 'yes' }, { max_tokens: 'many' }, { exclude: 1 }, { effort: 5 }],
		tools: [{}, ['web_search'], [{ type: 'web_search' }], [{ type: 'function', function: {} }]],
		tool_choice: ['any', 'always', 5],
		parallel_tool_calls: ['no'],
		response_format: ['json_object', {}, { type: 'json' }, { type: 'json_schema' }],
		web_search_options: ['low', { search_context_size: 5 }],
		provider: [
			'a',
			{ allow_fallbacks: 'no' },
			{ order: 'a' },
			{ only: [5] },
			{ ignore: 'a' },
			{ sort: 5 },
			{ max_price: { prompt: 'low' } },
		],
		plugins: [{}, 'masker'],
		modalities: ['audio', ['smell']],
		audio: ['wav'],
		image_config: ['1024x1024'],
		user: [5],
		prompt: [5, ['hello']],
	},
	responses: {
		model: ['', 5],
		input: ['', [], 5, {}],
		stream: ['yes'],
		instructions: [5, ['Be brief']],
		max_output_tokens: ['many', 1.5],
		max_tool_calls: [1.5],
		temperature: ['hot'],
		top_p: ['most'],
		top_logprobs: [1.5],
		truncation: ['maybe', true],
		service_tier: ['x', 5],
		metadata: ['a', []],
		store: ['no'],
		background: ['no'],
		conversation: ['conv_1'],
		previous_response_id: [5],
		stream_options: [true],
		text: [
			'json',
			{ format: 'json_object' },
			{ format: { type: 'json' } },
			{ format: { type: 'json_schema', schema } },
			{ format: { type: 'json_schema', name: 'book' } },
			{ format: { type: 'json_schema', name: 'book', schema, strict: 'yes' } },
			{ verbosity: 5 },
		],
		tools: [{}, [{}], [{ type: 'web_search_20250305' }], [{ type: 'function' }]],
		tool_choice: ['always', 5],
		parallel_tool_calls: ['no'],
		reasoning: ['high', { effort: 'enormous' }, { effort: 5 }, { summary: 5 }, { max_tokens: 1.5 }],
		include: ['reasoning.encrypted_content', [5]],
	},
	messages: {
		model: ['', 5],
		messages: ['hello', {}, []],
		max_tokens: ['many', 1.5, null],
		stream: ['yes'],
		temperature: ['hot'],
		top_p: ['most'],
		top_k: [1.5],
		stop_sequences: ['END', [5]],
		system: [5, {}],
		thinking: [true, { type: 5 }],
		tools: [{}, ['web_search']],
		tool_choice: ['auto'],
	},
};

/** The parts of messages, by the formats that know them (§4.2, and the official clients). */
const parts: Record<FormatName, Record<string, object>> = {
	chat: {
		text: { text: 'hello' },
		image_url: { image_url: { url: 'https://example.com/cat.png' } },
		input_audio: { input_audio: { data: 'UklGRg==', format: 'wav' } },
		video_url: { video_url: { url: 'https://example.com/cat.mp4' } },
		file: { file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERg==' } },
		refusal: { refusal: 'No' },
		of_tomorrow: { not: 'shown' },
	},
	responses: {
		input_text: { text: 'hello' },
		input_image: { image_url: 'https://example.com/cat.png' },
		input_file: { file_url: 'https://example.com/a.pdf' },
		input_audio: { input_audio: { data: 'UklGRg==', format: 'wav' } },
		output_text: { text: 'hello', annotations: [] },
		refusal: { refusal: 'No' },
		of_tomorrow: { not: 'shown' },
	},
	messages: {
		text: { text: 'hello' },
		image: { source: { type: 'url', url: 'https://example.com/cat.png' } },
		document: { source: { type: 'text', media_type: 'text/plain', data: 'hello' } },
		thinking: { thinking: 'Hm', signature: 'x' },
		tool_use: { id: 'toolu_1', name: 'clock', input: {} },
		tool_result: { tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'noon' }] },
		search_result: { source: 'https://example.com', title: 'a', content: [] },
		of_tomorrow: { not: 'shown' },
	},
};
const formats: FormatName[] = ['chat', 'responses', 'messages'];
const listOf = (format: FormatName) => (format === 'responses' ? 'input' : 'messages');

describe('the error names the field', () => {
	const values = formats.flatMap((format) =>
		Object.entries(wrong[format]).flatMap(([field, all]) =>
			all.map((value): Row => [format, { [field]: value }, field]),
		),
	);
	const inside: Row[] = [
		['chat', { messages: says('robot') }, 'messages[0].role'],
		['chat', { messages: [{ content: 'hello' }] }, 'messages[0].role'],
		['chat', { messages: [{ role: 'user', content: 5 }] }, 'messages[0].content'],
		['chat', { messages: part('text') }, 'messages[0].content[0].text'],
		[
			'chat',
			{ messages: part('text', { text: 'a', cache_control: {} }) },
			'messages[0].content[0].cache_control.type',
		],
		[
			'chat',
			{ messages: part('image_url', { image_url: 'https://a.example' }) },
			'messages[0].content[0].image_url',
		],
		[
			'chat',
			{ messages: part('input_audio', { input_audio: { data: 'UklGRg==' } }) },
			'messages[0].content[0].input_audio.format',
		],
		[
			'chat',
			{
				messages: [
					...says('user'),
					{
						role: 'assistant',
						tool_calls: [{ id: 'a', type: 'function', function: { name: 'clock', arguments: {} } }],
					},
				],
			},
			'messages[1].tool_calls[0].function.arguments',
		],
		['chat', { tools: [{ type: 'function', name: 'clock', parameters: schema }] }, 'tools[0].function'],
		['chat', { tools: [{ name: 'clock', input_schema: schema }] }, 'tools[0].type'],
		['chat', { tool_choice: { type: 'function', name: 'clock' } }, 'tool_choice.function'],
		['chat', { tool_choice: { type: 'tool', name: 'clock' } }, 'tool_choice.type'],
		[
			'chat',
			{ response_format: { type: 'json_schema', name: 'book', schema } },
			'response_format.json_schema',
		],
		['responses', { input: says('tool') }, 'input[0].role'],
		['responses', { input: [picture] }, 'input[0].type'],
		[
			'responses',
			{ input: part('input_image', { image_url: picture.image_url }) },
			'input[0].content[0].image_url',
		],
		[
			'responses',
			{ input: [{ type: 'function_call_output', call_id: 'a', output: [picture] }] },
			'input[0].output[0].type',
		],
		['responses', { tools: [{ type: 'function', function: { name: 'clock' } }] }, 'tools[0].name'],
		['responses', { tools: [{ type: 'mystery' }] }, 'tools[0].type'],
		['responses', { tool_choice: { type: 'function', function: { name: 'clock' } } }, 'tool_choice'],
		['responses', { reasoning: { effort: 'enormous' } }, 'reasoning.effort'],
		[
			'responses',
			{ text: { format: { type: 'json_schema', json_schema: { name: 'book', schema } } } },
			'text.format.name',
		],
	];
	const foreign = formats.flatMap((format) =>
		[...new Set(formats.flatMap((other) => Object.keys(parts[other])))]
			.filter((type) => !Object.hasOwn(parts[format], type))
			.map((type): Row => [format, { [listOf(format)]: part(type) }, `${listOf(format)}[0].content[0].type`]),
	);

	const openAi = [...values, ...inside, ...foreign].filter(([format]) => format !== 'messages');
	it.each(openAi)('%s: %j', async (format, fields, param) => {
		const response = await ask(format, fields);
		const body = (await response.json()) as { error: { param: string; message: string } };
		expect([response.status, body]).toMatchObject([
			400,
			{ error: { type: 'invalid_request_error', code: 'invalid_request' } },
		]);
		expect(body.error.param.startsWith(param)).toBe(true);
		expect(body.error.message).toContain(body.error.param);
		expect(gateway.charges()).toBe(0);
	});

	const ofMessages: Row[] = [
		...[...values, ...foreign].filter(([format]) => format === 'messages'),
		['messages', { messages: says('developer') }, 'messages[0].role'],
		[
			'messages',
			{ messages: part('image', { source: 'https://a.example' }) },
			'messages[0].content[0].source',
		],
		[
			'messages',
			{ messages: part('tool_result', { tool_use_id: 'a', content: [picture] }) },
			'messages[0].content[0].content[0].type',
		],
		['messages', { system: [{ type: 'input_text', text: 'hello' }] }, 'system[0].type'],
		['messages', { tools: [{ type: 'function', function: { name: 'clock' } }] }, 'tools[0].type'],
		['messages', { tool_choice: { type: 'function', function: { name: 'clock' } } }, 'tool_choice.type'],
	];
	it.each(ofMessages)('%s: %j', async (format, fields, param) => {
		const response = await ask(format, fields);
		const body = (await response.json()) as { error: { message: string } };
		expect([response.status, body]).toMatchObject([
			400,
			{ type: 'error', error: { type: 'invalid_request_error' } },
		]);
		expect(body.error).not.toHaveProperty('param');
		expect(body.error.message).toContain(param);
	});

	it('input that is missing has the words of §7.2', async () => {
		const response = await ask('responses', { input: undefined, instructions: 'Say hello' });
		expect(await response.json()).toMatchObject({
			error: { message: 'input is required', code: 'invalid_request', param: 'input' },
		});
	});
});

describe('the sandbox is no stricter than the specification', () => {
	const accepted: Array<[FormatName, object]> = [
		...formats.flatMap((format) =>
			Object.entries(parts[format]).map(([type, fields]): [FormatName, object] => [
				format,
				{ [listOf(format)]: part(type, fields) },
			]),
		),
		...formats.map((format): [FormatName, object] => [format, { of_tomorrow: { not: 'shown' } }]),
		['chat', { messages: undefined, prompt: 'Say hello' }],
		['chat', { temperature: 2, top_p: 0, top_k: -1 }],
		['chat', { temperature: null, tools: null, response_format: null, stop: null }],
		['chat', { stop: [], n: 0, max_tokens: 0, top_logprobs: 50 }],
		['chat', { reasoning: { effort: 'of tomorrow' } }],
		['chat', { response_format: { type: 'grammar', grammar: 'a' } }],
		['chat', { response_format: { type: 'json_schema', json_schema: { name: 'book' } } }],
		['chat', { tool_choice: { type: 'allowed_tools', allowed_tools: {} } }],
		['chat', { messages: says('developer') }],
		[
			'chat',
			{ messages: [{ role: 'user', content: [{ ...picture, cache_control: { type: 'ephemeral' } }] }] },
		],
		[
			'chat',
			{ audio: { voice: { id: 'a' }, format: 'wav' }, image_config: { quality: 'high', size: '1:1' } },
		],
		['responses', { temperature: 7, top_p: 3, max_output_tokens: 1 }],
		['responses', { tools: [{ type: 'x_search' }, { type: 'tool_search' }], tool_choice: 'any' }],
		['responses', { input: [...says('user'), { type: 'item_of_tomorrow' }], include: ['of.tomorrow'] }],
		['responses', { text: { verbosity: 'of tomorrow' }, reasoning: { effort: 'xhigh', summary: 'auto' } }],
		['messages', { temperature: 7, top_p: 3, top_k: -1 }],
		['messages', { system: [{ type: 'text', text: 'Be brief' }], thinking: { type: 'adaptive' } }],
		['messages', { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 1 }] }],
	];
	it.each(accepted)('%s: %j', async (format, fields) => {
		const response = await ask(format, fields);
		expect([response.status, await response.json()]).toStrictEqual([200, expect.anything()]);
	});
});

describe('media and storage', () => {
	const task = { model: 'aurora/canvas-1', input: { prompt: 'a cat' } };
	const base64 = 'iVBORw0KGgo=';
	it.each([
		[{ ...task, model: 5 }, 'model: must be string'],
		[{ input: task.input }, 'model: is required'],
		[{ ...task, input: 'a cat' }, 'input: must be object'],
		[{ model: task.model }, 'input: is required'],
		[{ ...task, sessionId: 5 }, 'sessionId: must be string'],
		[{ ...task, callBackUrl: 5 }, 'callBackUrl: must be string'],
		[{ ...task, callBackUrl: 'here' }, 'callBackUrl: must be an http or https URL'],
	])('a task: %j', async (body, msg) => {
		const response = await send('/async/media/tasks', body);
		expect(await response.json()).toStrictEqual({ code: 422, msg, data: null });
		expect(response.status).toBe(422);
	});

	it.each([
		['PATCH', 'archive', { archive: 'yes' }, 'archive: must be boolean'],
		['PATCH', 'archive', [true], 'body: must be object'],
		['POST', 'lyrics/timestamped', {}, 'audioId: is required'],
		['POST', 'lyrics/timestamped', { audioId: 5 }, 'audioId: must be string'],
	])('%s …/%s %j', async (method, path, body, msg) => {
		const created = await send('/async/media/tasks', {
			model: 'harmonia/song-3',
			input: { prompt: 'a song' },
		});
		const { data } = (await created.json()) as { data: { taskId: string } };
		const response = await send(`/async/media/tasks/${data.taskId}/${path}`, body, method);
		expect(await response.json()).toStrictEqual({ code: 400, msg, data: null });
	});

	it.each([
		[{}, 'base64 is required'],
		[{ base64: 5 }, 'base64 must be string'],
		[{ base64, mimeType: 5 }, 'mimeType must be string'],
		[{ base64, externalUserId: 5 }, 'externalUserId must be string'],
		[{ base64, externalUserId: 'x'.repeat(129) }, 'externalUserId must NOT have more than 128 characters'],
		[
			{ base64, storagePolicy: 'TEMP_GENERATION' },
			'storagePolicy must be equal to one of the allowed values: TEMP_UPLOAD, PERMANENT',
		],
	])('an upload: %j', async (body, message) => {
		const response = await send('/storage/upload', body);
		expect(await response.json()).toStrictEqual({ error: { message, type: 'invalid_request' } });
		expect(response.status).toBe(400);
	});
});
