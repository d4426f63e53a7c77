import { quickTime } from '../helpers/time';
import { useGateway } from './support';

// How a limited account is used: the options of the nodes, and what they say.

const gateway = useGateway();
quickTime(20);

const items = (count: number) => Array.from({ length: count }, (_, n) => ({ json: { n } }));

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
			expect.stringMatching(/^Requests waited (9|1\d) s for the rate limit of the account or /),
		]);
	});

	it('says how long requests waited for Requests per Minute', async () => {
		const options = { requestsPerMinute: 5 };
		const hints = hintsOf(await gateway.generate({ options }, { items: items(8) }));
		expect(hints).toStrictEqual([
			expect.stringMatching(/^Requests waited 6\d s for .* or 'Requests per Minute'\.$/),
		]);
	});

	it('is not shown when none waited', async () => {
		expect(hintsOf(await gateway.generate({}, { items: items(20) }))).toStrictEqual([]);
	});
});

describe('Requests per Minute', () => {
	it('limits the requests of all nodes from the first on', async () => {
		const options = { requestsPerMinute: 30 };
		const begin = Date.now();
		await gateway.generate({ options }, { items: items(75) });
		expect((Date.now() - begin) / 1_000).toBeGreaterThanOrEqual(120);
		expect(gateway.control.requests({ method: 'POST' })).toHaveLength(75);
	});

	it.each([-1, 0.5, 100_001])('%d is an error before anything is sent', async (requestsPerMinute) => {
		const { error } = await gateway.generate({ options: { requestsPerMinute } });
		expect(error?.description).toContain('a whole number from 0 to 100000');
		expect(gateway.control.requests()).toStrictEqual([]);
	});
});

it('a 429 of the catalogue is waited for, like others', async () => {
	const action = { kind: 'error', code: 'rate_limit_exceeded', retryAfter: 2 } as const;
	gateway.control.addFault({ match: { method: 'GET', path: '/models' }, action, times: 4 });
	const { items: outputs } = await gateway.generate(
		{ options: { maxCostRub: 1_000, maxTokens: 10 } },
		{ items: items(20) },
	);
	expect(outputs).toHaveLength(20);
	expect(gateway.charges()).toBe(20);
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
