import { errorFromResponse, problemError } from '../../../nodes/shared/gateway/errors/fromResponse';
import type { RequestKind } from '../../../nodes/shared/gateway/errors/errors';
import { mayRepeat, statusPolicy } from '../../../nodes/shared/gateway/errors/policy';
import type { ProblemName } from '../../../nodes/shared/gateway/errors/texts/problems';
import type { ApiError } from '../../../nodes/shared/gateway/errors/errors';
import retryTable from '../../fixtures/spec/retry.json';

// What is sent again, and what may have had its effect: nothing that may be charged is sent twice without its key.

const KINDS: RequestKind[] = ['read', 'poll', 'file', 'create', 'keyed', 'charge'];
const ALL = KINDS;
const NONE: RequestKind[] = [];
/** Sent twice, they have the same effect as once. */
const SAFE: RequestKind[] = ['read', 'poll', 'file', 'keyed'];

/** The kinds that are sent again after an error, and the kinds that may have had their effect. */
function repeated(errorOf: (kind: RequestKind) => ApiError) {
	const details = new Map(KINDS.map((kind) => [kind, errorOf(kind).details]));
	const again = [...details].filter(([kind, known]) => mayRepeat(kind, known)).map(([kind]) => kind);
	const unknown = [...details].filter(([, { outcome }]) => outcome === 'unknown').map(([kind]) => kind);
	return { again, unknown };
}

/** The error for a status: the gateway's own, or a proxy's. */
const response = (status: number, body: string) => (kind: RequestKind) =>
	errorFromResponse({ group: 'balance', kind, status, body, now: 0, secrets: [] });

it.each<[status: number, again: RequestKind[], unknown: RequestKind[]]>([
	...[400, 401, 402, 403, 404, 409, 410, 413, 418, 422, 499].map(
		(status): [number, RequestKind[], RequestKind[]] => [status, NONE, NONE],
	),
	[429, ALL, NONE],
	[500, ALL, SAFE],
	[502, ALL, NONE],
	[503, ALL, NONE],
	[504, SAFE, ALL],
	[501, NONE, SAFE],
	[599, NONE, SAFE],
])(
	'after the gateway’s %i, %j are sent again, and %j may have had their effect',
	(status, again, unknown) => {
		const ofGateway = response(status, '{"error":{"type":"t"}}');
		expect(repeated(ofGateway)).toStrictEqual({ again, unknown });
		const outcomes = KINDS.filter((kind) => !unknown.includes(kind)).map(
			(kind) => ofGateway(kind).details.outcome,
		);
		expect(new Set(outcomes)).toStrictEqual(new Set(unknown === ALL ? [] : ['rejected']));
	},
);

it.each([500, 502, 503, 504, 520, 524])(
	'after a proxy’s %i, everything may have had its effect',
	(status) => {
		const again = retryTable.retry.includes(status) ? SAFE.filter((kind) => kind !== 'file') : NONE;
		const ofProxy = repeated(response(status, '<html>'));
		expect(ofProxy.unknown).toStrictEqual(expect.arrayContaining(ALL.filter((kind) => kind !== 'file')));
		expect(ofProxy.again.filter((kind) => kind !== 'file')).toStrictEqual(again);
	},
);

it.each<[ProblemName, RequestKind[], 'notSent' | 'rejected' | 'unknown']>([
	['refused', ALL, 'notSent'],
	['credential', ALL, 'notSent'],
	['certificate', NONE, 'notSent'],
	['address', NONE, 'notSent'],
	['blocked', NONE, 'notSent'],
	['redirect', NONE, 'rejected'],
	['empty', SAFE, 'rejected'],
	['lost', SAFE, 'unknown'],
	['timeout', SAFE, 'unknown'],
	['notJson', SAFE, 'unknown'],
	['webPage', NONE, 'rejected'],
	['tooLarge', NONE, 'unknown'],
])('after %j, %j are sent again, and the outcome is %j', (name, again, outcome) => {
	expect(repeated((kind) => problemError(name, kind)).again).toStrictEqual(again);
	expect(new Set(KINDS.map((kind) => problemError(name, kind).details.outcome))).toStrictEqual(
		new Set([outcome]),
	);
});

it('a status is retried as §7.6 says, and no other', () => {
	const statuses = Array.from({ length: 500 }, (_, index) => index + 100);
	expect(statuses.filter((status) => statusPolicy(status).again)).toStrictEqual(retryTable.retry);
	expect(retryTable.final.filter((status) => statusPolicy(status).again)).toStrictEqual([]);
	expect(statuses.filter((status) => statusPolicy(status).otherModel)).toStrictEqual([429, 502, 503]);
});

it('a text that is charged is not sent again, however the error came', () => {
	const { details } = response(502, '{"error":{"type":"t"}}')('charge');
	for (const outcome of ['unknown', 'charged'] as const)
		expect(mayRepeat('charge', { ...details, outcome })).toBe(false);
	// An error in a response with success: the model has worked on it.
	expect(mayRepeat('charge', { ...details, status: 200 })).toBe(false);
});
