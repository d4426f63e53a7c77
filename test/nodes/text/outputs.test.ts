import { ExecuteContext } from 'n8n-core';
import type { INodeParameters } from 'n8n-workflow';
import nock from 'nock';

import type { JsonObject } from '../../../nodes/shared/gateway/util/json';
import chatResponse from '../../fixtures/chat/plain.json';
import { binaryStorage, runNode, type RunOptions } from '../../helpers/engine';
import { gateway } from '../../helpers/media';
import { useNock } from '../../helpers/nock';
import { CONTINUE } from '../../helpers/values';
import { chatCompletion, generate, mockResponse, usage } from './support';

useNock();

it('returns the body as received without Simplify', async () => {
	mockResponse('chat');
	const { items } = await generate({ simplify: false });
	expect(items[0]?.json).toStrictEqual(chatResponse);
});

describe('dry run', () => {
	const priced = {
		id: 'acme/writer',
		cost_context: '0.001',
		cost_completion: '0.002',
		context_length: 8_000,
	};
	const dryRun = { dryRun: true };

	function catalogue(records: object[]): void {
		gateway().get('/api/v1/models').reply(200, { data: records });
	}

	it('without *Max Tokens* has the price of 4,096 tokens, and says so', async () => {
		catalogue([priced]);
		const { items, hints } = await generate({ options: dryRun });
		const reason = expect.stringMatching(/of 4,096 tokens.*add 'Max Tokens'/) as string;
		expect(items[0]?.json).toMatchObject({ maxCostRub: 8.284, isEstimate: true, reason });
		expect(items[0]?.json.request).not.toHaveProperty('max_tokens');
		expect(hints.join()).toContain('Dry run, nothing was sent. 1 item: about ₽8.28');
	});

	it('with *Max Cost per Execution*, which limits the length to 4,096 tokens, has the request with that limit', async () => {
		catalogue([priced]);
		const { items } = await generate({ options: { ...dryRun, maxCostRub: 100 } });
		expect(items[0]?.json).toMatchObject({ maxCostRub: 8.284, request: { max_tokens: 4096 } });
		expect(items[0]?.json).not.toHaveProperty('isEstimate');
	});

	it('says why the cost is not known', async () => {
		catalogue([{ id: 'acme/writer', context_length: 8_000 }]);
		const { items, hints } = await generate({ options: dryRun });
		const reason = expect.stringMatching(/^Unknown, because the catalogue has no price/) as string;
		expect(items[0]?.json).toMatchObject({ maxCostRub: null, reason });
		expect(hints.join()).toContain(
			'Dry run, nothing was sent. Prices that are not known: 1, see reason in the output.',
		);
	});

	it('fails when the catalogue cannot be read', async () => {
		gateway()
			.get('/api/v1/models')
			.reply(401, { error: { code: 'invalid_api_key', message: 'No' } });
		const { error } = await generate({ options: dryRun });
		expect([error?.httpCode, error?.description]).toStrictEqual([
			'401',
			expect.stringContaining('Nothing was sent.'),
		]);
	});
});

describe('models', () => {
	const catalogue = [
		{ id: 'acme/writer', context_length: 8000, cost_context: 0.0001, extra: { kept: true } },
		{ id: 'acme/painter', context_length: 16000 },
		{ id: 'zeta/writer-mini', context_length: 32000 },
		{ name: 'no id' },
	];

	const run = async (parameters: INodeParameters, settings: RunOptions['settings'] = {}) => {
		gateway().get('/api/v1/models').reply(200, { data: catalogue });
		return await runNode({
			node: 'textGeneration',
			settings,
			parameters: { resource: 'model', ...parameters },
		});
	};

	it('getMany returns those with all words, with the gateway’s fields', async () => {
		const { items } = await run({ operation: 'getMany', search: 'WRITER zeta' });
		expect(items.map(({ json }) => json)).toStrictEqual([catalogue[2]]);
	});

	it.each<[search: string, index: number]>([
		['', 0],
		['zeta', 2],
	])('getMany returns as many of those with "%s" as Limit says', async (search, index) => {
		const { items } = await run({ operation: 'getMany', returnAll: false, limit: 1, search });
		expect(items.map(({ json }) => json)).toStrictEqual([catalogue[index]]);
	});

	it('get rejects an unknown model, and is not retryable', async () => {
		const { items } = await run({ operation: 'get', model: 'qqq' }, CONTINUE);
		expect(items[0]?.json.error).toMatchObject({
			message: 'The catalogue has no text model "qqq"',
			param: 'model',
			description: expect.stringContaining('from the list') as string,
			retryable: false,
		});
	});
});

const tokens = {
	inputTokens: 5,
	outputTokens: 7,
	totalTokens: 12,
	cachedInputTokens: null,
	reasoningTokens: null,
};

/** A response of the format Chat Completions with a choice for each message. */
function chat(messages: JsonObject[], more: JsonObject = {}): JsonObject {
	const choices = messages.map((message, index) => ({ index, message, finish_reason: 'stop' }));
	return { ...chatCompletion({}), choices, ...more };
}

const png = '89504e470d0a1a0a0000';
const picture = (type = 'image/png') => ({
	type: 'image_url',
	image_url: { url: `data:${type};base64,${Buffer.from(png, 'hex').toString('base64')}` },
});

/** The output items of a response. */
async function itemsOf(response: JsonObject, options = {}, format = 'chat') {
	mockResponse(format, response);
	return (await generate({ format, options })).items;
}

it('of several responses, which *Extra Body* asks for, the first has the fields, and `raw` has all', async () => {
	const more = {
		prompt_tokens_details: { cached_tokens: 2 },
		completion_tokens_details: { reasoning_tokens: 3 },
	};
	const response = chat([{ content: 'a' }, { content: 'b' }], { usage: { ...usage, ...more } });
	const items = await itemsOf(response, { extraBody: '{ "n": 2 }' });
	const fields = { text: 'a', finishReason: 'stop', costRub: 0.5, model: 'acme/writer', id: 'c1' };
	const read = { ...tokens, cachedInputTokens: 2, reasoningTokens: 3 };
	expect(items.map(({ json }) => json)).toStrictEqual([{ ...fields, usage: read, raw: response }]);
	expect(Object.keys(items[0]?.json ?? {}).slice(0, 3)).toStrictEqual(['text', 'finishReason', 'costRub']);
});

it('a response in which nothing is recognized is returned as received: it is charged', async () => {
	const strange = chatCompletion({ content: null, hologram: { data: 'x' } });
	const items = await itemsOf(strange);
	expect(items[0]?.json).toMatchObject({ text: '', costRub: 0.5, raw: strange });
});

it('what has no field of its own is returned as it came: it is charged', async () => {
	const call = { type: 'custom_tool_call', call_id: 'c', name: 'shell', input: 'ls' };
	const message = { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] };
	const raw = { status: 'completed', output: [message, call] };
	const items = await itemsOf(raw, {}, 'responses');
	expect(items[0]?.json).toMatchObject({ text: 'Hi', raw });
});

it('so is what stands beside a picture', async () => {
	const raw = chat([{ content: [picture(), { type: 'hologram', data: 'x' }] }]);
	expect((await itemsOf(raw))[0]?.json).toMatchObject({ raw });
});

it('a response of a picture alone is not empty', async () => {
	mockResponse('chat', chat([{ content: '', images: [picture()] }]));
	const { items, hints } = await generate();
	expect(items[0]?.json).not.toHaveProperty('raw');
	expect(hints.join()).not.toContain('has no text');
});

it('the provider is returned where the response has it', async () => {
	const items = await itemsOf(chat([{ content: 'Hi' }], { provider: 'Acme Cloud' }));
	expect(items[0]?.json).toMatchObject({ provider: 'Acme Cloud' });
});

it.each(['text', 'jsonObject'])(
	'the execution’s metadata have the tokens, also of a text that is no %s',
	async (outputFormat) => {
		mockResponse('chat');
		mockResponse('chat');
		const items = [{ json: {} }, { json: {} }];
		const { run } = await generate({ outputFormat }, { items, settings: CONTINUE });
		expect(run.data.resultData.runData.Gateway?.[0]?.metadata?.tokenUsage).toStrictEqual({
			inputTokens: 24,
			outputTokens: 6,
		});
	},
);

it('a paid text is returned where n8n cannot count its tokens', async () => {
	mockResponse('chat');
	const count = jest.spyOn(ExecuteContext.prototype, 'setMetadata').mockImplementation(() => {
		throw new Error('no metadata');
	});
	const { items } = await generate();
	expect(count).toHaveBeenCalledTimes(1);
	count.mockRestore();
	expect(items[0]?.json.text).toBe(chatResponse.choices[0]?.message.content);
});

it('an error does not have the key, of any form, which a model repeats', async () => {
	mockResponse('chat', chat([{ content: 'The key is sk-test' }]));
	const { items } = await generate({ outputFormat: 'jsonObject' }, { settings: CONTINUE });
	expect(items[0]?.json.error).toMatchObject({ text: 'The key is [key]', costRub: 0.5 });
});

describe('the files of a response', () => {
	it.each([
		['mp3', 'audio/mpeg'],
		['wav', 'audio/wav'],
		['opus', 'audio/ogg'],
		['pcm16', 'audio/pcm16'],
	])('of the audio format %s have the type %s', async (format, mimeType) => {
		const audio = { data: Buffer.from('la la').toString('base64') };
		const options = { audioAndImages: { audioFormat: format } };
		const own = { extraBody: JSON.stringify({ audio: { format } }) };
		const other = { ...own, audioAndImages: { audioFormat: 'flac' } };
		for (const given of [options, own, other]) {
			const [item] = await itemsOf(chat([{ content: null, audio }]), given);
			expect(item?.binary?.audio).toMatchObject({ mimeType, fileName: `audio_c1.${format}` });
		}
	});

	it('that n8n cannot store are an error with the charged output, and are not requested again', async () => {
		mockResponse('chat', chat([{ content: 'a', images: [picture()] }, { content: 'b' }]));
		const storing = jest.spyOn(await binaryStorage(), 'store').mockRejectedValue(new Error('no space left'));
		const settings = { ...CONTINUE, retryOnFail: true, waitBetweenTries: 1 };
		const { items } = await generate({}, { settings });
		storing.mockRestore();
		expect(items[0]?.json.error).toMatchObject({
			code: 'result_not_stored',
			description: expect.stringMatching(/no space left\. The call cost ₽0\.50\./) as string,
			retryable: false,
			mayBeCharged: true,
			id: 'c1',
			text: 'a',
			raw: { choices: [expect.anything(), { message: { content: 'b' } }] },
			costRub: 0.5,
		});
		expect(nock.isDone()).toBe(true);
	});
});

it.each<[JsonObject, object, object]>([
	[{ content: 'Hi', reasoning: 'hm' }, {}, { text: 'Hi' }],
	[{ content: '{"a":1}', audio: { data: 'c28=' } }, { outputFormat: 'jsonObject' }, { output: { a: 1 } }],
])('the tool of an agent returns small JSON, and no files (%#)', async (message, parameters, output) => {
	mockResponse('chat', chat([message, { content: 'b' }], { provider: 'Acme Cloud' }));
	const { items } = await generate({ simplify: false, ...parameters }, { asTool: true });
	expect(items.map(({ json }) => json)).toStrictEqual([{ ...output, finishReason: 'stop', costRub: 0.5 }]);
	expect(items[0]?.binary).toBeUndefined();
});
