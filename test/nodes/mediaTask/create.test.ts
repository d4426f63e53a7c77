import nock from 'nock';

import { executeOn, attemptContext } from '../../helpers/attempt';
import type { RunOptions } from '../../helpers/engine';
import { catalogue, creations, envelope, gateway, model, run } from '../../helpers/media';
import { useNock } from '../../helpers/nock';
import { eventually, quickTime } from '../../helpers/time';

// The request that creates a task, and errors before and after it.

useNock();
quickTime();

const taskRequest = { model, inputMode: 'json', inputJson: '{"prompt": "a"}' };
const inputFiles = { files: [{ binaryPropertyName: 'data', inputField: 'image' }] };
const picture = { data: { data: 'aGk=', mimeType: 'image/png', fileName: 'a.png' } };

/** The task request of a node with these options. */
async function created(options: object = {}, more: Partial<RunOptions> = {}, parameters: object = {}) {
	nock.cleanAll();
	catalogue();
	const sent = creations();
	const { error } = await run('create', { ...taskRequest, ...parameters, options }, more);
	expect(error).toBeUndefined();
	expect(sent).toHaveLength(1);
	return { body: sent[0]?.body, key: sent[0]?.key };
}

it.each([
	['https://n8n.example.com/webhook/a/media-task', 1],
	['https://n8n.example.com/webhook-test/a/media-task', 0],
	['https://example.com/done', 0],
])('a hint says to publish the workflow of a callback URL once: %s, %i', async (callbackUrl, count) => {
	catalogue();
	creations();
	const items = [{ json: {} }, { json: {} }];
	const { run: execution } = await run('create', { ...taskRequest, options: { callbackUrl } }, { items });
	const hints = execution.data.resultData.runData.Gateway?.[0]?.hints ?? [];
	expect(hints.filter(({ message }) => message.includes('is published'))).toHaveLength(count);
});

describe('the body of a task request', () => {
	it('has only the model and the input by default', async () => {
		const { body } = await created({ sessionId: '', callbackUrl: ' ' });
		expect(body).toStrictEqual({ model: 'acme/painter', input: { prompt: 'a' } });
	});

	it('has the session and the callback URL', async () => {
		const callbackUrl = 'https://n8n.example.com/webhook/a';
		const { body } = await created({ sessionId: 's-1', callbackUrl });
		expect(body).toStrictEqual({
			model: 'acme/painter',
			input: { prompt: 'a' },
			sessionId: 's-1',
			callBackUrl: callbackUrl,
		});
	});
});

describe('when another item fails', () => {
	it('the request of an item whose file is being uploaded is not sent', async () => {
		catalogue();
		const sent = creations();
		let ended = 0;
		const uploads: string[] = [];
		nock('https://gateway.test')
			.persist()
			.post('/api/v1/storage/upload')
			.reply(async (_, body) => {
				const isSlow = JSON.stringify(body).includes('slow');
				uploads.push(isSlow ? 'slow' : 'rejected');
				await eventually(() => uploads.length === 2 && (!isSlow || ended === 1));
				// By then the node has read the error response.
				if (isSlow) await new Promise((resolve) => setTimeout(resolve, 2_000));
				ended += 1;
				return isSlow ? [200, { id: 'f', url: 'https://files.test/f' }] : [402, envelope(null, 402)];
			});
		const fileOf = (text: string) => ({
			json: {},
			binary: { data: { ...picture.data, data: Buffer.from(text).toString('base64') } },
		});
		const items = [fileOf('slow'), fileOf('rejected')];
		const { error } = await run('create', { ...taskRequest, inputFiles }, { items });
		expect(error?.httpCode).toBe('402');
		expect(uploads.sort()).toStrictEqual(['rejected', 'slow']);
		expect(ended).toBe(2);
		expect(sent).toStrictEqual([]);
	});
});

describe('a cancelled run', () => {
	it('names the existing tasks in its error and in the log', async () => {
		catalogue();
		creations();
		const controller = new AbortController();
		gateway()
			.persist()
			.get(/\/tasks\/t\d$/)
			.reply(() => {
				controller.abort();
				return [200, envelope({ state: 'processing' })];
			});
		const options: RunOptions = {
			node: 'mediaTask',
			parameters: { resource: 'task', operation: 'createAndWait', ...taskRequest },
			items: [{ json: {} }, { json: {} }],
		};
		const context = await attemptContext(options, { signal: controller.signal });
		const warnings: string[] = [];
		Object.defineProperty(context, 'logger', { value: { warn: (text: string) => warnings.push(text) } });
		await expect(executeOn(options, context)).rejects.toMatchObject({
			message: 'The execution was cancelled',
			description: expect.stringMatching(/t1, t2|t2, t1/) as string,
		});
		expect(warnings).toStrictEqual([expect.stringMatching(/t1, t2|t2, t1/)]);
	});

	it('names the created tasks when it is cancelled before their prices are read', async () => {
		const controller = new AbortController();
		creations();
		let requests = 0;
		nock('https://gateway.test')
			.get('/api/v1/media/models')
			.reply(() => {
				requests += 1;
				controller.abort();
				return [200, { data: [] }];
			});
		const options: RunOptions = {
			node: 'mediaTask',
			parameters: { resource: 'task', operation: 'create', ...taskRequest },
		};
		const context = await attemptContext(options, { signal: controller.signal });
		Object.defineProperty(context, 'logger', { value: { warn: () => undefined } });
		await expect(executeOn(options, context)).rejects.toMatchObject({
			description: expect.stringContaining('t1') as string,
		});
		expect(requests).toBe(1);
	});
});
