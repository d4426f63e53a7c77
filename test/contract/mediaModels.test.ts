import { mediaModels } from '../../sandbox/gateway/catalogue/mediaModels';
import { taskPrice as sandboxPrice } from '../../sandbox/gateway/media/pricing';
import { accountPrice, formatRubles, parseRubles } from '../../sandbox/gateway/money';
import type { JsonObject } from '../../nodes/shared/gateway/util/json';
import { taskPrice } from '../../nodes/shared/gateway/media/price';
import { continueOnFail } from '../helpers/media';
import { filled, useGateway } from './support';

// The forms and prices of the media models, compared with the gateway's.

const gateway = useGateway();

const inputs = () => gateway.control.tasks().map(({ input }) => input);

describe('values of the form fit the gateway’s schema', () => {
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
		const { error } = await gateway.media('create', filled(model, value));
		expect(error).toBeUndefined();
		expect(inputs()[0]).toMatchObject(expected);
	});
});

describe('the gateway’s words are the error of an input that it does not accept, and nothing is charged', () => {
	test.each<[string, string, object, string]>([
		['a number out of range', 'aurora/canvas-1', { num_images: '9' }, 'input.num_images: must be <= 4'],
		['another choice', 'aurora/canvas-1', { quality: 'divine' }, 'input.quality: must be equal to one of'],
		[
			'text that is too long',
			'harmonia/song-3',
			{ title: 'a'.repeat(81) },
			'input.title: must NOT have more',
		],
		['a list that is too long', 'aurora/canvas-1', { tags: Array(9).fill('a') }, 'input.tags: must NOT have'],
		['an element', 'aurora/canvas-1', { tags: [{ a: 1 }] }, 'input.tags.0: must be string'],
		['a fraction', 'harmonia/song-3', { tempo: '90.5' }, 'input.tempo: must be integer'],
		[
			'a nested value',
			'aurora/canvas-1',
			{ watermark: '{"text": 5}' },
			'input.watermark.text: must be string',
		],
		[
			'a nested field',
			'aurora/canvas-1',
			{ watermark: '{"opacity": 1}' },
			'input.watermark.text: is required',
		],
		['a field of another model', 'aurora/canvas-1', { voice: 'anna' }, 'input.voice: is not known'],
	])('%s', async (_, model, value, words) => {
		const { items } = await gateway.media('create', filled(model, { prompt: 'a', ...value }), continueOnFail);
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
		expect(error?.message).toContain('input.num_images: must be integer');
		expect(gateway.charges()).toBe(0);
	});
});

describe('the price is what the gateway charges', () => {
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
				tiers: model.tiers.map(({ params, price }) => ({ params, price: formatRubles(accountPrice(price)) })),
				inputSchema: model.inputSchema as JsonObject,
				record: {},
			},
			input,
		);
		expect(found.rub === undefined ? null : parseRubles(found.rub)).toBe(charged);
	});

	it('is in the output', async () => {
		const { items } = await gateway.media(
			'create',
			filled('aurora/canvas-1', { prompt: 'a', quality: 'high' }),
		);
		expect(items[0]?.json.priceRub).toBe(Number(gateway.control.ledger()[0]?.amount));
	});
});

describe('the catalogue', () => {
	it('is listed by media type', async () => {
		const { items } = await gateway.media('getMany', { search: 'video' }, {}, 'model');
		expect(items.map(({ json }) => json.id)).toStrictEqual(['lumen/motion-2']);
	});

	it('has prices', async () => {
		const { items } = await gateway.media('create', {
			...filled('lumen/motion-2', { prompt: 'A cat', duration: '10', resolution: '720p' }),
			options: { dryRun: true },
		});
		expect(items[0]?.json).toMatchObject({ dryRun: true, priceRub: 103.5 });
	});
});
