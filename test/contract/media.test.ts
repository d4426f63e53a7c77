import { setTimeout as sleep } from 'node:timers/promises';

import { startGateway, type Gateway } from '../../sandbox/gateway/gateway';
import { mediaModels } from '../../sandbox/gateway/catalogue/mediaModels';
import { taskPrice as sandboxPrice } from '../../sandbox/gateway/media/pricing';
import { accountPrice, formatRubles, parseRubles } from '../../sandbox/gateway/money';
import { taskPrice } from '../../nodes/shared/gateway/price';
import type { JsonObject } from '../../nodes/shared/gateway/json';
import { runNode, type RunOptions, type RunResult } from '../helpers/engine';
import { carryOn, form } from '../helpers/media';

// The media node on n8n's engine against the sandbox gateway, over real sockets.

let gateway: Gateway;

beforeAll(async () => {
	gateway = await startGateway();
});
beforeEach(async () => {
	await gateway.control.reset();
	gateway.control.configure({
		taskDuration: { image: 0, video: 0, music: 0, audio: 0 },
		render: 'placeholder',
	});
});
afterAll(async () => await gateway.close());

const run = async (
	operation: string,
	parameters: object,
	extra: Partial<RunOptions> = {},
	resource = 'task',
): Promise<RunResult> =>
	await runNode({
		node: 'mediaTask',
		...extra,
		parameters: { resource, operation, ...parameters },
		credential: { baseUrl: gateway.baseUrl, apiKey: gateway.apiKey },
	});

const byId = (value: string) => ({ __rl: true, mode: 'id', value });
const filled = (model: string, value: object) => ({
	model: byId(model),
	inputMode: 'form',
	input: form(value),
});
const inputs = () => gateway.control.tasks().map(({ input }) => input);

/** A task of this model that has ended. */
async function made(model: string, value: object): Promise<string> {
	const { items, error } = await run('create', filled(model, value));
	expect(error).toBeUndefined();
	while (gateway.control.tasks().some(({ state }) => state !== 'success')) await sleep(10);
	return items[0]?.json.taskId as string;
}

/** An item with a picture that the gateway has made. */
const picture = async () =>
	(await run('download', { taskId: await made('aurora/canvas-1', { prompt: 'a' }) })).items;

describe('the form against the gateway’s own check of the schema', () => {
	test.each<[string, object, object]>([
		[
			'aurora/canvas-1',
			{
				prompt: '2024',
				num_images: '2',
				guidance: '7.5',
				transparent: 'true',
				tags: '["a"]',
				watermark: '{"text":"x"}',
				seed: '7',
			},
			{ prompt: '2024', num_images: 2, guidance: 7.5, transparent: true, tags: ['a'], seed: 7 },
		],
		[
			'aurora/retouch-1',
			{ prompt: 'a', image_urls: 'https://x.test/a.png' },
			{ image_urls: ['https://x.test/a.png'] },
		],
		[
			'lumen/motion-2',
			{ prompt: 'a', duration: '10', camera: '{"speed": 2}', loop: false },
			{ duration: 10, loop: false },
		],
		['harmonia/song-3', { prompt: 'a', tempo: '120' }, { tempo: 120 }],
		['voxa/speech-1', { text: 5, speed: '1.5' }, { text: '5', speed: 1.5 }],
	])('%s', async (model, value, expected) => {
		const { error } = await run('create', filled(model, value));
		expect(error).toBeUndefined();
		expect(inputs()[0]).toMatchObject(expected);
	});

	it('what it lets pass is what the gateway takes: nothing comes back as 422', async () => {
		const { items } = await run('create', filled('aurora/canvas-1', { prompt: '' }), carryOn);
		expect(items[0]?.json.error).toMatchObject({ message: "'Prompt' is missing" });
		expect(gateway.control.requests({ method: 'POST' })).toHaveLength(0);
	});
});

describe('prices against what the gateway charges', () => {
	const qualities = ['draft', 'standard', 'high', undefined];
	const sizes = ['512x512', '1024x1024', '1536x1024', undefined];
	const inputsOf = qualities.flatMap((quality) => sizes.map((size) => ({ quality, size })));

	test.each(inputsOf)('quality $quality, size $size', (input) => {
		const model = mediaModels.find(({ id }) => id === 'aurora/canvas-1');
		if (!model) throw new Error('the sandbox has no such model');
		const complete = { quality: input.quality ?? 'standard', size: input.size ?? '1024x1024' };
		const charged = sandboxPrice(model, complete);
		const found = taskPrice(
			{
				id: model.id,
				currency: 'RUB',
				tiers: model.tiers.map(({ params, price }) => ({ params, price: formatRubles(accountPrice(price)) })),
				inputSchema: model.inputSchema as JsonObject,
				record: {},
			},
			input,
		);
		expect(found.price === null ? null : parseRubles(found.price)).toBe(charged);
	});

	it('stands in the output as it is charged', async () => {
		const { items } = await run('create', filled('aurora/canvas-1', { prompt: 'a', quality: 'high' }));
		expect(items[0]?.json.priceRub).toBe(Number(gateway.control.ledger()[0]?.amount));
	});
});

describe('input files', () => {
	const inputFiles = { files: [{ binaryPropertyName: 'data', inputField: 'image_urls' }] };

	it('reach the gateway, which takes their URLs', async () => {
		const items = await picture();
		const { error } = await run(
			'create',
			{ ...filled('aurora/retouch-1', { prompt: 'b' }), inputFiles },
			{ items },
		);
		expect(error).toBeUndefined();
		const { image_urls: urls } = inputs()[1] as { image_urls: string[] };
		expect((await fetch(String(urls[0]))).status).toBe(200);
	});

	it('are charged once with Retry On Fail when the answer to the creation is lost', async () => {
		const items = await picture();
		gateway.control.addFault({
			match: { method: 'POST', path: '/async/media/tasks' },
			action: { kind: 'loseAnswer' },
		});
		const before = gateway.control.ledger().length;
		const { error } = await run(
			'create',
			{ ...filled('aurora/retouch-1', { prompt: 'b' }), inputFiles, options: { maxRetries: 0 } },
			{ items, settings: { retryOnFail: true, waitBetweenTries: 1 } },
		);
		expect(error).toBeUndefined();
		expect(gateway.control.ledger().length - before).toBe(1);
		expect(gateway.control.requests({ path: '/storage/upload' })).toHaveLength(2);
	});
});

describe('a task’s life', () => {
	it('is archived once, deleted, restored', async () => {
		const taskId = await made('voxa/speech-1', { text: 'a' });
		const act = async (operation: string) => await run(operation, { taskId });
		expect((await act('archive')).items[0]?.json).toStrictEqual({ archived: true, taskId });
		expect((await act('archive')).error?.message).toContain('archived already');
		expect((await act('unarchive')).items[0]?.json).toStrictEqual({ archived: false, taskId });
		expect((await act('delete')).items[0]?.json).toStrictEqual({ deleted: true, taskId });
		expect((await act('delete')).items[0]?.json).toStrictEqual({ deleted: true, taskId });
		expect((await act('get')).error?.message).toBe('The gateway has no such media task');
		expect((await act('restore')).items[0]?.json).toStrictEqual({ restored: true, taskId });
		expect((await act('wait')).items[0]?.json.state).toBe('success');
	});

	it('is archived although the answer is lost, and the second time is refused', async () => {
		const taskId = await made('voxa/speech-1', { text: 'a' });
		gateway.control.addFault({ match: { method: 'PATCH' }, action: { kind: 'loseAnswer' } });
		const { items } = await run('archive', { taskId });
		expect(items[0]?.json).toStrictEqual({ archived: true, taskId });
		expect(gateway.control.requests({ method: 'PATCH' })).toHaveLength(2);
		expect(gateway.control.tasks().find((task) => task.taskId === taskId)).toMatchObject({ archived: true });
	});

	it('an id that is none is explained', async () => {
		expect((await run('get', { taskId: 'none' })).error?.message).toBe(
			'The gateway does not take this for a task ID',
		);
	});

	it('a song has lyrics, a picture has none', async () => {
		const taskId = await made('harmonia/song-3', { prompt: 'a sea shanty' });
		const song = await run('get', { taskId });
		const [track] = song.items[0]?.json.tracks as Array<{ id: string }>;
		const { items } = await run('getLyrics', { taskId, audioId: track?.id });
		expect(items[0]?.json.alignedWords).toHaveLength(3);
		const drawn = await made('aurora/canvas-1', { prompt: 'a' });
		const { error } = await run('getLyrics', { taskId: drawn, audioId: 'a' });
		expect(error?.message).toBe('The gateway has no lyrics for this');
	});

	it('several results come each in its own field', async () => {
		const taskId = await made('harmonia/song-3', { prompt: 'a' });
		const { items } = await run('download', { taskId, options: { separateFiles: true } });
		expect(Object.keys(items[0]?.binary ?? {})).toStrictEqual(['data', 'data_1']);
	});

	it('belongs to a session', async () => {
		const session = await run('create', { sessionJson: '{"name":"x"}' }, {}, 'session');
		const sessionId = session.items[0]?.json.sessionId as string;
		expect(session.items[0]?.json.name).toBe('x');
		const { error } = await run('create', {
			...filled('voxa/speech-1', { text: 'a' }),
			options: { sessionId },
		});
		expect(error).toBeUndefined();
	});
});

describe('the catalogue', () => {
	it('is listed by media type', async () => {
		const { items } = await run('getMany', { mediaType: 'video' }, {}, 'model');
		expect(items.map(({ json }) => json.id)).toStrictEqual(['lumen/motion-2']);
	});

	it('gives prices', async () => {
		const { items } = await run(
			'getPrice',
			filled('lumen/motion-2', { duration: '10', resolution: '720p' }),
			{},
			'model',
		);
		expect(items[0]?.json).toMatchObject({ priceRub: 103.5, matched: { duration: 10, resolution: '720p' } });
	});
});

it('a poll that goes wrong in every way fails no task', async () => {
	gateway.control.configure({ taskDuration: { image: 1_000 } });
	const faults = [
		{ kind: 'error', code: 'rate_limit_exceeded', retryAfter: 0 },
		{ kind: 'loseAnswer' },
	] as const;
	for (const action of faults) {
		gateway.control.addFault({ match: { method: 'GET', path: '/async/media/tasks/*' }, action });
	}
	const { items, error } = await run('createAndWait', {
		...filled('aurora/canvas-1', { prompt: 'a' }),
		downloadResults: false,
	});
	expect(error).toBeUndefined();
	expect(items[0]?.json.state).toBe('success');
});
