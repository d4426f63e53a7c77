import { quickTime } from '../helpers/time';
import { TEXT_MODEL, useGateway } from './support';

// Fallback models after a 429, which pauses the account's other requests.

const gateway = useGateway();
quickTime(40);

const SECOND = 'sandbox/swift-1';
const asked = () =>
	gateway.control.requests({ method: 'POST' }).map(({ body }) => (body.json as { model: string }).model);
const generate = async (options: object, count = 1) =>
	await gateway.generate(
		{ options: { maxRetries: 0, fallbackModels: [SECOND], ...options } },
		{
			items: Array.from({ length: count }, (_, n) => ({ json: { n } })),
			settings: { onError: 'continueRegularOutput' },
		},
	);

/** Refuses all calls to these models. */
function refuse(models: string[], more: object = {}): void {
	const action = { kind: 'error', code: 'rate_limit_exceeded', ...more } as const;
	for (const model of models)
		gateway.control.addFault({ match: { method: 'POST', model }, action, times: 0 });
}

test.each([
	[0, 30],
	[15, 1_200],
	[1, 120],
])(
	'are asked with a Rate Limit Wait of %d minutes and a Retry-After of %d s',
	async (rateLimitWait, retryAfter) => {
		refuse([TEXT_MODEL], { retryAfter });
		const { items } = await generate({ rateLimitWait });
		expect(asked()).toStrictEqual([TEXT_MODEL, SECOND]);
		expect(items[0]?.json).toMatchObject({ model: SECOND, fallbackFrom: [TEXT_MODEL] });
	},
);

test('are asked for each of 40 items', async () => {
	refuse([TEXT_MODEL]);
	const { items } = await generate({ rateLimitWait: 0.5 }, 40);
	expect(items.map(({ json }) => json.model)).toStrictEqual(items.map(() => SECOND));
	expect(gateway.charges()).toBe(40);
});

test('are asked once during the pause if they are refused, too', async () => {
	refuse([TEXT_MODEL, SECOND], { retryAfter: 600 });
	const { items } = await generate({ rateLimitWait: 0 });
	expect(items[0]?.json.error).toMatchObject({ httpCode: '429' });
	expect(asked()).toStrictEqual([TEXT_MODEL, SECOND]);
});

test('keep to Requests per Minute', async () => {
	refuse([TEXT_MODEL], { retryAfter: 600 });
	const begin = Date.now();
	const { items } = await generate({ rateLimitWait: 0, requestsPerMinute: 1 });
	expect(asked()).toStrictEqual([TEXT_MODEL, SECOND]);
	expect(items[0]?.json).toMatchObject({ model: SECOND });
	expect(Date.now() - begin).toBeGreaterThanOrEqual(60_000);
});

describe('with a model in Extra Body', () => {
	const FIRST = 'sandbox/thinker-3';
	const extraBody = JSON.stringify({ model: FIRST });
	beforeEach(() => {
		const action = { kind: 'error', code: 'no_providers' } as const;
		gateway.control.addFault({ match: { method: 'POST', model: FIRST }, action, times: 0 });
	});

	test.each([
		['are asked after it', [SECOND], [FIRST, SECOND]],
		['may have the model of the list', [TEXT_MODEL], [FIRST, TEXT_MODEL]],
		['do not repeat it', [FIRST, SECOND], [FIRST, SECOND]],
	])('%s', async (_, fallbackModels, models) => {
		const { items } = await generate({ extraBody, fallbackModels });
		expect(asked()).toStrictEqual(models);
		expect(items[0]?.json).toMatchObject({ model: models[1], fallbackFrom: [FIRST] });
	});
});
