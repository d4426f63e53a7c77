import type { INodeParameters } from 'n8n-workflow';

import { useNock } from '../../helpers/nock';
import { b64, paper, picture, withFiles } from './files';
import { generate, json, rows, sentBody } from './support';

useNock();

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
	it('may have empty messages among others', async () => {
		const messages = [
			{ role: 'system', content: '' },
			{ role: 'user', content: 'x' },
		];
		expect(await sentBody(json(JSON.stringify(messages)))).toMatchObject({ messages });
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
		expect((await sentBody({ options: { stop } })).stop).toStrictEqual(expected);
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
