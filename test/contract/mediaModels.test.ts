import { continueOnFail } from '../helpers/media';
import { filled, useGateway } from './support';

// The forms and prices of the media models.

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

describe('the gateway’s words, with the name in the panel, are the error of an input that it does not accept, and nothing is charged', () => {
	test.each<[string, string, object, string]>([
		[
			'a number out of range',
			'aurora/canvas-1',
			{ num_images: '9' },
			"'Number of Images': must be at most 4",
		],
		[
			'a nested field',
			'aurora/canvas-1',
			{ watermark: '{"opacity": 1}' },
			"'Watermark' (watermark.text): is required",
		],
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
		expect(error?.message).toContain("'Number of Images': must be integer");
		expect(gateway.charges()).toBe(0);
	});
});

describe('the price', () => {
	it('in the output is what the gateway charges', async () => {
		const { items } = await gateway.media(
			'create',
			filled('aurora/canvas-1', { prompt: 'a', quality: 'high' }),
		);
		expect(items[0]?.json.priceRub).toBe(Number(gateway.control.ledger()[0]?.amount));
	});
});
