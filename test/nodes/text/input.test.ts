import { useNock } from '../../helpers/nock';
import { b64, paper, picture, withFiles } from './files';
import { json, rows, sentBody } from './support';

useNock();

describe('messages in rows', () => {
	it('are sent in order', async () => {
		const message = [
			{ role: 'system', content: 'Be brief' },
			{ role: 'user', content: 'Hi' },
			{ role: 'assistant', content: 'Hello' },
			{ role: 'user', content: '2024' },
		];
		expect((await sentBody(rows(...message))).messages).toStrictEqual(message);
	});
});

describe('tool calls in rows', () => {
	it('are sent with their results', async () => {
		const calls = [{ id: 'c1', name: 'get_weather', arguments: { city: 'Oslo' } }];
		const body = await sentBody(
			rows(
				{ role: 'user', content: 'How warm is it?' },
				{ role: 'assistant', content: '', toolCallsJson: JSON.stringify(calls) },
				{ role: 'tool', content: '7 °C', toolCallId: ' c1 ' },
			),
		);
		expect(body.messages).toStrictEqual([
			{ role: 'user', content: 'How warm is it?' },
			{
				role: 'assistant',
				content: null,
				tool_calls: [
					{ id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } },
				],
			},
			{ role: 'tool', tool_call_id: 'c1', content: '7 °C' },
		]);
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
});

const marked = (text: string) => [{ type: 'text', text, cache_control: { type: 'ephemeral' } }];

describe('a role from an expression', () => {
	const file = { attachment: 'image', source: 'url', url: 'https://files.test/a.png' };
	const toolCallsJson = '[{ "id": "c1", "name": "f", "arguments": {} }]';

	it('of the assistant leaves out the file and the cache of another role', async () => {
		const body = await sentBody(
			rows(
				{ role: 'user', content: 'Hi' },
				{ role: '={{ "assistant" }}', content: 'Hello', cache: true, ...file },
			),
		);
		expect(body.messages).toStrictEqual([
			{ role: 'user', content: 'Hi' },
			{ role: 'assistant', content: 'Hello' },
		]);
	});

	it('of the user leaves out the tool calls of another role', async () => {
		const body = await sentBody(rows({ role: '={{ "user" }}', content: 'Hi', toolCallsJson }));
		expect(body.messages).toStrictEqual([{ role: 'user', content: 'Hi' }]);
	});
});

describe('the cache', () => {
	const conversation = [
		{ role: 'system', content: 'Be brief', cache: true },
		{ role: 'user', content: 'Hi', cache: false },
		{ role: 'assistant', content: 'Hello' },
		{ role: 'user', content: 'Go', cache: true },
	];

	it('ends after each row that says so', async () => {
		const body = await sentBody(rows(...conversation));
		expect(body.messages).toStrictEqual([
			{ role: 'system', content: marked('Be brief') },
			{ role: 'user', content: 'Hi' },
			{ role: 'assistant', content: 'Hello' },
			{ role: 'user', content: marked('Go') },
		]);
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
	it('may be a plain text, which the user says', async () => {
		expect(await sentBody(json('"Once"'))).toMatchObject({ messages: [{ role: 'user', content: 'Once' }] });
	});
	it('may be a list from an expression', async () => {
		expect(await sentBody(json('={{ [{ role: "user", content: "x" }] }}'))).toMatchObject({
			messages: [{ role: 'user', content: 'x' }],
		});
	});
});

describe('several texts in an option', () => {
	it.each([
		['of the panel', ['a', 'b'], ['a', 'b']],
		['from an expression', '={{ ["a", "b"] }}', ['a', 'b']],
		['one that looks like a list', '={{ "[END]" }}', ['[END]']],
		['a row with a list', ['={{ ["a", "b"] }}', 'c'], ['a', 'b', 'c']],
	])('%s', async (_, stop, expected) => {
		expect((await sentBody({ options: { sampling: { values: { stop } } } })).stop).toStrictEqual(expected);
	});
});

describe('the extra body', () => {
	it('is merged last: objects field by field, everything else replaced', async () => {
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
