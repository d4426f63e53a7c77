import nock from 'nock';

import { echoGateway, generate, items, errorResponse } from '../helpers/echoGateway';
import { catalogue, creations, envelope, files, gateway, model, run, TASKS } from '../helpers/media';
import { useNock } from '../helpers/nock';

const GATEWAY = 'https://gateway.test';

useNock();

describe('many items', () => {
	it('keeps order and pairing although responses arrive out of order, and never exceeds the concurrency', async () => {
		const { load, prompts } = echoGateway((prompt) => ({ delayMs: 60 - 2 * Number(prompt.slice(1)) }));
		const result = await generate({ items: items(25), options: { concurrency: 5 } });
		expect(result.items.map(({ json }) => json.text)).toStrictEqual(
			items(25).map(({ json }) => `echo ${json.text}`),
		);
		expect(result.items.map(({ pairedItem }) => pairedItem)).toStrictEqual(
			items(25).map(({ json }) => ({ item: json.n })),
		);
		expect(result.run.status).toBe('success');
		expect(load.most).toBe(5);
		expect(prompts()).toHaveLength(25);
	});

	it('runs 8 at once by default', async () => {
		const { load } = echoGateway(() => ({ delayMs: 30 }));
		await generate({ items: items(20) });
		expect(load.most).toBe(8);
	});
});

describe('a failing item', () => {
	const third = (prompt: string) =>
		prompt === 'p2' ? errorResponse(402, 'insufficient_quota') : { delayMs: 40 };

	it('stops new requests, lets requests in flight end, and is named in the error', async () => {
		const { prompts } = echoGateway(third);
		const { error } = await generate({ items: items(20), options: { concurrency: 4 } });
		expect(error?.message).toBe('There is not enough money in the gateway wallet');
		expect(error?.context?.itemIndex).toBe(2);
		expect(error?.httpCode).toBe('402');
		expect(prompts()).toStrictEqual(['p0', 'p1', 'p2', 'p3']);
	});

	it('becomes an error item with all details, with On Error: Continue', async () => {
		echoGateway(third);
		const result = await generate({ items: items(4), settings: { onError: 'continueRegularOutput' } });
		expect(result.items.map(({ json }) => json.text ?? 'failed')).toStrictEqual([
			'echo p0',
			'echo p1',
			'failed',
			'echo p3',
		]);
		expect(result.items[2]).toStrictEqual({
			json: {
				error: {
					message: 'There is not enough money in the gateway wallet',
					description: expect.stringContaining('Top up the wallet') as string,
					httpCode: '402',
					code: 'insufficient_quota',
					type: 'invalid_request_error',
					param: null,
					retryable: false,
				},
			},
			pairedItem: { item: 2 },
		});
	});

	it('goes to the error output with its input, details intact', async () => {
		echoGateway(third);
		const result = await generate({ items: items(4), settings: { onError: 'continueErrorOutput' } });
		expect(result.items.map(({ json }) => json.text)).toStrictEqual(['echo p0', 'echo p1', 'echo p3']);
		expect(result.errorItems).toHaveLength(1);
		expect(result.errorItems[0]?.json).toMatchObject({
			n: 2,
			text: 'p2',
			error: { code: 'insufficient_quota', httpCode: '402' },
		});
	});

	it('becomes an error item also where its input is invalid', async () => {
		const { prompts } = echoGateway();
		const result = await generate({
			items: [{ json: { text: 'p0' } }, { json: { text: '' } }],
			settings: { onError: 'continueRegularOutput' },
		});
		expect(result.items[1]?.json.error).toMatchObject({
			message: "'Prompt' is empty",
			param: 'prompt',
			code: 'invalid_input',
		});
		expect(prompts()).toStrictEqual(['p0']);
	});
});

it('a key that the gateway repeats is in no error', async () => {
	const key = 'odd-key-of-an-old-account';
	const credential = { baseUrl: `${GATEWAY}/api/v1`, apiKey: key };
	echoGateway(() => ({ body: { error: { message: `no luck for ${key}`, code: key, type: key } } }));
	const stopped = await generate({ items: items(1), credential });
	expect(stopped.error?.description).toContain('no luck for [key]');
	expect(JSON.stringify([stopped.error, stopped.run.data])).not.toContain(key);
	const passedOn = await generate({
		items: items(1),
		credential,
		settings: { onError: 'continueRegularOutput' },
	});
	expect(passedOn.items[0]?.json.error).toMatchObject({ code: '[key]', type: '[key]' });
	expect(JSON.stringify(passedOn.items)).not.toContain(key);
});

it('the key, and the address that resumes an execution, are in no error of a task', async () => {
	let secret = '';
	nock('https://gateway.test')
		.post(TASKS)
		.reply((_, body) => {
			const { callBackUrl } = body as { callBackUrl: string };
			secret = [...new URL(callBackUrl).searchParams.values()].find((value) => value.length > 8) ?? '';
			return [400, envelope(null, 400, `no luck at ${callBackUrl} with odd-secret-key`)];
		});
	const { error, run: execution } = await run(
		'createAndWait',
		{ model, inputMode: 'json', inputJson: '={{ { prompt: $json.text } }}', waitStrategy: 'suspend' },
		{ items: items(1), credential: { baseUrl: 'https://gateway.test/api/v1', apiKey: 'odd-secret-key' } },
	);
	expect(secret).not.toBe('');
	expect(error?.description).toContain('no luck');
	for (const hidden of [secret, 'odd-secret-key']) {
		expect(JSON.stringify([error, execution.data.resultData])).not.toContain(hidden);
	}
});

describe('the tool of an AI Agent', () => {
	it('returns an error as text that a model reads', async () => {
		echoGateway(() => errorResponse(402, 'insufficient_quota'));
		const { error, items: outputs } = await generate({ items: items(1), asTool: true });
		expect(error).toBeUndefined();
		expect(outputs.map(({ json }) => json)).toStrictEqual([
			{ error: expect.stringMatching(/wallet\. .*Top up.*Nothing was charged\.$/) as string },
		]);
	});

	it.each(['download', 'createAndWait'])('returns small JSON and no files: %s', async (operation) => {
		creations();
		catalogue();
		const resultJson = JSON.stringify({ resultUrls: ['https://files.test/a.png'] });
		gateway()
			.persist()
			.get(`${TASKS}/t1`)
			.reply(200, envelope({ state: 'success', resultJson }));
		const file = files().get('/a.png').reply(200, 'bytes');
		const parameters = {
			model,
			inputMode: 'json',
			inputJson: '={{ { prompt: $json.text } }}',
			taskId: 't1',
			downloadResults: true,
			// The first poll is sent at once.
			options: { idempotencyKey: 'order-7' },
		};
		const { items: outputs, error } = await run(operation, parameters, { asTool: true });
		expect(error).toBeUndefined();
		expect(outputs[0]?.binary).toBeUndefined();
		expect(outputs[0]?.json).toMatchObject({ taskId: 't1', resultUrls: ['https://files.test/a.png'] });
		expect(file.isDone()).toBe(false);
	});
});
