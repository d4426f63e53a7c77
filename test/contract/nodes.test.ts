import { loadImage } from '@napi-rs/canvas';

import { startGateway, type Gateway } from '../../sandbox/gateway/gateway';
import { binaryStorage, runNode, type RunOptions, type RunResult } from '../helpers/engine';
import spec from '../fixtures/spec/errors.json';

// The nodes on n8n's engine against the sandbox gateway, over real sockets.

const TEXT_MODEL = 'sandbox/balanced-2';
let gateway: Gateway;

beforeAll(async () => {
	gateway = await startGateway({ settings: { taskDuration: { image: 0, video: 0, music: 0, audio: 0 } } });
});
beforeEach(async () => {
	await gateway.control.reset();
	gateway.control.configure({ taskDuration: { image: 0, video: 0, music: 0, audio: 0 } });
});
afterAll(async () => await gateway.close());

const locator = (value: string) => ({ __rl: true, mode: 'id', value });
const run = async (options: Omit<RunOptions, 'credential'>): Promise<RunResult> =>
	await runNode({ ...options, credential: { baseUrl: gateway.baseUrl, apiKey: gateway.apiKey } });

const generate = async (parameters: object = {}, extra: Partial<RunOptions> = {}) =>
	await run({
		node: 'textGeneration',
		...extra,
		parameters: {
			resource: 'text',
			operation: 'generate',
			model: locator(TEXT_MODEL),
			prompt: 'Say hello',
			...parameters,
		},
	});

const draw = async (parameters: object = {}, extra: Partial<RunOptions> = {}) =>
	await run({
		node: 'mediaTask',
		...extra,
		parameters: {
			resource: 'task',
			operation: 'createAndWait',
			model: locator('aurora/canvas-1'),
			inputJson: '{"prompt": "кот", "quality": "draft", "size": "512x512"}',
			// The first look comes without a pause in this scope; the tests need not wait for the usual pace.
			options: { idempotencyScope: 'workflow' },
			...parameters,
		},
	});

const charges = () => gateway.control.ledger().length;

describe('text', () => {
	test.each(['chat', 'responses'])('%s: gives text and the exact charge', async (format) => {
		const { items, error } = await generate({ format });
		expect(error).toBeUndefined();
		expect(items[0]?.json.text).toMatch(/\w/);
		expect(items[0]?.json.finishReason).toBe('stop');
		expect(items[0]?.json.costRub).toBe(Number(gateway.control.ledger()[0]?.amount));
	});

	it('messages: gives text and usage; the format reports no cost', async () => {
		const { items } = await generate({ format: 'messages', options: { maxTokens: 5 } });
		expect(items[0]?.json).toMatchObject({
			finishReason: 'length',
			costRub: null,
			usage: { outputTokens: 5 },
		});
	});

	it('sends the key as a bearer token only', async () => {
		await generate();
		expect(gateway.control.requests()[0]?.key).toMatchObject({ bearer: true, xApiKey: false });
	});

	it('asks the gateway for no more at once than the bound', async () => {
		gateway.control.configure({ latency: { chat: 40 } });
		const items = Array.from({ length: 30 }, (_, n) => ({ json: { n } }));
		const result = await generate({ options: { concurrency: 6 } }, { items });
		expect(result.items).toHaveLength(30);
		expect(gateway.control.concurrency().groups.chat?.max).toBe(6);
		expect(charges()).toBe(30);
	});
});

describe('every error of §7.3, as it comes from the gateway', () => {
	const retried = [429, 500, 502, 503, 504];
	test.each(spec.openai)('$status $code', async ({ code, status }) => {
		gateway.control.addFault({
			match: { path: '/chat/completions' },
			action: { kind: 'error', code: code as 'forbidden', retryAfter: 0 },
			times: 0,
		});
		const { error, run: execution } = await generate({ options: { maxRetries: 2 } });
		expect(error?.httpCode).toBe(String(status));
		expect(error?.description).toMatch(/The gateway says: “.+”/);
		expect(gateway.control.requests({ method: 'POST' })).toHaveLength(retried.includes(status) ? 3 : 1);
		expect(charges()).toBe(0);
		expect(JSON.stringify(execution.data)).not.toContain(gateway.apiKey);
	});
});

describe('a connection that fails', () => {
	const once = { match: { method: 'POST' } };

	it('never repeats a text call whose answer was lost after the charge', async () => {
		gateway.control.addFault({ ...once, action: { kind: 'loseAnswer' } });
		const { error } = await generate();
		expect(error?.message).toBe('The connection broke before the gateway had answered');
		expect(error?.description).toContain('charged');
		expect(charges()).toBe(1);
	});

	it('never repeats a text call whose answer was cut off', async () => {
		gateway.control.addFault({ ...once, action: { kind: 'cutBody' } });
		const { error } = await generate();
		expect(error?.description).toContain('charged');
		expect(charges()).toBe(1);
	});

	it('never repeats a text call that was not answered in time', async () => {
		gateway.control.addFault({ ...once, action: { kind: 'hang' } });
		const { error } = await generate({ options: { timeout: 1 } });
		expect(error?.message).toBe('The gateway did not answer in time');
		expect(gateway.control.requests()).toHaveLength(1);
	});

	it('repeats a text call that never arrived, and says so when it never does', async () => {
		const { error } = await runNode({
			node: 'textGeneration',
			credential: { baseUrl: 'http://127.0.0.1:9/api/v1', apiKey: 'k' },
			parameters: {
				resource: 'text',
				operation: 'generate',
				model: locator(TEXT_MODEL),
				prompt: 'x',
				options: { maxRetries: 1 },
			},
		});
		expect(error?.message).toBe('The gateway could not be reached');
	});

	test.each(['loseAnswer', 'cutBody', 'cutBefore'] as const)(
		'creates and charges a media task once after %s',
		async (kind) => {
			gateway.control.addFault({ match: { method: 'POST', path: '/async/media/tasks' }, action: { kind } });
			const { items, error } = await draw();
			expect(error).toBeUndefined();
			expect(items[0]?.json.state).toBe('success');
			expect(gateway.control.tasks()).toHaveLength(1);
			expect(charges()).toBe(1);
		},
	);

	it('fetches a result anew that was cut off', async () => {
		gateway.control.addFault({ match: { host: 'files' }, action: { kind: 'cutBody', afterBytes: 500 } });
		const { items } = await draw();
		await expectPicture(items[0]?.binary?.data, 512, 512);
		expect(gateway.control.requests({ host: 'files' })).toHaveLength(2);
	});

	test.each(['html', 'empty', 'cutJson', 'wrongType'] as const)(
		'takes %s instead of an answer for an error',
		async (body) => {
			gateway.control.addFault({
				match: { path: '/balance' },
				action: { kind: 'raw', status: 200, body },
				times: 0,
			});
			const { error } = await run({
				node: 'balance',
				parameters: { resource: 'balance', operation: 'get', options: { maxRetries: 1 } },
			});
			expect(error?.message).toMatch(/web page|could not be read/);
		},
	);
});

async function expectPicture(
	binary: Parameters<Awaited<ReturnType<typeof binaryStorage>>['getAsBuffer']>[0] | undefined,
	width: number,
	height: number,
) {
	if (!binary) throw new Error('there is no binary');
	const image = await loadImage(await (await binaryStorage()).getAsBuffer(binary));
	expect([image.width, image.height]).toStrictEqual([width, height]);
}

describe('media', () => {
	it('gives a picture that opens, fetched without any key', async () => {
		const { items } = await draw();
		await expectPicture(items[0]?.binary?.data, 512, 512);
		const [request] = gateway.control.requests({ host: 'files' });
		expect(request?.headers.authorization).toBeUndefined();
		expect(request?.headers['x-api-key']).toBeUndefined();
		expect(JSON.stringify(request)).not.toContain(gateway.apiKey);
	});

	it('gives each of several results', async () => {
		const { items } = await draw({
			model: locator('harmonia/song-3'),
			inputJson: '{"prompt": "a sea shanty"}',
		});
		expect(Object.keys(items[0]?.binary ?? {})).toStrictEqual(['data', 'data_1']);
		expect(items[0]?.binary?.data?.mimeType).toMatch(/^audio\//);
		expect(items[0]?.json.tracks).toHaveLength(2);
	});

	it('shows the field that the model’s schema refuses', async () => {
		const { error } = await draw({ inputJson: '{"prompt": "x", "quality": "divine"}' });
		expect(error?.message).toBe('The gateway did not accept the model or its input');
		expect(error?.description).toContain('quality');
		expect(charges()).toBe(0);
	});

	it('waits for many tasks together', async () => {
		const items = Array.from({ length: 12 }, (_, n) => ({ json: { prompt: `p${n}` } }));
		const result = await draw(
			{
				inputJson: '={{ JSON.stringify({ prompt: $json.prompt, quality: "draft" }) }}',
				downloadResults: false,
			},
			{ items },
		);
		expect(new Set(result.items.map(({ json }) => json.taskId)).size).toBe(12);
		expect(charges()).toBe(12);
	});

	it('downloads several results as one archive', async () => {
		const { items } = await draw({
			model: locator('harmonia/song-3'),
			inputJson: '{"prompt": "x"}',
			downloadResults: false,
		});
		const result = await run({
			node: 'mediaTask',
			parameters: { resource: 'task', operation: 'download', taskId: items[0]?.json.taskId as string },
		});
		expect(result.items[0]?.binary?.data).toMatchObject({
			mimeType: 'application/zip',
			fileExtension: 'zip',
		});
	});
});

describe('storage', () => {
	it('keeps, gives back and deletes a file', async () => {
		const picture = await draw();
		const upload = await run({
			node: 'storage',
			parameters: { resource: 'file', operation: 'upload', storagePolicy: 'PERMANENT' },
			items: picture.items,
		});
		expect(upload.error).toBeUndefined();
		const fileId = upload.items[0]?.json.id as string;
		expect(upload.items[0]?.json).toMatchObject({
			mimeType: 'image/png',
			storagePolicy: 'PERMANENT',
			expiresAt: null,
		});

		const file = async (operation: string) =>
			await run({ node: 'storage', parameters: { resource: 'file', operation, fileId } });
		expect((await file('get')).items[0]?.json).toMatchObject({ id: fileId, status: 'active' });
		await expectPicture((await file('download')).items[0]?.binary?.data, 512, 512);
		expect((await file('delete')).items[0]?.json).toStrictEqual({ deleted: true, id: fileId });
		expect((await file('get')).error?.message).toBe('The gateway has no such file');
	});
});

describe('balance', () => {
	it('reads both shapes', async () => {
		const read = async () =>
			(await run({ node: 'balance', parameters: { resource: 'balance', operation: 'get' } })).items[0]?.json;
		gateway.control.setBalance('12.30');
		expect(await read()).toMatchObject({ amountRub: 12.3, currency: 'RUB' });
		gateway.control.configure({ balanceShape: 'currencies' });
		expect(await read()).toMatchObject({ amountRub: 12.3, amountUsd: expect.any(Number) as number });
	});
});
