import nock from 'nock';

import { attempt, attemptContext, executeOn } from '../helpers/attempt';
import { rejection } from '../helpers/client';
import { echoGateway, generate, generating, items, errorResponse } from '../helpers/echoGateway';
import { packageNodes } from '../helpers/engine';
import { catalogue, creations, envelope, model, run } from '../helpers/media';
import { useNock } from '../helpers/nock';

// What happens to a run when an item, or the node itself, fails.

useNock();

/** A promise with its resolve function. */
function deferred() {
	let resolve: () => void = () => undefined;
	const promise = new Promise<void>((resolvePromise) => (resolve = resolvePromise));
	return { promise, resolve };
}

/** Waits so many event loop ticks that a response has been read. */
async function ticks(count = 100): Promise<void> {
	for (let left = count; left > 0; left -= 1) await new Promise((resolve) => setImmediate(resolve));
}

const createParameters = { model, inputMode: 'json', inputJson: '={{ { prompt: $json.text } }}' };
/** The first poll is sent at once. */
const atOnce = { idempotencyKey: '=k{{ $itemIndex }}' };

describe('the node itself', () => {
	it('returns nothing and sends nothing for no items', async () => {
		const { prompts } = echoGateway();
		expect(await attempt(generating({ items: [] }))).toStrictEqual([]);
		const context = { getInputData: () => [] };
		expect(await packageNodes.textGeneration.execute.call(context as never)).toStrictEqual([[]]);
		expect(prompts()).toStrictEqual([]);
	});

	it('rejects an unknown operation', async () => {
		const context = await attemptContext(generating());
		const values: Record<string, string> = { resource: 'text', operation: 'invent' };
		jest.spyOn(context, 'getNodeParameter').mockImplementation((name: string) => values[name]);
		const error = await rejection(executeOn({ node: 'textGeneration' }, context));
		expect(error).toHaveProperty('message', 'Unknown operation: text invent');
	});

	it('fails for each item with a concurrency out of range', async () => {
		const { prompts } = echoGateway();
		const settings = { onError: 'continueRegularOutput' } as const;
		const outputs = await attempt(generating({ items: items(2), settings, options: { concurrency: 0 } }));
		const message = expect.stringContaining('Concurrency') as string;
		expect(outputs.map(({ json }) => json.error)).toMatchObject([{ message }, { message }]);
		expect(prompts()).toStrictEqual([]);
	});

	it('fails for each item with an invalid address: it may be an expression', async () => {
		const { prompts } = echoGateway();
		const settings = { onError: 'continueRegularOutput' } as const;
		const credential = { baseUrl: 'gateway', apiKey: 'sk-test' };
		const outputs = await attempt(generating({ items: items(2), settings, credential }));
		const message = expect.stringContaining('base URL') as string;
		expect(outputs.map(({ json }) => json.error)).toMatchObject([{ message }, { message }]);
		expect(prompts()).toStrictEqual([]);
	});

	it.each([undefined, 'continueRegularOutput'] as const)(
		'is cancelled when n8n’s HTTP client has cancelled a request, with On Error %j',
		async (onError) => {
			nock('https://gateway.test')
				.post('/api/v1/chat/completions')
				.replyWithError(Object.assign(new Error('canceled'), { code: 'ERR_CANCELED' }));
			const options = { items: items(2), settings: onError ? { onError } : {}, options: { concurrency: 1 } };
			expect(await rejection(attempt(generating(options)))).toMatchObject({
				message: 'The execution was cancelled',
				description: 'The outcome of item 0 is unknown: it may have been charged.',
			});
		},
	);
});

describe('the first error', () => {
	it('is the error of the node', async () => {
		const { promise: responded, resolve } = deferred();
		echoGateway((prompt) => {
			if (prompt === 'p0') return { ...errorResponse(400, 'late'), after: responded };
			void ticks().then(resolve);
			return errorResponse(402, 'insufficient_quota');
		});
		const { error } = await generate({ items: items(2) });
		expect([error?.httpCode, error?.context?.itemIndex]).toStrictEqual(['402', 1]);
	});

	it('keeps other items from beginning', async () => {
		const { prompts } = echoGateway(() => errorResponse(402, 'insufficient_quota'));
		const { error } = await generate({ items: items(9), options: { concurrency: 2 } });
		expect([error?.httpCode, prompts()]).toStrictEqual(['402', ['p0', 'p1']]);
	});
});

it('polls do not take the slots of other requests', async () => {
	creations();
	catalogue();
	const load = { now: 0, most: 0 };
	nock('https://gateway.test')
		.persist()
		.get(/\/tasks\/t\d$/)
		.reply((_path, _body, callback) => {
			load.now += 1;
			load.most = Math.max(load.most, load.now);
			setTimeout(() => {
				load.now -= 1;
				callback(null, [200, envelope({ state: 'success' })]);
			}, 15);
		});
	const parameters = { ...createParameters, downloadResults: false, options: { ...atOnce, concurrency: 2 } };
	const { items: outputs } = await run('createAndWait', parameters, { items: items(6) });
	expect(outputs).toHaveLength(6);
	expect(load.most).toBe(6);
});
