import type { GatewayClient, GatewayRequest } from '../../../nodes/shared/gateway/client/client';
import { ApiError, type ApiErrorDetails, type Outcome } from '../../../nodes/shared/gateway/errors/errors';
import type { RequestKind } from '../../../nodes/shared/gateway/errors/errors';
import { mayRepeat, statusPolicy } from '../../../nodes/shared/gateway/errors/policy';
import retryTable from '../../fixtures/spec/retry.json';
import { apiErrorOf, scriptedClient, type Step } from '../../helpers/client';

// Which requests are sent again (§7.6), and what is known of their effect. What may be charged is not sent twice.

const requests: Record<Exclude<RequestKind, 'file'>, GatewayRequest> = {
	read: { group: 'balance', kind: 'read', path: '/balance' },
	poll: { group: 'media', kind: 'poll', path: '/async/media/tasks/t' },
	catalogue: { group: 'catalogue', kind: 'catalogue', path: '/models' },
	create: { group: 'storage', kind: 'create', method: 'POST', path: '/storage/upload', json: {} },
	keyed: { group: 'media', kind: 'keyed', method: 'POST', path: '/async/media/tasks', json: {} },
	charge: { group: 'text', kind: 'charge', method: 'POST', path: '/chat/completions', json: {} },
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
	...[501, 599].map((status) => ({ step: { status }, again: NONE, unknown: ONCE_CHARGED })),
	// The server of a file has no format.
	{ step: { status: 502, body: '<html>' }, again: ALL, unknown: NONE, kinds: ['file'] },
];

/** A 5xx that is not in a format of the gateway (§7.1). */
const proxies: Row[] = [500, 502, 503, 504].flatMap((status) =>
	['', '<html><h1>Bad Gateway</h1></html>', '{"error":{"code":502}}'].map((body) => ({
		step: { status, body },
		again: ONCE_CHARGED,
		unknown: ALL,
		kinds: GATEWAY,
	})),
);
proxies.push(
	...[520, 524].map((status): Row => {
		return { step: { status, body: '<html>' }, again: NONE, unknown: ALL, kinds: GATEWAY };
	}),
);

const problems: Row[] = [
	...(['refused', 'credential'] as const).map((step) => ({ step, again: ALL, unknown: NONE })),
	...(['certificate', 'address', 'blocked'] as const).map((step) => ({ step, again: NONE, unknown: NONE })),
	...(['lost', 'timeout'] as const).map((step) => ({ step, again: ONCE_CHARGED, unknown: ALL })),
	{ step: 'notJson' as const, again: ONCE_CHARGED, unknown: ALL },
	{ step: 'tooLarge' as const, again: NONE, unknown: ALL },
].map((row) => ({ ...row, others: 'notSent' }));
problems.push(
	...(['redirect', 'webPage'] as const).map((step): Row => ({ step, again: NONE, unknown: NONE })),
	{ step: 'empty', again: ONCE_CHARGED, unknown: NONE },
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
		status: 200,
		retryable: true,
	} as const;
	const reading = client.stream(requests.charge, async () => await Promise.reject(new ApiError(details)));
	expect((await apiErrorOf(reading)).details.status).toBe(200);
	expect(sent).toHaveLength(1);
});

it('a status is retried as §7.6 says, and no other', () => {
	const statuses = Array.from({ length: 500 }, (_, index) => index + 100);
	expect(statuses.filter((status) => statusPolicy(status).again)).toStrictEqual(retryTable.retry);
	expect(retryTable.final.filter((status) => statusPolicy(status).again)).toStrictEqual([]);
	expect(statuses.filter((status) => statusPolicy(status).otherModel)).toStrictEqual([429, 502, 503]);
});

it.each(['unknown', 'charged'] as const)('a text whose outcome is %s is not sent again', (outcome) => {
	const details = { message: '', description: '', status: 502, retryable: true, outcome };
	expect(mayRepeat('charge', details)).toBe(false);
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
