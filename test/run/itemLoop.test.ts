import nock from 'nock';

import { echoGateway, generate, items, errorResponse } from '../helpers/echoGateway';
import { useNock } from '../helpers/nock';

const GATEWAY = 'https://gateway.test';
const PATH = '/api/v1/chat/completions';

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

describe('retries', () => {
	it('repeats a request after 503 and 429, as often as allowed', async () => {
		const { prompts } = echoGateway((_, call) =>
			call < 3 ? errorResponse(call === 1 ? 503 : 429, 'busy') : {},
		);
		const result = await generate({ items: items(1) });
		expect(result.items[0]?.json.text).toBe('echo p0');
		expect(prompts()).toHaveLength(3);
	});

	it('does not repeat a text request whose response was lost: it may have been charged', async () => {
		let calls = 0;
		nock(GATEWAY)
			.persist()
			.post(PATH)
			.reply(() => {
				calls += 1;
				return [200, ''];
			});
		const { error } = await generate({ items: items(1) });
		expect(calls).toBe(1);
		expect(error?.description).toContain('may have been charged');
	});
});

describe('Retry On Fail, which runs the whole node again', () => {
	const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

	it('sends only the items that failed', async () => {
		const { prompts } = echoGateway((prompt, call) =>
			prompt === 'p1' && call === 1 ? errorResponse(400, 'provider_bad_request') : {},
		);
		const result = await generate({ items: items(4), settings: retrying, options: { concurrency: 4 } });
		expect(result.items.map(({ json }) => json.text)).toStrictEqual([
			'echo p0',
			'echo p1',
			'echo p2',
			'echo p3',
		]);
		expect(result.items.map(({ pairedItem }) => pairedItem)).toStrictEqual(
			[0, 1, 2, 3].map((item) => ({ item })),
		);
		expect(prompts().sort()).toStrictEqual(['p0', 'p1', 'p1', 'p2', 'p3']);
	});

	it('sends only the items that failed, also with On Error: Continue', async () => {
		const { prompts } = echoGateway((prompt, call) =>
			prompt === 'p0' && call === 1 ? errorResponse(400, 'provider_bad_request') : {},
		);
		const result = await generate({
			items: items(3),
			settings: { ...retrying, onError: 'continueRegularOutput' },
		});
		expect(result.items.map(({ json }) => json.text)).toStrictEqual(['echo p0', 'echo p1', 'echo p2']);
		expect(prompts().sort()).toStrictEqual(['p0', 'p0', 'p1', 'p2']);
	});

	it('leaves nothing in the execution when the node has ended well', async () => {
		echoGateway((prompt, call) =>
			prompt === 'p0' && call === 1 ? errorResponse(400, 'provider_bad_request') : {},
		);
		const { run } = await generate({ items: items(2), settings: retrying });
		expect(JSON.stringify(run.data.executionData?.contextData)).not.toContain('echo');
	});

	it('does not repeat a request that may have been charged', async () => {
		const { prompts } = echoGateway((prompt) => (prompt === 'p1' ? { body: '{"id": "x", "choi' } : {}));
		const { error } = await generate({ items: items(2), settings: retrying });
		expect(prompts()).toStrictEqual(['p0', 'p1']);
		expect(error?.message).toBe('The gateway’s response could not be read');
	});

	it('reports a request that may have been charged in the same way in each try', async () => {
		echoGateway((prompt) => (prompt === 'p0' ? { body: '{"id": "x", "choi' } : {}));
		const result = await generate({
			items: items(1),
			settings: { ...retrying, onError: 'continueRegularOutput' },
		});
		expect(result.items[0]?.json.error).toMatchObject({
			httpCode: '200',
			code: 'unreadable_answer',
			retryable: false,
			mayBeCharged: true,
		});
	});

	it('does not use what another execution saved', async () => {
		const { prompts } = echoGateway();
		await generate({ items: items(2), settings: retrying, executionId: 'a' });
		await generate({ items: items(2), settings: retrying, executionId: 'b' });
		expect(prompts()).toHaveLength(4);
	});
});

describe('cancelling the execution', () => {
	it('stops requests in flight and sends no more', async () => {
		let cancel: () => void = () => undefined;
		const { prompts } = echoGateway((prompt) => {
			if (prompt === 'p3') setTimeout(() => cancel(), 20);
			return { delayMs: 5_000 };
		});
		const start = Date.now();
		await generate({
			items: items(50),
			options: { concurrency: 4 },
			onStart: (stop) => (cancel = stop),
		}).catch(() => undefined);
		expect(Date.now() - start).toBeLessThan(4_000);
		expect(prompts()).toHaveLength(4);
	});
});

describe('the key', () => {
	it('is not in the data of the execution', async () => {
		echoGateway(() => ({
			status: 401,
			body: { error: { message: 'Incorrect API key provided: sk-test', code: 'invalid_api_key' } },
		}));
		const { run } = await generate({
			items: items(1),
			credential: { baseUrl: `${GATEWAY}/api/v1`, apiKey: 'sk-test' },
		});
		const kept = JSON.stringify(run.data);
		expect(kept).toContain('refused the API key');
		expect(kept).not.toContain('sk-test');
	});
});

it('a key that the gateway repeats is in no error', async () => {
	const key = 'odd-key-of-an-old-account';
	const credential = { baseUrl: `${GATEWAY}/api/v1`, apiKey: key };
	echoGateway(() => ({ body: { error: { message: `no luck for ${key}`, code: key, type: key } } }));
	const stopped = await generate({ items: items(1), credential });
	expect(stopped.error?.description).toContain('no luck for [key]');
	expect(JSON.stringify(stopped.error)).not.toContain(key);
	const passedOn = await generate({
		items: items(1),
		credential,
		settings: { onError: 'continueRegularOutput' },
	});
	expect(passedOn.items[0]?.json.error).toMatchObject({ code: '[key]', type: '[key]' });
	expect(JSON.stringify(passedOn.items)).not.toContain(key);
});
