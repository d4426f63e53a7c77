import nock from 'nock';

import type { JsonObject } from '../../../nodes/shared/gateway/util/json';
import { binaryStorage } from '../../helpers/engine';
import { useNock } from '../../helpers/nock';
import { chatCompletion, endpoints, gateway, generate, mockResponse, usage } from './support';

useNock();

describe('other output of a response', () => {
	it('has what has no field of its own as it came: it is charged', async () => {
		const call = { type: 'custom_tool_call', call_id: 'c', name: 'shell', input: 'ls' };
		const message = { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] };
		mockResponse('responses', { status: 'completed', output: [message, call] });
		const { items } = await generate({ format: 'responses' });
		expect(items[0]?.json).toMatchObject({ text: 'Hi', otherOutput: [call] });
		expect(items[0]?.json).not.toHaveProperty('raw');
	});

	it('has the provider and the number of web searches, where the response has them', async () => {
		const searched = { ...usage, server_tool_use: { web_search_requests: 3 } };
		mockResponse('chat', { ...chatCompletion({ content: 'Hi' }), provider: 'Acme Cloud', usage: searched });
		const { items } = await generate();
		expect(items[0]?.json).toMatchObject({ provider: 'Acme Cloud', usage: { webSearchRequests: 3 } });
	});

	it('has audio and pictures as binary fields', async () => {
		const png = Buffer.from('89504e470d0a1a0a0000', 'hex').toString('base64');
		const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } };
		const audio = { id: 'a', data: Buffer.from('sound').toString('base64'), transcript: 'la la' };
		mockResponse('chat', chatCompletion({ content: null, audio, images: [image, image] }));
		const { items } = await generate({
			options: { audioAndImages: { values: { modalities: ['text', 'audio'], audioFormat: 'mp3' } } },
		});
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
		const strange = chatCompletion({ content: null, hologram: { data: 'x' } });
		mockResponse('chat', strange);
		const { items } = await generate();
		expect(items[0]?.json).toMatchObject({ text: '', costRub: 0.5, raw: strange });
	});

	it('is not charged again when n8n cannot store its files', async () => {
		const audio = { data: 'c291bmQ=', transcript: 'la la' };
		mockResponse('chat', chatCompletion({ content: null, audio }));
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

	it('has what plugins cost, as received, and whether one failed afterwards', async () => {
		const plugins = { masker: { total_cost_rub: 0.01 }, checker: { total_cost_rub: 0.02 } };
		const extended = { ...usage, plugins, plugin_post_process_error: true };
		const [choice] = chatCompletion({ content: 'x' }).choices as JsonObject[];
		const choices = [choice ?? {}, { ...choice, index: 1 }];
		mockResponse('chat', { ...chatCompletion({}), choices, usage: extended });
		const { items } = await generate({ options: { n: 2 } });
		expect(items[0]?.json).toMatchObject({ plugins, pluginPostProcessError: true });
		expect(items[1]?.json).not.toHaveProperty('plugins');
		expect(items[1]?.json).not.toHaveProperty('pluginPostProcessError');
	});

	it('has the costs of plugins without Simplify', async () => {
		const plugins = { masker: { operations: [{ operation: 'mask', cost_rub: 0.01 }], total_cost_rub: 0.01 } };
		mockResponse('chat', { ...chatCompletion({ content: 'x' }), usage: { ...usage, plugins } });
		const { items } = await generate({ simplify: false });
		expect(items[0]?.json).toMatchObject({ usage: { plugins } });
	});
});

describe('as the tool of an agent', () => {
	it('returns small JSON, and no files', async () => {
		const audio = { data: 'c291bmQ=', transcript: 'la' };
		mockResponse('chat', chatCompletion({ content: '{"a": 1}', reasoning: 'Long thoughts', audio }));
		const { items } = await generate({ outputFormat: 'jsonObject', simplify: false }, { asTool: true });
		expect(items[0]?.json).toStrictEqual({ json: { a: 1 }, finishReason: 'stop', costRub: 0.5 });
		expect(items[0]?.binary).toBeUndefined();
	});
});

describe('a model that the gateway does not know', () => {
	const unknown = {
		error: { message: 'no such model', code: 'model_not_found', type: 'invalid_request_error' },
	};

	it.each(Object.entries(endpoints))('%s: is an error about the model', async (format, { path }) => {
		gateway().post(path).reply(404, unknown);
		const { error } = await generate({ format });
		const words = `${error?.message} ${error?.description}`;
		expect(words).toContain('no such model');
		expect(words).toContain('The gateway does not know this model');
	});
});
