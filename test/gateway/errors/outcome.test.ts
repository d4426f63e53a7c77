import type { ApiErrorDetails, Outcome } from '../../../nodes/shared/gateway/errors/errors';
import { chargeText, outcomeFlags } from '../../../nodes/shared/gateway/errors/outcome';
import type { RequestKind } from '../../../nodes/shared/gateway/errors/policy';

const KINDS = ['read', 'poll', 'file', 'create', 'keyed', 'charge', undefined] as const;
const details = (outcome: Outcome, kind?: RequestKind, more: Partial<ApiErrorDetails> = {}) => ({
	message: 'm',
	description: 'd',
	retryable: true,
	outcome,
	kind,
	...more,
});

const YES = { retryable: true };
const MAYBE = { retryable: false, mayBeCharged: true };
const PAID = { retryable: false, paid: true };

it.each<[Outcome, object, object, object]>([
	// Outcome, then the flags of requests that are free, of those that cost money, and with a task.
	['notSent', YES, YES, YES],
	['rejected', YES, YES, YES],
	['unknown', YES, MAYBE, MAYBE],
	['charged', MAYBE, MAYBE, PAID],
])('%s: what workflows decide on', (outcome, free, costly, ofTask) => {
	for (const kind of KINDS) {
		const costs = kind === undefined || kind === 'keyed' || kind === 'charge';
		expect(outcomeFlags(details(outcome, kind))).toStrictEqual(costs ? costly : free);
		if (costs) expect(outcomeFlags(details(outcome, kind, { taskId: 't' }))).toStrictEqual(ofTask);
	}
	expect(outcomeFlags(details(outcome, 'charge', { retryable: false })).retryable).toBe(false);
});

it.each<[Outcome, Partial<Record<RequestKind, RegExp>>]>([
	[
		'notSent',
		{ create: /^Nothing was sent\.$/, keyed: /^Nothing was sent\.$/, charge: /^Nothing was sent\.$/ },
	],
	['rejected', { keyed: /^Nothing was charged\.$/, charge: /^Nothing was charged\.$/ }],
	[
		'unknown',
		{
			create: /not repeated.*may have arrived/,
			keyed: /may have been created and charged.*'Retry On Fail' request the same task.*'Idempotency Key'/,
			charge: /not repeated.*may have been charged: check the balance/,
		},
	],
])('%s: the last sentence says whether it is charged', (outcome, texts) => {
	for (const kind of KINDS) {
		const text = texts[kind ?? 'charge'];
		expect(chargeText(details(outcome, kind))).toStrictEqual(text && expect.stringMatching(text));
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
