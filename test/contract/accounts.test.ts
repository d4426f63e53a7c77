import { createEmptyRunExecutionData, type INodeParameters } from 'n8n-workflow';

import { attempt } from '../helpers/attempt';
import { quickTime } from '../helpers/time';
import { filled, locator, TEXT_MODEL, useGateway } from './support';

// A credential whose fields are expressions: each item has its own account.

const gateway = useGateway();

describe('item credentials', () => {
	quickTime();

	const ACCOUNTS = ['alice', 'bob', 'alice', 'bob'];

	/** Items of two accounts, and the run options that send each with its key. */
	function twoAccounts() {
		const keys = new Map(
			[...new Set(ACCOUNTS)].map((account) => [account, gateway.control.createKey({ account }).key]),
		);
		for (const account of keys.keys()) gateway.control.setBalance('100.00', account);
		const items = ACCOUNTS.map((account) => ({ json: { account, key: keys.get(account) ?? '' } }));
		const keyOf = ({ json }: { json: object }) => String((json as { key?: string }).key);
		return { keys, items, options: { items, keyOf } };
	}

	const chargedAccounts = () =>
		gateway.control
			.ledger()
			.map(({ account }) => account)
			.sort();

	it('texts are charged to the account of their item', async () => {
		const { options } = twoAccounts();
		const { items, error } = await gateway.generate({}, options);
		expect([error, items.length]).toStrictEqual([undefined, 4]);
		expect(chargedAccounts()).toStrictEqual(['alice', 'alice', 'bob', 'bob']);
	});

	it('tasks are created, polled and downloaded by the account of their item', async () => {
		const { options } = twoAccounts();
		const parameters = filled('aurora/canvas-1', { prompt: 'a' });
		const { items, error } = await gateway.media('createAndWait', parameters, options);
		expect(error).toBeUndefined();
		expect(items.map(({ binary }) => Object.keys(binary ?? {}))).toStrictEqual(ACCOUNTS.map(() => ['data']));
		expect(chargedAccounts()).toStrictEqual(['alice', 'alice', 'bob', 'bob']);
	});

	it('two accounts may use the same key of their own for different inputs', async () => {
		const { options } = twoAccounts();
		const input = filled('aurora/canvas-1', { prompt: '={{ $json.account }}' });
		const { error } = await gateway.media(
			'create',
			{ ...input, options: { idempotencyKey: 'order-1' } },
			options,
		);
		expect(error).toBeUndefined();
		// The second item of each account is the same task.
		expect(chargedAccounts()).toStrictEqual(['alice', 'bob']);
	});

	it('prices are those of the account of the item, read once for each', async () => {
		const { options } = twoAccounts();
		const { error } = await gateway.generate({ options: { maxCostRub: 50, maxTokens: 20 } }, options);
		expect(error).toBeUndefined();
		expect(gateway.control.requests({ path: '/models' })).toHaveLength(2);
	});

	it('an item with a wrong key fails alone, and no key is shown', async () => {
		const { keys, items, options } = twoAccounts();
		const wrong = 'sk-00000000-0000-4000-8000-000000000000';
		const [first = { json: { account: '', key: '' } }, ...others] = items;
		const mixed = [{ json: { ...first.json, key: wrong } }, ...others];
		const { items: outputs } = await gateway.generate(
			{},
			{ ...options, items: mixed, settings: { onError: 'continueRegularOutput' } },
		);
		expect(
			outputs.map(({ json }) => (json.error as { httpCode?: string } | undefined)?.httpCode),
		).toStrictEqual(['401', undefined, undefined, undefined]);
		const shown = JSON.stringify(outputs);
		for (const key of [wrong, ...keys.values()]) expect(shown).not.toContain(key);
	});
});

describe('rate limit', () => {
	quickTime(20);

	const items = (count: number) => Array.from({ length: count }, (_, n) => ({ json: { n } }));

	it.each(['none', 'date'] as const)(
		'80 texts succeed in three executions that share a limit of 30 in 20 s, Retry-After: %s',
		async (retryAfter) => {
			gateway.control.configure({ rateLimit: { requestsPerMinute: 30, windowMs: 20_000, retryAfter } });
			const counts = [20, 25, 35];
			const results = await Promise.all(
				counts.map(async (count, index) =>
					gateway.generate(
						{ options: { maxRetries: 0 } },
						{ items: items(count), executionId: `execution-${index}` },
					),
				),
			);
			expect(results.map(({ items: outputs, error }) => [outputs.length, error])).toStrictEqual(
				counts.map((count) => [count, undefined]),
			);
			expect(gateway.charges()).toBe(80);
		},
	);

	it('30 tasks are created once each and awaited, creations and polls sharing the limit', async () => {
		gateway.control.configure({
			taskDuration: { image: 4_000 },
			rateLimit: { requestsPerMinute: 60, windowMs: 20_000, retryAfter: 'seconds' },
		});
		const parameters = { ...filled('aurora/canvas-1', { prompt: 'a' }), downloadResults: false };
		const { items: outputs, error } = await gateway.media('createAndWait', parameters, { items: items(30) });
		expect(error).toBeUndefined();
		expect(outputs.map(({ json }) => json.state)).toStrictEqual(Array(30).fill('success'));
		expect([gateway.charges(), gateway.control.tasks()].flat()).toHaveLength(31);
	});

	it('the hint of the node says how long requests, together, waited for the rate limit', async () => {
		const code = 'rate_limit_exceeded';
		const action = { kind: 'error', code, retryAfter: 9 } as const;
		gateway.control.addFault({ action, match: { method: 'POST' }, times: 3 });
		const { run } = await gateway.generate({}, { items: items(3) });
		const hints = run.data.resultData.runData.Gateway?.[0]?.hints?.map(({ message }) => message);
		expect(hints).toContainEqual(
			expect.stringMatching(/^Requests waited (9|1\d) s for the rate limit of the account\.$/),
		);
	});

	it('Rate Limit Wait of 0 fails at once, and nothing is charged', async () => {
		gateway.control.configure({ rateLimit: { requestsPerMinute: 5, retryAfter: 'none' } });
		const begin = Date.now();
		const { items: outputs } = await gateway.generate(
			{ options: { rateLimitWait: 0 } },
			{ items: items(12), settings: { onError: 'continueRegularOutput' } },
		);
		const failed = outputs.flatMap(({ json }) => (json.error === undefined ? [] : [json.error]));
		expect(failed).toHaveLength(7);
		expect(failed[0]).toMatchObject({ httpCode: '429', retryable: true });
		expect(gateway.charges()).toBe(5);
		expect((Date.now() - begin) / 1_000).toBeLessThan(30);
	});

	it('an execution that is cancelled while it waits ends at once', async () => {
		gateway.control.configure({ rateLimit: { requestsPerMinute: 5 } });
		const begin = Date.now();
		const { error } = await gateway.generate(
			{},
			{ items: items(20), onStart: (cancel) => setTimeout(cancel, 20_000) },
		);
		expect(error?.message).toMatch(/cancelled/i);
		expect((Date.now() - begin) / 1_000).toBeLessThan(50);
		expect(gateway.charges()).toBe(5);
	});
});

describe('without execution', () => {
	quickTime(20);

	async function call(node: 'mediaTask' | 'textGeneration', parameters: INodeParameters) {
		const { baseUrl, apiKey } = gateway;
		const options = { node, parameters, credential: { baseUrl, apiKey }, asTool: true };
		const scope = { execution: createEmptyRunExecutionData(), hasId: false };
		return (await attempt(options, scope))[0]?.json;
	}

	const picture = {
		resource: 'task',
		operation: 'createAndWait',
		model: locator('aurora/canvas-1'),
		inputMode: 'json',
		inputJson: '{"prompt": "cat", "quality": "draft", "size": "512x512"}',
	};

	it('a text is generated, within its own limit of cost', async () => {
		const parameters = {
			resource: 'text',
			operation: 'generate',
			model: locator(TEXT_MODEL),
			prompt: 'Say hello',
			options: { maxTokens: 10, maxCostRub: 100 },
		};
		expect(await call('textGeneration', parameters)).toMatchObject({ costRub: expect.any(Number) as number });
	});

	it('a picture is created and awaited; another call creates another one', async () => {
		const [first, second] = [await call('mediaTask', picture), await call('mediaTask', picture)];
		expect([first?.state, second?.state]).toStrictEqual(['success', 'success']);
		expect(first?.taskId).not.toBe(second?.taskId);
		expect(gateway.charges()).toBe(2);
	});

	it('a picture is polled for where the execution cannot be suspended', async () => {
		const item = await call('mediaTask', { ...picture, waitStrategy: 'suspend' });
		expect(item?.state).toBe('success');
	});
});
