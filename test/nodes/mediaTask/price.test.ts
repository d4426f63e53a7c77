import nock from 'nock';

import { continueOnFail, catalogue, creations, gateway, model, painter, run } from '../../helpers/media';
import { useNock } from '../../helpers/nock';

useNock();

const SCHEMA = {
	properties: {
		prompt: { type: 'string' },
		quality: { enum: ['draft', 'high'], default: 'draft' },
		n: { type: 'integer' },
	},
	required: ['prompt'],
};
const priced = painter(SCHEMA, {
	pricing: {
		currency: 'RUB',
		type: 'tiered',
		tiers: [
			{ params: { quality: 'draft' }, price: '2.10' },
			{ params: { quality: 'high' }, price: '12.00' },
		],
	},
});
const json = (input: object) => ({ model, inputMode: 'json', inputJson: JSON.stringify(input) });
/** A dry run. Nothing but the catalogue is there to be requested. */
const price = async (parameters: object, operation = 'create') =>
	await run(operation, { ...parameters, options: { dryRun: true } });

describe('a dry run', () => {
	it.each(['create', 'createAndWait'])(
		'of %s has the price and the request, and sends nothing',
		async (name) => {
			catalogue([priced]);
			const { items } = await price(json({ prompt: 'a', quality: 'high' }), name);
			expect(items[0]?.json).toStrictEqual({
				dryRun: true,
				model: 'acme/painter',
				priceRub: 12,
				request: { model: 'acme/painter', input: { prompt: 'a', quality: 'high' } },
			});
		},
	);

	it('uploads no file', async () => {
		catalogue([priced]);
		const items = [{ json: {}, binary: { data: { data: 'aGk=', mimeType: 'image/png' } } }];
		const inputFiles = { files: [{ binaryPropertyName: 'data', inputField: 'image' }] };
		const options = { dryRun: true };
		const dry = await run('create', { ...json({}), inputFiles, options }, { items });
		expect(dry.items[0]?.json.request).toMatchObject({
			input: { image: expect.stringMatching(/^image\/png;sha256=[0-9a-f]{64}$/) as string },
		});
	});

	it('rejects an unknown model and an unreadable catalogue', async () => {
		catalogue([]);
		expect((await price(json({}))).error?.message).toBe('The gateway has no media model "acme/painter"');
		nock.cleanAll();
		gateway().get('/api/v1/media/models').reply(403, '');
		expect((await price(json({}))).error?.httpCode).toBe('403');
	});
});

describe('the highest price', () => {
	test.each([
		[
			'above the limit',
			{ quality: 'high' },
			11.99,
			'The task would cost ₽12, more than the highest price of ₽11.99',
		],
		[
			'not known',
			{ quality: 'divine' },
			100,
			"The price of the task is unknown, so 'Max Price (₽)' cannot be kept",
		],
	])('creates nothing when the price is %s', async (_, input, maxPriceRub, message) => {
		catalogue([priced]);
		const sent = creations();
		const { items } = await run('create', { ...json(input), options: { maxPriceRub } }, continueOnFail);
		expect(items[0]?.json.error).toMatchObject({ message, param: 'maxPriceRub', code: 'invalid_input' });
		expect(sent).toStrictEqual([]);
	});

	it('prevents uploads, too', async () => {
		catalogue([priced]);
		const sent = creations();
		const uploads = nock('https://gateway.test').post('/api/v1/storage/upload').reply(200, {});
		const items = [{ json: {}, binary: { data: { data: 'aGk=', mimeType: 'image/png' } } }];
		const inputFiles = { files: [{ binaryPropertyName: 'data', inputField: 'image' }] };
		const parameters = { ...json({ quality: 'high' }), inputFiles, options: { maxPriceRub: 5 } };
		const { error } = await run('create', parameters, { items });
		expect(error?.message).toContain('more than the highest price');
		expect(sent).toStrictEqual([]);
		expect(uploads.isDone()).toBe(false);
	});

	it('creates nothing when the catalogue cannot be read', async () => {
		gateway().get('/api/v1/media/models').reply(403, '');
		const sent = creations();
		const { error } = await run('create', { ...json({}), options: { maxPriceRub: 100 } });
		expect(error?.httpCode).toBe('403');
		expect(sent).toStrictEqual([]);
	});

	it('allows a price at the limit, compared as decimals', async () => {
		catalogue([priced]);
		const sent = creations();
		const { items } = await run('create', { ...json({}), options: { maxPriceRub: '={{ "2.1" }}' } });
		expect(sent).toHaveLength(1);
		expect(items[0]?.json).toStrictEqual({ taskId: 't1', model: 'acme/painter', priceRub: 2.1 });
	});
});

describe('a price of another type than tiers (§2.2)', () => {
	const tiers = [{ params: {}, price: '0.50' }];
	const perSecond = painter(SCHEMA, { pricing: { currency: 'RUB', type: 'per_second', tiers } });

	test.each(['maxPriceRub', 'maxCostRub'])('is no price of the task: %s creates nothing', async (param) => {
		catalogue([perSecond]);
		const sent = creations();
		const { items } = await run('create', { ...json({}), options: { [param]: 100 } }, continueOnFail);
		expect(items[0]?.json.error).toMatchObject({
			message: expect.stringContaining('The price of the task is unknown') as string,
			description: expect.stringContaining('no price per task') as string,
			param,
		});
		expect(sent).toStrictEqual([]);
	});
});

describe('a highest price of 0', () => {
	const free = { pricing: { currency: 'RUB', type: 'tiered', tiers: [{ params: {}, price: '0.00' }] } };

	test.each([
		['a free task', painter(SCHEMA, free), 1],
		['no paid task', priced, 0],
	])('allows %s', async (_, offered, created) => {
		catalogue([offered]);
		const sent = creations();
		await run('create', { ...json({}), options: { maxPriceRub: 0 } }, continueOnFail);
		expect(sent).toHaveLength(created);
	});
});

describe('the price in the output', () => {
	it('is in a hint, for all tasks of the node', async () => {
		catalogue([priced]);
		creations();
		const items = [{ json: {} }, { json: {} }];
		const { run: execution } = await run('create', json({ quality: 'high' }), { items });
		const hints = execution.data.resultData.runData.Gateway?.[0]?.hints;
		expect(hints).toMatchObject([{ message: 'Cost: ₽24 (execution so far: ₽24)' }]);
	});

	it('is missing when the catalogue cannot be read, and the task is created', async () => {
		gateway().get('/api/v1/media/models').reply(403, '');
		creations();
		const { items } = await run('create', json({}));
		expect(items[0]?.json).toStrictEqual({ taskId: 't1', model: 'acme/painter' });
	});

	it('is requested once for all items: a failing catalogue does not fail paid tasks', async () => {
		let requests = 0;
		gateway()
			.persist()
			.get('/api/v1/media/models')
			.reply(() => [(requests += 1) > 0 ? 503 : 200, '']);
		creations();
		const parameters = { ...json({}), options: { maxRetries: 1 } };
		const { items } = await run('create', parameters, { items: [{ json: {} }, { json: {} }] });
		expect(items).toHaveLength(2);
		expect(requests).toBe(2);
	});

	it('is requested again when a limit depends on it', async () => {
		let requests = 0;
		gateway()
			.persist()
			.get('/api/v1/media/models')
			.reply(() => ((requests += 1) < 3 ? [503, ''] : [200, { data: [priced] }]));
		creations();
		const { items } = await run('create', { ...json({}), options: { maxPriceRub: 50 } });
		expect(items[0]?.json).toMatchObject({ taskId: 't1' });
		expect(requests).toBe(3);
	});
});
