import type { TextModel } from '../../../nodes/shared/gateway/endpoints/models';
import { costOfCharge, mostOfCall } from '../../../nodes/shared/gateway/text/cost';
import { textFormat, textFormats } from '../../../nodes/shared/gateway/text/formats';
import type { TextRequest } from '../../../nodes/shared/gateway/text/formats/request';
import type { JsonObject } from '../../../nodes/shared/gateway/util/json';

const model: TextModel = {
	id: 'acme/writer',
	contextLength: 10_000,
	costContext: '0.000009',
	costCompletion: '3.6e-5',
	record: {},
};
const usage = {
	inputTokens: 100,
	outputTokens: 10,
	totalTokens: 110,
	cachedInputTokens: null,
	reasoningTokens: null,
};

const costOf = async (tokens: typeof usage, body: JsonObject, known: TextModel | undefined) =>
	(await costOfCharge({ costRub: null, usage: tokens }, body, async () => await Promise.resolve(known)))?.rub;

describe('the cost of a call', () => {
	it('is exact', async () => {
		expect(await costOf(usage, {}, model)).toBe('0.00126');
		expect(await costOf({ ...usage, inputTokens: 0, outputTokens: 0 }, {}, model)).toBe('0');
	});

	test.each<[string, Partial<typeof usage> | object, TextModel | undefined]>([
		['the input', { inputTokens: null }, model],
		['the output', { outputTokens: null }, model],
		['the price of cached tokens', { cachedInputTokens: 5 }, model],
		['the price of tokens that are written to the cache', { cacheWriteTokens: 5 }, model],
		['the model', {}, undefined],
		['the price of the input', {}, { ...model, costContext: undefined }],
		['the price of the output', {}, { ...model, costCompletion: undefined }],
		['a price that is not below 0', {}, { ...model, costCompletion: '-1' }],
	])('is not known without %s', async (_, tokens, known) => {
		expect(await costOf({ ...usage, ...tokens }, {}, known)).toBeUndefined();
	});
});

test.each<[string, JsonObject]>([
	['plugins', { plugins: [{ id: 'masker' }] }],
	['web searches', { web_search_options: {} }],
	['built-in tools', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
])('the cost of a call with %s is not known', async (_, body) => {
	expect(await costOf(usage, body, model)).toBeUndefined();
});

/** The most that a chat call can cost. */
function most(
	body: JsonObject,
	{ known = model, format = 'chat' }: { known?: TextModel; format?: string } = {},
) {
	return mostOfCall(
		textFormat(format),
		{ max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }], ...body },
		known,
	);
}
const rubOf = (result: ReturnType<typeof most>) => ('rub' in result ? Number(result.rub) : NaN);
const OUTPUT = 100 * 0.000036;
const WINDOW = 10_000 * 0.000009;

describe('the most that a call can cost', () => {
	it('has a token for each byte of the body, and the longest response', () => {
		const body = { max_tokens: 100, messages: [{ role: 'user', content: 'Привет' }] };
		const bytes = Buffer.byteLength(JSON.stringify(body));
		expect(rubOf(most(body))).toBeCloseTo(bytes * 0.000009 + OUTPUT, 12);
	});

	// report: with *Extra Body (JSON)*, `prompt` may stand in place of `messages` (§4.2).
	it('counts a prompt in place of messages by its bytes', () => {
		const costOf = (prompt: string) => rubOf(most({ messages: undefined, prompt }));
		expect(costOf('x'.repeat(1_100)) - costOf('x'.repeat(100))).toBeCloseTo(1_000 * 0.000009, 12);
	});

	it('has the longest response of each choice, by the higher of both limits', () => {
		const one = rubOf(most({}));
		expect(rubOf(most({ n: 3 })) - one).toBeCloseTo(2 * OUTPUT, 3);
		expect(rubOf(most({ n: 0 })) - one).toBeCloseTo(0, 3);
		expect(rubOf(most({ max_completion_tokens: 200 })) - one).toBeCloseTo(OUTPUT, 3);
		expect(rubOf(most({ max_completion_tokens: 1 })) - one).toBeCloseTo(0, 3);
	});

	it.each<[string, JsonObject]>([
		['chat', { tools: [] }],
		['chat', { response_format: { type: 'json_object' } }],
		['responses', { tools: [] }],
		['responses', { text: { format: { type: 'json_object' } } }],
		['messages', { tools: [] }],
	])('has more for tools and JSON, which providers describe to the model: %s, %j', (format, described) => {
		const costOf = (body: JsonObject) => rubOf(most({ max_output_tokens: 100, ...body }, { format }));
		expect(costOf(described) - costOf({})).toBeGreaterThan(1_000 * 0.000009);
	});

	const CONVERSATION: TextRequest = {
		model: 'acme/writer',
		conversation: {
			kind: 'messages',
			messages: [
				{ role: 'system', text: 'Be kind' },
				{ role: 'user', text: 'Look', attachments: [{ kind: 'image', source: { url: 'https://x.test/a' } }] },
				{ role: 'assistant', text: '', toolCalls: [{ id: 'c', name: 'f', arguments: '{}' }] },
				{ role: 'tool', callId: 'c', text: 'Found' },
				{ role: 'assistant', text: 'A cat' },
				{ role: 'user', text: 'As JSON' },
			],
		},
		tools: [{ name: 'f', parameters: { type: 'object' } }],
		output: { kind: 'jsonObject', name: 'answer' },
		fields: {},
		stream: false,
	};
	const large = { ...model, contextLength: 1_000_000 };

	it.each(textFormats)(
		'$name: counts a conversation with a picture and tools, not the context window',
		(format) => {
			const result = mostOfCall(
				format,
				{ ...format.toBody(CONVERSATION), [format.cost.limits[0]]: 100 },
				large,
			);
			// 12,000 tokens of the picture, 1,000 of tools and JSON, and the text.
			expect(rubOf(result)).toBeGreaterThan(13_000 * 0.000009 + OUTPUT);
			expect(rubOf(result)).toBeLessThan(15_000 * 0.000009 + OUTPUT);
			expect(result).toMatchObject({ isEstimate: true });
		},
	);

	it('counts messages in the shape of Responses', () => {
		const part = (type: string, field = 'text') => ({ type, [field]: 'x' });
		const input = [
			{ type: 'message', role: 'user', content: [part('input_text')] },
			{ type: 'message', role: 'assistant', content: [part('output_text'), part('refusal', 'refusal')] },
		];
		const body = { input, max_output_tokens: 100 };
		expect(rubOf(most(body, { format: 'responses', known: large }))).toBeLessThan(0.01);
	});

	it.each([
		['auto', true],
		['default', true],
		['flex', true],
		['priority', false],
	])('with the service tier %s is known: %s', (tier, isKnown) => {
		const result = most({ service_tier: tier, max_output_tokens: 100 }, { format: 'responses' });
		expect('rub' in result).toBe(isKnown);
	});

	it('has no more input than fits the context window', () => {
		const content = 'x'.repeat(20_000);
		expect(rubOf(most({ messages: [{ role: 'user', content }] }))).toBeCloseTo(WINDOW + OUTPUT, 12);
	});

	const limited = { max_tokens: undefined, max_output_tokens: 100 };

	const earlier = { messages: [{ role: 'assistant', audio: { id: 'a1' } }] };
	const unknown = { input: [{ type: 'new_part' }], ...limited };

	test.each<[string, JsonObject, string?]>([
		['an unknown part', unknown, 'responses'],
		['audio of an earlier response', earlier],
		['an earlier response', { previous_response_id: 'r1', ...limited }, 'responses'],
		['a conversation', { conversation: { id: 'c1' }, ...limited }, 'responses'],
	])('has the context window for %s', (_, body, format = 'chat') => {
		expect(rubOf(most(body, { format }))).toBeCloseTo(WINDOW + OUTPUT, 12);
		expect(most(body, { format, known: { ...model, contextLength: undefined } })).toMatchObject({
			reason: expect.stringContaining('of earlier messages, is not known') as string,
		});
	});

	const why = { text: 'why', encrypted_content: 'c2VjcmV0', signature: 's' };
	const said = (fields: JsonObject) => ({ role: 'assistant', content: 'x', ...fields });
	const details = ['text', 'summary', 'encrypted'].map((kind) => ({ type: `reasoning.${kind}`, ...why }));
	const parts = ['thinking', 'redacted_thinking'].map((type) => ({ type, ...why }));

	test.each<[string, JsonObject]>([
		['chat', { messages: [said({ reasoning_details: details })] }],
		['responses', { ...limited, input: [{ type: 'reasoning', summary: [], ...why }] }],
		['messages', { messages: [said({ content: parts })] }],
	])('counts reasoning that goes back as text (%s)', (format, body) => {
		expect(rubOf(most(body, { format }))).toBeLessThan(WINDOW);
	});

	it.each<[string, JsonObject]>([
		['the voice of this one', { audio: { voice: 'alloy', format: 'mp3' } }],
		['a message that has none', { messages: [said({ audio: null })] }],
	])('counts no earlier response for %s', (_, body) => {
		expect(rubOf(most(body))).toBeLessThan(WINDOW);
	});

	it('counts the texts of a conversation with tools as text', () => {
		const use = { type: 'tool_use', id: 't', input: {} };
		const result = { type: 'tool_result', tool_use_id: 't', content: 'b' };
		const messages = [
			said({ content: [{ type: 'text', text: 'a' }, use] }),
			{ role: 'user', content: [result] },
		];
		expect(rubOf(most({ messages }, { format: 'messages' }))).toBeLessThan(WINDOW);
	});

	it('has the tokens of reasoning beside those of the response', () => {
		const reasoning = rubOf(most({ reasoning: { max_tokens: 50_000 } })) - rubOf(most({}));
		expect(reasoning).toBeCloseTo(500 * OUTPUT, 3);
		expect(rubOf(most({ reasoning: { max_tokens: -50 } }))).toBeGreaterThan(rubOf(most({})));
	});

	it.each(['chat', 'messages'])('has twice the text that is written to the cache (%s)', (format) => {
		const text = { type: 'text', text: 'x' };
		const costOf = (part: JsonObject) =>
			rubOf(most({ messages: [{ role: 'user', content: [part] }] }, { format }));
		const cached = costOf({ ...text, cache_control: { type: 'ephemeral' } });
		expect(cached).toBeGreaterThan(2 * costOf(text) - OUTPUT);
		expect(cached).toBeLessThan(WINDOW);
	});

	it('has twice the input if a part of it is written to the cache', () => {
		const part = { type: 'text', text: 'x', cache_control: { type: 'ephemeral' } };
		const audio = { type: 'input_audio', input_audio: { data: 'A'.repeat(1_000_000) } };
		const messages = [{ role: 'user', content: [part, audio] }];
		expect(rubOf(most({ messages }))).toBeCloseTo(2 * WINDOW + OUTPUT, 12);
	});

	test.each<[string, JsonObject, TextModel | undefined]>([
		['price for the model', {}, { ...model, costContext: undefined }],
		['response is not limited', { max_tokens: undefined }, model],
		['response is not limited', { max_tokens: 'many' }, model],
		['response is not limited', { max_tokens: -5 }, model],
		['response is not limited', { max_tokens: 0 }, model],
		['response is not limited', { max_tokens: 100, max_completion_tokens: 0 }, model],
		['plugins cost extra', { plugins: [{ id: 'masker' }] }, model],
		['plugins cost extra', { plugins: { masker: {} } }, model],
		['images and audio in the response cost extra', { modalities: ['text', 'image'] }, model],
		['web searches cost extra', { web_search_options: {} }, model],
		['built-in tools cost extra', { tools: [{ type: 'web_search' }] }, model],
		['priority calls cost extra', { service_tier: 'priority' }, model],
	])('is not known: %s', (reason, body, known) => {
		expect(most(body, { known: known ?? model })).toMatchObject({
			reason: expect.stringContaining(reason) as string,
		});
	});

	test.each<JsonObject>([{ plugins: [] }, { plugins: null }, { modalities: ['text'] }, { modalities: null }])(
		'is known with %j',
		(body) => expect(most(body)).toHaveProperty('rub'),
	);

	it('is not known without the model', () => {
		expect(mostOfCall(textFormat('chat'), { max_tokens: 5 }, undefined)).toMatchObject({
			reason: expect.stringContaining('because the catalogue has no price for the model') as string,
		});
	});
});

describe('a file', () => {
	const base64 = 'A'.repeat(4_000_000);
	const wide = { ...model, contextLength: 100_000_000 };
	const chatPart = (part: JsonObject): [JsonObject] => [{ messages: [{ role: 'user', content: [part] }] }];
	const input = (part: JsonObject): [JsonObject, string] => [
		{ max_output_tokens: 100, input: [{ role: 'user', content: [part] }] },
		'responses',
	];
	const message = (part: JsonObject): [JsonObject, string] => [
		{ messages: [{ role: 'user', content: [part] }] },
		'messages',
	];
	const tokensOf = (result: ReturnType<typeof most>) => (rubOf(result) - OUTPUT) / 0.000009;
	const count = (body: JsonObject, format = 'chat') => tokensOf(most(body, { format, known: wide }));
	const dataUrl = (type: string) => `data:${type};base64,${base64}`;
	const inResult = (part: JsonObject) => ({ type: 'tool_result', tool_use_id: 't', content: [part] });

	const chatImage = (url: string) => chatPart({ type: 'image_url', image_url: { url } });
	const inputFile = (fields: JsonObject) => input({ type: 'input_file', ...fields });
	const image = (source: JsonObject) => ({ type: 'image', source });
	const sound = { type: 'input_audio', input_audio: { data: base64, format: 'mp3' } };
	const text = { type: 'text', media_type: 'text/plain', data: base64 };

	test.each<[string, number, [JsonObject, string?]]>([
		['a picture', 12_000, chatImage(dataUrl('image/png'))],
		['a picture by URL', 12_000, chatImage('https://x.test')],
		['a picture', 12_000, input({ type: 'input_image', image_url: dataUrl('image/png') })],
		['a picture by ID', 12_000, input({ type: 'input_image', file_id: 'f1' })],
		['a picture', 12_000, message(image({ type: 'base64', data: base64 }))],
		['a result of a tool', 12_000, message(inResult(image({ type: 'url', url: 'https://x' })))],
		['a PDF', 3_012_000, chatPart({ type: 'file', file: { file_data: dataUrl('application/pdf') } })],
		['a PDF by its name', 3_012_000, inputFile({ filename: 'a.pdf', file_data: base64 })],
		[
			'a PDF by its title',
			3_012_000,
			message({ type: 'document', title: 'a.pdf', source: { data: base64 } }),
		],
		['a PDF as a picture', 3_012_000, chatImage(dataUrl('application/pdf'))],
		['a text', 3_000_000, inputFile({ file_data: dataUrl('text/csv') })],
		['a text', 3_000_000, inputFile({ file_data: dataUrl('application/ld+json') })],
		['a text', 4_000_000, message({ type: 'document', source: text })],
		['a sound', 151_000, chatPart(sound)],
		['a film', 151_000, chatPart({ type: 'video_url', video_url: { url: dataUrl('video/mp4') } })],
	])('%s counts as %d tokens', (_, tokens, [body, format]) => {
		expect(count(body, format)).toBeGreaterThanOrEqual(tokens);
		expect(count(body, format)).toBeLessThan(tokens + 500);
	});

	const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
	const film = { type: 'video_url', video_url: { url: 'gs://x/film.mp4' } };

	test.each<[string, [JsonObject, string?]]>([
		['by URL', inputFile({ file_url: 'https://x.test/a.pdf?key=1' })],
		['by URL in capitals', inputFile({ file_url: 'HTTPS://X.TEST/A.TXT' })],
		['in a cloud', chatPart(film)],
		['by ID', chatPart({ type: 'file', file: { file_id: 'f1' } })],
		['of another type', inputFile({ filename: 'a.docx', file_data: dataUrl(docx) })],
	])('%s counts as the context window', (_, [body, format = 'chat']) => {
		const result = most(body, { format });
		expect(rubOf(result)).toBeCloseTo(WINDOW + OUTPUT, 12);
		expect(result).not.toHaveProperty('isEstimate');
	});

	it('never counts as more than the context window, and then is no estimate', () => {
		const [body] = chatPart({ type: 'image_url', image_url: { url: 'https://x.test/a.png' } });
		const result = most(body);
		expect(rubOf(result)).toBeCloseTo(WINDOW + OUTPUT, 12);
		expect(result).not.toHaveProperty('isEstimate');
		expect(most(body, { known: wide })).toMatchObject({ isEstimate: true });
	});

	it('is not what a tool’s arguments only look like', () => {
		const call = { type: 'tool_use', id: 't', name: 'f', input: { type: 'image', data: base64 } };
		expect(count({ messages: [{ role: 'assistant', content: [call] }] }, 'messages')).toBeGreaterThan(
			4_000_000,
		);
	});
});
