import { quickTime } from '../helpers/time';
import { filled, useGateway } from './support';

// Many items against an account whose requests or tokens are limited.

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
