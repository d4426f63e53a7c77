import fc from 'fast-check';

import type { GatewayClient, GatewayRequest } from '../../../nodes/shared/gateway/client/client';
import { MAX_RETRY_AFTER_MS, retryDelayMs } from '../../../nodes/shared/gateway/client/retry';
import {
	ApiError,
	type ApiErrorDetails,
	type Outcome,
	type RequestKind,
} from '../../../nodes/shared/gateway/errors/errors';
import { mayRepeat } from '../../../nodes/shared/gateway/errors/policy';
import type { HttpResponse } from '../../../nodes/shared/gateway/client/transport';
import {
	apiErrorOf,
	rejection,
	scriptedClient,
	type Step,
	testClient,
	testGate,
	textTransport,
} from '../../helpers/client';
import { passTime } from '../../helpers/time';

// When a request is sent again, and which one is.

const get: GatewayRequest = { endpoint: 'fetchBalance', kind: 'read', path: '/balance' };

describe('a retry', () => {
	const busy = (seconds: number): Step => ({ status: 503, headers: { 'retry-after': String(seconds) } });

	/** The pause after a 503, the first one by default. */
	function delayMs(random: number, { failures = 1, retryAfterMs = undefined as number | undefined } = {}) {
		const unavailable = {
			message: '',
			description: '',
			outcome: 'rejected',
			kind: 'read',
			status: 503,
		} as const;
		const error = new ApiError({ ...unavailable, retryable: true, retryAfterMs });
		return retryDelayMs('read', error, { failures, maxRetries: 2e9 }, random);
	}

	describe('the pause before a retry', () => {
		it.each([
			[0, 0.999, 0],
			[2_000, 0, 2_000],
			[2_000, 0.5, 2_100],
			[10_000, 0.5, 10_500],
			[MAX_RETRY_AFTER_MS, 0.5, 300_500],
			[MAX_RETRY_AFTER_MS + 1, 0.5, undefined],
		])('after a Retry-After of %j ms, with the random number %d, is %j ms', (retryAfterMs, random, delay) =>
			expect(delayMs(random, { retryAfterMs })).toBe(delay),
		);

		it('has full jitter: its range doubles with each error, up to 30 s', () => {
			const longest = [1, 2, 3, 10, 1_000].map((failures) => Number(delayMs(0.999_999, { failures })));
			expect(longest.map(Math.round)).toStrictEqual([1_000, 2_000, 4_000, 30_000, 30_000]);
			expect(delayMs(0)).toBe(0);
		});

		it('is never shorter than Retry-After, nor much longer; without one, never more than 30 s', () => {
			const asked = fc.double({ min: 0, max: MAX_RETRY_AFTER_MS, noNaN: true });
			const failed = fc.integer({ min: 1, max: 1e9 });
			const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
			fc.assert(
				fc.property(asked, failed, fraction, (retryAfterMs, failures, random) => {
					const extra = Number(delayMs(random, { retryAfterMs })) - retryAfterMs;
					const own = Number(delayMs(random, { failures }));
					expect([extra >= 0, extra <= 1_000, own >= 0, own <= 30_000]).not.toContain(false);
				}),
			);
		});
	});

	describe('the note on tries', () => {
		const descriptionAfter = async (steps: Step[], maxRetries: number) =>
			(await apiErrorOf(scriptedClient(steps, { maxRetries }).client.json(get))).details.description;
		const asks = (minutes: number) => ` The gateway asks to wait ${minutes} minutes before the next try.`;

		it.each<[string, Step[], number, string]>([
			['after one try', [{ status: 503 }], 0, ''],
			['after two tries', [{ status: 503 }], 1, ' It was tried 2 times.'],
			['after a Retry-After', [busy(330)], 3, asks(5.5)],
			['after both', [{ status: 503 }, busy(3_600)], 3, `${asks(60)} It was tried 2 times.`],
		])('%s', async (_, steps, maxRetries, expected) => {
			const alone = await descriptionAfter([{ status: 503 }], 0);
			expect(await descriptionAfter(steps, maxRetries)).toBe(alone + expected);
		});
	});
});

describe('client rate limit', () => {
	const chat: GatewayRequest = {
		endpoint: 'chat',
		kind: 'charge',
		method: 'POST',
		path: '/chat/completions',
		json: {},
	};
	const catalogue: GatewayRequest = { endpoint: 'listModels', kind: 'catalogue', path: '/models' };
	const creation: GatewayRequest = {
		...chat,
		endpoint: 'createTask',
		kind: 'keyed',
		path: '/async/media/tasks',
	};
	const busy: Step = { status: 429 };
	const busyFor = (seconds: number): Step => ({ status: 429, headers: { 'retry-after': String(seconds) } });

	it.each<[string, GatewayRequest, string]>([
		['text', chat, '{"error":{"code":"token_limit_exceeded","type":"rate_limit_error"}}'],
		['media', creation, '{"code":429,"msg":"slow down","data":null}'],
		['no format', get, ''],
	])('a 429 does not count for Max Retries: %s', async (_, request, body) => {
		const steps = [...Array<Step>(6).fill({ status: 429, body }), { body: '{"a":1}' }];
		const { client, sent } = scriptedClient(steps, { maxRetries: 0 });
		expect(await client.json(request)).toStrictEqual({ a: 1 });
		expect(sent).toHaveLength(7);
	});

	/** Clients of one account in the time of the test, and the paths that they ask for; some are refused. */
	function account(refused: (path: string, count: number) => Partial<HttpResponse<string>> | undefined) {
		const paths: string[] = [];
		const transport = textTransport(async ({ url }) => {
			const path = url.split('/v1')[1] ?? '';
			paths.push(path);
			const response = refused(path, paths.length);
			return await Promise.resolve({ status: response ? 429 : 200, headers: {}, body: '{}', ...response });
		});
		const gate = testGate();
		const client = (settings = {}) => testClient(settings, { gate, transport });
		return { paths, client };
	}

	it('of a catalogue pauses nobody else', async () => {
		const refused = { headers: { 'retry-after': '20' } };
		const { client } = account((path, count) => (path === '/models' && count <= 2 ? refused : undefined));
		const models = Promise.all([client().json(catalogue), client().json(catalogue)]);
		await passTime(500);
		const start = Date.now();
		await client().json(get);
		expect(Date.now() - start).toBe(0);
		await models;
		expect(Date.now() - start).toBeGreaterThan(18_000);
	});

	describe('Rate Limit Wait', () => {
		it.each<[string, number, GatewayRequest, Step, number]>([
			['some time', 33, get, busy, 150_000],
			['after 10 ms', 33, get, busyFor(0.01), 150_000],
			['after 10 ms, of a catalogue', 33, catalogue, busyFor(0.01), 150_000],
			['after 40 s', 4, get, busyFor(40), 121_500],
		])('ends a request that may be sent again %s, after %i tries', async (_, tries, request, refused, ms) => {
			const { client, clock, sent } = scriptedClient([refused], { rateLimitWaitMs: 150_000 });
			const { details } = await apiErrorOf(client.json(request));
			expect([details.status, sent.length, clock.now]).toStrictEqual([429, tries, 1_000_000 + ms]);
			expect(details.description).toContain(`It was tried ${tries} times.`);
		});

		it('of 0 ends it at once, and the pauses of the account do not hold it back', async () => {
			const steps: Step[] = [busy, busy, busy, { body: '{"a":1}' }];
			const { client, clock, sent } = scriptedClient(steps, { rateLimitWaitMs: 0, maxRetries: 10 });
			for (let count = 0; count < 3; count += 1)
				expect((await apiErrorOf(client.json(chat))).details).toMatchObject({
					status: 429,
					outcome: 'rejected',
				});
			expect(await client.json(chat)).toStrictEqual({ a: 1 });
			expect([sent.length, clock.now]).toStrictEqual([4, 1_000_000]);
		});

		it('that ends during a pause of the account: the request is sent a last time', async () => {
			const { client, paths } = account(() => ({}));
			void Promise.allSettled([client().json(chat), client().json(chat)]);
			await passTime(500);
			const { details } = await apiErrorOf(client({ rateLimitWaitMs: 200 }).json(get));
			expect([details.status, paths.filter((path) => path === '/balance').length]).toStrictEqual([429, 1]);
		});

		it('that is shorter than Retry-After ends it at once, and the error names the time', async () => {
			const { client, sent } = scriptedClient([busyFor(1_200)]);
			const { details } = await apiErrorOf(client.json(get));
			expect([sent.length, details.retryAfterMs]).toStrictEqual([1, 1_200_000]);
			expect(details.description).toContain('The gateway asks to wait 20 minutes before the next try.');
		});

		it('ends after 15 minutes where nothing is set', async () => {
			const { client, clock, sent } = scriptedClient([busyFor(800), {}]);
			await client.json(get);
			expect([sent.length, clock.now]).toStrictEqual([2, 1_800_500]);
		});
	});

	it('a stop while a request waits says whether an earlier attempt may have had its effect', async () => {
		const stop = { stopAt: 1_030_000 };
		const { client } = scriptedClient(['lost', busyFor(60)], {}, stop);
		// Jest compares only the messages of errors.
		expect(await rejection(client.json(creation))).toMatchObject({
			name: 'StoppedError',
			reason: 'cancelled',
			outcome: 'unknown',
		});
	});

	it('a request that was refused to the end after a lost response may have had its effect', async () => {
		const { client } = scriptedClient(['lost', busy], { rateLimitWaitMs: 30_000 });
		expect((await apiErrorOf(client.json(creation))).details).toMatchObject({
			status: 429,
			outcome: 'unknown',
		});
	});
});

// Which requests are sent again (§7.6), and what is known of their effect. What may be charged is not sent twice.

const requests: Record<Exclude<RequestKind, 'file'>, GatewayRequest> = {
	read: { endpoint: 'fetchBalance', kind: 'read', path: '/balance' },
	poll: { endpoint: 'fetchTask', kind: 'poll', path: '/async/media/tasks/t' },
	catalogue: { endpoint: 'listModels', kind: 'catalogue', path: '/models' },
	create: { endpoint: 'uploadFile', kind: 'create', method: 'POST', path: '/storage/upload', json: {} },
	keyed: { endpoint: 'createTask', kind: 'keyed', method: 'POST', path: '/async/media/tasks', json: {} },
	charge: { endpoint: 'chat', kind: 'charge', method: 'POST', path: '/chat/completions', json: {} },
};
const GATEWAY = ['read', 'poll', 'catalogue', 'create', 'keyed', 'charge'] as const;
const ALL: readonly RequestKind[] = [...GATEWAY, 'file'];
const ONCE_CHARGED: readonly RequestKind[] = ['read', 'poll', 'catalogue', 'keyed', 'file'];
const NONE: readonly RequestKind[] = [];

const nothing = async () => await Promise.resolve();

/** The ways in which a kind of request is sent. */
function sendersOf(kind: RequestKind): Array<(client: GatewayClient) => Promise<unknown>> {
	if (kind === 'file') return [async (client) => await client.downloadUrl('https://files.test/a', nothing)];
	const request = requests[kind];
	return [
		async (client) => await client.json(request),
		async (client) => await client.stream(request, nothing),
	];
}

interface Row {
	step: Step;
	/** The kinds that are sent again. A poll never is: its caller sends the next. */
	again: readonly RequestKind[];
	/** The kinds that may have had their effect. */
	unknown: readonly RequestKind[];
	/** The outcome of the others. */
	others?: Outcome;
	/** Default: all. */
	kinds?: readonly RequestKind[];
	/** For responses whose body is not read as JSON. Default: also as a stream. */
	asStream?: false;
}

const statuses: Row[] = [
	...[302, 400, 401, 402, 403, 404, 409, 410, 413, 418, 422].map((status) => ({
		step: { status },
		again: NONE,
		unknown: NONE,
	})),
	...[408, 499].map((status) => ({ step: { status }, again: NONE, unknown: ALL })),
	...[502, 503].map((status) => ({ step: { status }, again: ALL, unknown: NONE })),
	{ step: { status: 500 }, again: ALL, unknown: ONCE_CHARGED },
	{ step: { status: 504 }, again: ONCE_CHARGED, unknown: ALL },
	...[451, 501, 520, 524, 529, 599].map((status) => ({
		step: { status },
		again: NONE,
		unknown: ALL,
		kinds: GATEWAY,
	})),
	// The server of a file has no format, and no rate limit of the account.
	{ step: { status: 429 }, again: ALL, unknown: NONE, kinds: ['file'] },
	{ step: { status: 502, body: '<html>' }, again: ALL, unknown: NONE, kinds: ['file'] },
	{ step: { status: 522, body: '<html>' }, again: ALL, unknown: ALL, kinds: ['file'] },
];

/** A 5xx that is not in a format of the gateway (§7.1). */
const proxies: Row[] = [500, 501, 502, 503, 504, 520, 524].flatMap((status) =>
	['', '<html><h1>Bad Gateway</h1></html>', '{"error":{"code":502}}'].map((body) => ({
		step: { status, body },
		again: ONCE_CHARGED,
		unknown: ALL,
		kinds: GATEWAY,
	})),
);

const problems: Row[] = [
	...(['refused', 'credential'] as const).map((step) => ({ step, again: ALL, unknown: NONE })),
	...(['certificate', 'address', 'blocked'] as const).map((step) => ({ step, again: NONE, unknown: NONE })),
	...(['lost', 'timeout'] as const).map((step) => ({ step, again: ONCE_CHARGED, unknown: ALL })),
	{ step: 'notJson' as const, again: ONCE_CHARGED, unknown: ALL },
	{ step: 'tooLarge' as const, again: NONE, unknown: ALL },
].map((row) => ({ ...row, others: 'notSent' }));
problems.push(
	...(['redirect', 'webPage', 'empty'] as const).map((step): Row => ({ step, again: NONE, unknown: NONE })),
);

const bodies: Row[] = ['', '{"choices": [{"mess', '[{}]', '"text"', '7', 'null', '<html>'].map((body) => ({
	step: { body },
	again: ONCE_CHARGED,
	unknown: ALL,
	kinds: GATEWAY,
	asStream: false,
}));

describe.each([...statuses, ...proxies, ...problems, ...bodies])('after $step', (row) => {
	const { step, again, unknown, others = 'rejected', kinds = ALL, asStream } = row;

	it.each(kinds)('%s', async (kind) => {
		for (const send of sendersOf(kind).slice(0, asStream === false ? 1 : undefined)) {
			const { client, sent } = scriptedClient([step], { maxRetries: 2 });
			const { details } = await apiErrorOf(send(client));
			expect(details).toMatchObject({ outcome: unknown.includes(kind) ? 'unknown' : others, kind });
			expect(sent).toHaveLength(again.includes(kind) && kind !== 'poll' ? 3 : 1);
		}
	});
});

it('a text is not sent again after an error within a response: only after an error status', async () => {
	const { client, sent } = scriptedClient([{}]);
	const details = {
		message: '',
		description: '',
		outcome: 'rejected',
		kind: 'charge',
		status: 200,
		retryable: true,
	} as const;
	const reading = client.stream(requests.charge, async () => await Promise.reject(new ApiError(details)));
	expect((await apiErrorOf(reading)).details.status).toBe(200);
	expect(sent).toHaveLength(1);
});

it.each(['unknown', 'charged'] as const)('a text whose outcome is %s is not sent again', (outcome) => {
	const kind = 'charge';
	const details = { message: '', description: '', status: 502, retryable: true, outcome, kind } as const;
	expect(mayRepeat(kind, details)).toBe(false);
});

describe('after several attempts, the outcome is that of all', () => {
	const cases: Array<[keyof typeof requests, Step[], Partial<ApiErrorDetails>]> = [
		['keyed', ['lost', { status: 402 }], { outcome: 'unknown', status: 402 }],
		['keyed', ['timeout', { status: 404 }], { outcome: 'unknown', status: 404 }],
		['keyed', [{ status: 504 }, { status: 503 }, { status: 402 }], { outcome: 'unknown', status: 402 }],
		['keyed', [{ status: 500 }, { status: 429 }, { status: 401 }], { outcome: 'unknown', status: 401 }],
		['keyed', [{ body: '' }, 'certificate'], { outcome: 'unknown', code: 'certificate' }],
		['keyed', [{ status: 502, body: '<html>' }, { status: 402 }], { outcome: 'unknown', status: 402 }],
		['keyed', [{ status: 502 }, { status: 503 }, { status: 402 }], { outcome: 'rejected', status: 402 }],
		['keyed', ['refused', { status: 429 }, { status: 402 }], { outcome: 'rejected', status: 402 }],
		['read', [{ status: 500 }, { status: 404 }], { outcome: 'unknown', status: 404 }],
		['read', [{ status: 429 }, { status: 404 }], { outcome: 'rejected', status: 404 }],
		['charge', [{ status: 503 }, 'lost'], { outcome: 'unknown' }],
		['charge', [{ status: 429 }, 'lost'], { outcome: 'unknown' }],
		['charge', [{ status: 500 }, { status: 402 }], { outcome: 'rejected', status: 402 }],
		['create', ['refused', 'lost'], { outcome: 'unknown' }],
	];
	it.each(cases)('%s: %j', async (kind, steps, expected) => {
		const { client, sent } = scriptedClient([...steps, {}]);
		expect((await apiErrorOf(client.json(requests[kind]))).details).toMatchObject({ ...expected, kind });
		expect(sent).toHaveLength(steps.length);
	});

	it('also where the account pauses before the next attempt', async () => {
		const busy: Step = { status: 429 };
		const { client } = scriptedClient(['lost', busy, busy, busy], { rateLimitWaitMs: 0 });
		const [error] = await Promise.all([
			apiErrorOf(client.json(requests.read)),
			apiErrorOf(client.json(requests.charge)),
			apiErrorOf(client.json(requests.charge)),
		]);
		expect(error.details).toMatchObject({ status: 429, outcome: 'unknown', kind: 'read' });
	});
});
