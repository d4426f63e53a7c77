import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import type { INodeParameters } from 'n8n-workflow';
import { z } from 'zod';

import { textFormat } from '../../nodes/shared/gateway/text/formats';
import type { JsonObject } from '../../nodes/shared/gateway/util/json';
import { rejection } from '../helpers/client';
import { CONTINUE, FORMATS, locator } from '../helpers/values';
import { type LangChainModel, streamed } from '../nodes/chatModel/support';
import { filled, useGateway } from './support';

describe('the gateway’s words, with the name in the panel, are the error of an input that it does not accept, and nothing is charged', () => {
	// The forms and prices of the media models.

	const gateway = useGateway();

	test.each<[string, string, object, string]>([
		[
			'a number out of range',
			'aurora/canvas-1',
			{ num_images: '9' },
			"'Number of Images': input.num_images: must be ≤ 4",
		],
		[
			'a nested field',
			'aurora/canvas-1',
			{ watermark: '{"opacity": 1}' },
			"'Watermark': input.watermark.text: is required",
		],
	])('%s', async (_, model, value, words) => {
		const { items } = await gateway.media('create', filled(model, { prompt: 'a', ...value }), {
			settings: CONTINUE,
		});
		expect(items[0]?.json.error).toMatchObject({
			message: expect.stringContaining(words) as string,
			httpCode: '422',
			retryable: false,
		});
		expect([gateway.charges(), gateway.control.tasks()]).toStrictEqual([0, []]);
	});

	it('a file in a field that takes none', async () => {
		const files = [{ binaryPropertyName: 'data', inputField: 'num_images' }];
		const parameters = { ...filled('aurora/canvas-1', { prompt: 'a' }), inputFiles: { files } };
		const items = [{ json: {}, binary: { data: { data: 'aGk=', mimeType: 'image/png' } } }];
		const { error } = await gateway.media('create', parameters, { items });
		expect(error?.message).toContain("'Number of Images': input.num_images: must be integer");
		expect(gateway.charges()).toBe(0);
	});
});

describe('media tasks', () => {
	const gateway = useGateway();

	it('one cannot be downloaded before it has ended: the error says so, and not that there is no task', async () => {
		gateway.control.configure({ taskDuration: { video: 60_000 } });
		const { items } = await gateway.media('create', filled('lumen/motion-2', { prompt: 'a' }));
		const taskId = items[0]?.json.taskId as string;
		const early = await gateway.media('download', { taskId });
		expect(early.error?.message).toBe('The media task has not finished');
		expect(early.error?.description).toMatch(/its state is "(waiting|processing)".*'Wait'/);
		const { items: errors } = await gateway.media('download', { taskId }, { settings: CONTINUE });
		expect(errors[0]?.json.error).toMatchObject({ code: 'task_not_finished', retryable: true, taskId });
		await gateway.control.finishTask(taskId, { failCode: 'NSFW', failMsg: 'No such picture' });
		const { error } = await gateway.media('download', { taskId });
		expect(error?.message).toBe('The media task failed');
	});

	it('what n8n stores of a node whose task has failed has no API key', async () => {
		const inputJson = '{ "prompt": "[[fail]]" }';
		const { error, run } = await gateway.draw({ inputJson, options: { idempotencyKey: 'order-7' } });
		expect(error?.message).toBe('The media task failed');
		const stored = JSON.stringify(run.data);
		expect(stored).toContain('order-7');
		expect(stored).not.toContain(gateway.apiKey);
	});
});

describe('tool media', () => {
	// An agent's model that sees the images of a media tool.

	const gateway = useGateway();
	const PAINTER = { name: 'paint_it', description: 'Paints', schema: z.object({}), invoke: () => '' };
	const BLIND = 'tiny/window-1k';
	const SEEING = 'sandbox/swift-1';
	const CAT = 'https://files.test/cat.png';

	async function modelOf(format: string, model = SEEING, options: INodeParameters = {}) {
		const { lc, logged } = await gateway.chatModel({
			parameters: { format, model: locator(model) },
			options: { showToolMedia: true, maxRetries: 0, ...options },
		});
		return { lc: lc.bindTools([PAINTER]), logged };
	}

	/** What the model says, whole or streamed. */
	const said = async (lc: LangChainModel, isStream: boolean) =>
		(await (isStream ? streamed(lc, conversation) : lc.invoke(conversation))).text;

	const round = (id: string): BaseMessage[] => [
		new AIMessage({ content: '', tool_calls: [{ id, name: PAINTER.name, args: {} }] }),
		new ToolMessage({ tool_call_id: id, content: JSON.stringify([{ taskId: id, resultUrls: [CAT] }]) }),
	];
	const conversation = [new HumanMessage('Please paint it'), ...round('a')];
	const sent = (format: string) =>
		gateway.control.requests({ path: textFormat(format).path }).map(({ body }) => JSON.stringify(body.json));
	/** Image parts of a request; the tool result has the URL as text. */
	const images = (body: string) =>
		body.match(/\{"type":"(image_url|input_image|image)",[^}]*https:\/\/files\.test\/cat\.png/g)?.length ?? 0;

	describe.each(FORMATS)('%s', (format) => {
		it('the model sees the image', async () => {
			const { lc } = await modelOf(format);
			expect((await lc.invoke(conversation)).content).toContain('I can see: image');
			expect(sent(format).map(images)).toStrictEqual([1]);
		});

		it.each([false, true])(
			'a model that rejects images gets the text alone (stream: %s)',
			async (isStream) => {
				const { lc, logged } = await modelOf(format, BLIND, { maxTokens: 200 });
				expect(await said(lc, isStream)).toContain(`Here it is: ${CAT}`);
				expect(sent(format).map(images)).toStrictEqual([1, 0]);
				expect(gateway.charges()).toBe(1);
				expect(JSON.stringify(logged())).toContain('"leftOut":"images of tools, reasoning"');
			},
		);

		it('a request that is rejected without images too has the first error', async () => {
			for (const nth of [1, 2])
				gateway.control.addFault({
					match: { path: textFormat(format).path },
					action: { kind: 'error', code: 'provider_bad_request', message: `Rejected ${nth}` },
				});
			const { lc } = await modelOf(format, SEEING);
			expect(await rejection(lc.invoke(conversation))).toMatchObject({
				message: expect.stringContaining('Rejected 1') as string,
			});
			expect(gateway.charges()).toBe(0);
		});
	});

	it('a request without images that may be charged has its own error', async () => {
		const match = { method: 'POST' };
		gateway.control.addFault({ match, action: { kind: 'error', code: 'provider_bad_request' } });
		gateway.control.addFault({ match, action: { kind: 'loseResponse' } });
		const { lc } = await modelOf('chat', SEEING);
		expect(await rejection(lc.invoke(conversation))).toMatchObject({
			description: expect.stringContaining('may have been charged') as string,
		});
	});

	it('a request that is rejected is sent once more, without images and reasoning', async () => {
		const match = { path: textFormat('responses').path };
		gateway.control.addFault({ match, action: { kind: 'error', code: 'provider_bad_request' } });
		const { lc } = await modelOf('responses', SEEING);
		await lc.invoke(conversation);
		expect(
			sent('responses').map((body) => [images(body), body.includes('reasoning.encrypted_content')]),
		).toStrictEqual([
			[1, true],
			[0, false],
		]);
		expect(gateway.charges()).toBe(1);
	});

	it('a tool that must be called is not called again after its image', async () => {
		const { lc } = await modelOf('chat', SEEING, { toolChoice: 'required' });
		const message = await lc.invoke(conversation);
		expect(message.tool_calls).toStrictEqual([]);
		const [body] = gateway.control.requests({ method: 'POST' }).map((request) => request.body.json);
		expect((body as JsonObject).tool_choice).toBeUndefined();
	});
});
