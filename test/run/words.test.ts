import type { ApiErrorDetails, Outcome } from '../../nodes/shared/gateway/errors/errors';
import { chargeText, outcomeFlags } from '../../nodes/shared/run/charge/words';
import type { RequestKind } from '../../nodes/shared/gateway/errors/errors';

const details = (outcome: Outcome, kind?: RequestKind, more: Partial<ApiErrorDetails> = {}) => ({
	message: 'm',
	description: 'd',
	retryable: true,
	outcome,
	kind,
	...more,
});

const FREE = ['read', 'poll', 'file', 'create'] as const;
const COSTLY = ['keyed', 'charge', undefined] as const;

const KINDS = [...FREE, ...COSTLY];

const YES = { retryable: true };
const MAYBE = { retryable: false, mayBeCharged: true };
const PAID = { retryable: false, paid: true };

it.each<[Outcome, object, object, object]>([
	['notSent', YES, YES, YES],
	['rejected', YES, YES, YES],
	['unknown', YES, MAYBE, MAYBE],
	['charged', MAYBE, MAYBE, PAID],
])(
	'%s: workflows read %j of a free request, %j of one that costs money, %j with a task',
	(outcome, free, costly, ofTask) => {
		for (const kind of FREE) expect(outcomeFlags(details(outcome, kind))).toStrictEqual(free);
		for (const kind of COSTLY) {
			expect(outcomeFlags(details(outcome, kind))).toStrictEqual(costly);
			expect(outcomeFlags(details(outcome, kind, { taskId: 't' }))).toStrictEqual(ofTask);
		}
		expect(outcomeFlags(details(outcome, 'charge', { retryable: false })).retryable).toBe(false);
	},
);

const NOTHING_SENT = /^Nothing was sent\.$/;
const NOTHING_CHARGED = /^Nothing was charged\.$/;

it.each<[Outcome, Partial<Record<RequestKind, RegExp>>]>([
	['notSent', { create: NOTHING_SENT, keyed: NOTHING_SENT, charge: NOTHING_SENT }],
	['rejected', { create: NOTHING_CHARGED, keyed: NOTHING_CHARGED, charge: NOTHING_CHARGED }],
	[
		'unknown',
		{
			create: /not repeated.*may have arrived\. Nothing was charged\.$/,
			keyed: /may have been created and charged.*'Retry On Fail' request the same task.*'Idempotency Key'/,
			charge: /not repeated.*may have been charged: check the balance/,
		},
	],
])('%s: the last sentence says whether it is charged', (outcome, texts) => {
	for (const kind of KINDS) {
		const text = texts[kind ?? 'charge'] ?? /^none$/;
		expect(chargeText(details(outcome, kind)) ?? 'none').toMatch(text);
	}
});

it.each<[Partial<ApiErrorDetails>, RegExp]>([
	[{ extra: { costRub: 0.5 } }, /^The call cost ₽0\.5\.$/],
	[{ extra: { costRub: null } }, /^The call was charged\.$/],
	[{}, /^The call was charged\.$/],
	[{ taskId: 't1' }, /^Task t1 is paid for: .*'Wait'/],
])('charged: names the cost or the task: %j', (more, text) => {
	for (const kind of KINDS) expect(chargeText(details('charged', kind, more))).toMatch(text);
});

it('unknown: a task that is known is not created again', () => {
	expect(chargeText(details('unknown', 'keyed', { taskId: 't1' }))).toBe(
		'It may have been charged: check the balance.',
	);
});
