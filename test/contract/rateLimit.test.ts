import { quickTime } from '../helpers/time';
import { filled, useGateway } from './support';

// Many items against an account whose requests or tokens are limited: the options of the nodes, and what they say.

const gateway = useGateway();
quickTime(20);

const items = (count: number) => Array.from({ length: count }, (_, n) => ({ json: { n } }));
const refused = () => gateway.control.requests().filter(({ status }) => status === 429).length;

describe('160 texts at a limit of 60 requests in 20 s', () => {
	it.each(['none', 'seconds', 'date'] as const)('all succeed, Retry-After: %s', async (retryAfter) => {
		gateway.control.configure({ rateLimit: { requestsPerMinute: 60, windowMs: 20_000, retryAfter } });
		const options = { maxRetries: 0 };
		const { items: outputs, error } = await gateway.generate({ options }, { items: items(160) });
		expect(error).toBeUndefined();
		expect(outputs).toHaveLength(160);
		expect(gateway.charges()).toBe(160);
	});

	it('all succeed in three executions at once, which share the limit', async () => {
		gateway.control.configure({
			rateLimit: { requestsPerMinute: 60, windowMs: 20_000, retryAfter: 'none' },
		});
		const counts = [40, 50, 70];
		const results = await Promise.all(
			counts.map(async (count, index) =>
				gateway.generate({}, { items: items(count), executionId: `execution-${index}` }),
			),
		);
		expect(results.map(({ items: outputs, error }) => [outputs.length, error])).toStrictEqual(
			counts.map((count) => [count, undefined]),
		);
		expect(gateway.charges()).toBe(160);
	});
});

it('60 texts at a limit of tokens all succeed', async () => {
	gateway.control.configure({
		rateLimit: { tokensPerMinute: 500, windowMs: 40_000, retryAfter: 'none' },
	});
	const { items: outputs, error } = await gateway.generate({}, { items: items(60) });
	expect(error).toBeUndefined();
	expect(outputs).toHaveLength(60);
	expect(refused()).toBeGreaterThan(0);
});

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

describe('the hint of the node', () => {
	/** Without the one that has the cost. */
	const hintsOf = ({ run }: Awaited<ReturnType<typeof gateway.generate>>) =>
		(run.data.resultData.runData.Gateway?.[0]?.hints ?? [])
			.map(({ message }) => message)
			.filter((message) => !message.startsWith('Cost: '));

	it('says how long requests waited for the rate limit', async () => {
		const code = 'rate_limit_exceeded';
		gateway.control.addFault({ action: { kind: 'error', code, retryAfter: 9 }, match: { method: 'POST' } });
		expect(hintsOf(await gateway.generate())).toStrictEqual([
			expect.stringMatching(/^Requests waited (9|1\d) s for the rate limit of the account\.$/),
		]);
	});
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
