import nock from 'nock';
import type { StructuredChunk } from 'n8n-workflow';

import type { JsonObject } from '../../../nodes/shared/gateway/util/json';
import { binaryStorage } from '../../helpers/engine';
import { useNock } from '../../helpers/nock';
import { mockResponse, generate } from './support';

// The output of a response.

useNock();

const usage = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12, cost_rub: 0.5 };
const tokens = {
	inputTokens: 5,
	outputTokens: 7,
	totalTokens: 12,
	cachedInputTokens: null,
	reasoningTokens: null,
};
const choice = (message: JsonObject, index = 0): JsonObject => ({ index, message, finish_reason: 'stop' });
const chat = (choices: JsonObject[], more: JsonObject = {}): JsonObject => ({
	id: 'c1',
	model: 'acme/writer',
	choices,
	usage,
	...more,
});
const png = 'iVBORw0KGgo=';
const picture = (type = 'image/png') => ({ image_url: { url: `data:${type};base64,${png}` } });

describe('a response of several choices', () => {
	it('has tokens, cost and unrecognized fields with the first', async () => {
		const response = chat([choice({ content: null }), choice({ content: null }, 1)]);
		mockResponse('chat', response);
		const { items } = await generate({ options: { n: 2 } });
		const common = { text: '', finishReason: 'stop', model: 'acme/writer', id: 'c1' };
		const none = { ...tokens, inputTokens: 0, outputTokens: 0, totalTokens: 0 };
		expect(items.map(({ json }) => json)).toStrictEqual([
			{ choice: 0, ...common, costRub: 0.5, usage: tokens, raw: response },
			{ choice: 1, ...common, costRub: 0, usage: none },
		]);
		expect(Object.keys(items[0]?.json ?? {}).slice(0, 4)).toStrictEqual([
			'choice',
			'text',
			'finishReason',
			'costRub',
		]);
	});

	it('has no cost when it is unknown', async () => {
		mockResponse('chat', chat([choice({ content: 'a' }), choice({ content: 'b' }, 1)], { usage: {} }));
		const { items } = await generate({ options: { n: 2 } });
		const unknown = {
			inputTokens: null,
			outputTokens: null,
			totalTokens: null,
			cachedInputTokens: null,
			reasoningTokens: null,
		};
		expect(items.map(({ json }) => [json.text, json.costRub, json.usage])).toStrictEqual([
			['a', null, unknown],
			['b', null, unknown],
		]);
	});

	it('has all kinds of tokens with the first', async () => {
		const details = {
			prompt_tokens_details: { cached_tokens: 2 },
			completion_tokens_details: { reasoning_tokens: 3 },
		};
		const choices = [choice({ content: 'a' }), choice({ content: 'b' }, 1)];
		mockResponse('chat', chat(choices, { usage: { ...usage, ...details } }));
		const { items } = await generate({ options: { n: 2 } });
		expect(items.map(({ json }) => json.usage)).toStrictEqual([
			{ ...tokens, cachedInputTokens: 2, reasoningTokens: 3 },
			{ inputTokens: 0, outputTokens: 0, totalTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 },
		]);
	});
});

it.each<[string, JsonObject]>([
	['text', { content: 'Hi' }],
	['a refusal', { content: null, refusal: 'No' }],
	['a tool call', { content: null, tool_calls: [{ id: 'a', function: { name: 't', arguments: '{}' } }] }],
	['a picture', { content: null, images: [picture()] }],
])('a response with %s is not also returned as received', async (_, message) => {
	mockResponse('chat', chat([choice(message)]));
	const { items } = await generate();
	expect(items).toHaveLength(1);
	expect(items[0]?.json).not.toHaveProperty('raw');
});

it('a response with only text has no other output', async () => {
	mockResponse('chat', chat([choice({ content: 'Hi' })]));
	const { items } = await generate();
	expect(items).toStrictEqual([
		{
			json: {
				text: 'Hi',
				finishReason: 'stop',
				costRub: 0.5,
				model: 'acme/writer',
				usage: tokens,
				id: 'c1',
			},
			pairedItem: { item: 0 },
		},
	]);
});

describe('the files of a response', () => {
	it('are binary fields, numbered by kind', async () => {
		const audio = { data: 'AAAA', transcript: 'la' };
		mockResponse(
			'chat',
			chat([choice({ content: null, audio, images: [picture(), picture('image/webp'), picture()] })]),
		);
		const { items } = await generate({ options: { audioAndImages: { values: { audioFormat: 'wav' } } } });
		const names = Object.entries(items[0]?.binary ?? {}).map(([field, { fileName }]) => [field, fileName]);
		expect(names).toStrictEqual([
			['audio', 'audio.wav'],
			['image', 'image.png'],
			['image_1', 'image_1.webp'],
			['image_2', 'image_2.png'],
		]);
	});

	it('are named after their type, or as n8n knows it', async () => {
		const types = ['image/jpg', 'application/pdf', 'application/x-unheard-of'];
		mockResponse('chat', chat([choice({ content: null, images: types.map(picture) })]));
		const { items } = await generate();
		const names = Object.values(items[0]?.binary ?? {}).map(({ fileName }) => fileName);
		expect(names).toStrictEqual(['image.jpg', 'image_1.pdf', 'image_2.bin']);
	});

	it('have the received bytes', async () => {
		mockResponse('chat', chat([choice({ content: null, images: [picture()] })]));
		const { items } = await generate();
		const binary = items[0]?.binary?.image;
		const bytes = binary && (await (await binaryStorage()).getAsBuffer(binary));
		expect(bytes?.toString('base64')).toBe(png);
	});
});

describe('as the tool of an agent', () => {
	it('a response has its text, and neither thoughts nor tokens', async () => {
		mockResponse('chat', chat([choice({ content: 'Hi', reasoning: 'hm' })]));
		const { items } = await generate({ simplify: false }, { asTool: true });
		expect(items.map(({ json }) => json)).toStrictEqual([{ text: 'Hi', finishReason: 'stop', costRub: 0.5 }]);
	});
});

it('a response that n8n cannot store is an error with the charged output', async () => {
	mockResponse('chat', chat([choice({ content: 'a', images: [picture()] }), choice({ content: 'b' }, 1)]));
	const storing = jest.spyOn(await binaryStorage(), 'store').mockRejectedValue(new Error('no space left'));
	const { items } = await generate({}, { settings: { onError: 'continueRegularOutput' } });
	storing.mockRestore();
	expect(items[0]?.json.error).toMatchObject({
		code: 'result_not_stored',
		description: expect.stringMatching(/no space left\. The call cost ₽0\.5\./) as string,
		retryable: false,
		mayBeCharged: true,
		id: 'c1',
		text: 'a\nb',
		costRub: 0.5,
	});
	expect(nock.isDone()).toBe(true);
});

it('a response that is not streamed is one chunk of a requested stream', async () => {
	const bodies = mockResponse('chat', chat([choice({ content: 'Hi' })]));
	const chunks: StructuredChunk[] = [];
	const { items } = await generate({}, { onChunk: (chunk) => void chunks.push(chunk) });
	expect(bodies.map(({ stream }) => stream)).toStrictEqual([true]);
	expect(items[0]?.json.text).toBe('Hi');
	expect(chunks.map(({ type, content }) => [type, content])).toStrictEqual([
		['begin', undefined],
		['item', 'Hi'],
		['end', undefined],
	]);
});
