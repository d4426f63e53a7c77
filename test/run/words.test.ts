import {
	type ApiErrorDetails,
	type Outcome,
	type RequestKind,
} from '../../nodes/shared/gateway/errors/errors';
import type { ItemRecord } from '../../nodes/shared/run/charge/record';
import { chargeText, othersText, outcomeFlags } from '../../nodes/shared/run/charge/words';

// What errors say about money.

const details = (outcome: Outcome, kind: RequestKind, more: Partial<ApiErrorDetails> = {}) => ({
	message: 'm',
	description: 'd',
	retryable: true,
	outcome,
	kind,
	...more,
});

const FREE = ['read', 'poll', 'file', 'create'] as const;
const COSTLY = ['keyed', 'charge'] as const;

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
const NOTHING_CHARGED = /^This call was not charged\.$/;

it.each<[Outcome, Partial<Record<RequestKind, RegExp>>]>([
	['notSent', { create: NOTHING_SENT, keyed: NOTHING_SENT, charge: NOTHING_SENT }],
	['rejected', { create: NOTHING_CHARGED, keyed: NOTHING_CHARGED, charge: NOTHING_CHARGED }],
	[
		'unknown',
		{
			create: /not repeated.*may have arrived\. This call was not charged\.$/,
			keyed:
				/may have been created and charged.*'Retry On Fail' and a retry.* the same task.*'Idempotency Key'/,
			charge: /not repeated.*may have been charged: check the balance/,
		},
	],
])('%s: the last sentence says whether it is charged', (outcome, texts) => {
	for (const kind of KINDS) {
		const text = texts[kind] ?? /^none$/;
		expect(chargeText(details(outcome, kind)) ?? 'none').toMatch(text);
	}
});

it('notSent: only its own item is free when others may be charged', () => {
	expect(chargeText(details('notSent', 'charge'), false)).toBe('This call was not sent.');
});

it.each<[Partial<ApiErrorDetails>, RegExp]>([
	[{ extra: { costRub: 0.5 } }, /^The call cost ₽0\.50\.$/],
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

describe('what an error says of other items', () => {
	const unknownCost: ItemRecord = { state: 'done', account: 'a', outputs: [] };
	const text: ItemRecord = { ...unknownCost, costRub: '1.5' };
	const before: ItemRecord = { ...unknownCost, isBefore: true };
	const withoutResult: ItemRecord = { state: 'done', account: 'a', costRub: '2' };
	const lost: ItemRecord = { state: 'unknown', account: 'a' };
	const task = (taskId: string): ItemRecord => ({ state: 'charged', account: 'a', costRub: '6', taskId });
	const failed = { ...task('t9'), error: details('charged', 'keyed', { extra: { state: 'fail' } }) };
	const RETRY =
		"To get their results, use 'Retry' of this execution in the list of executions: it pays only for what has not succeeded, or for all items if you edit the request, such as the prompt. If this item fails each time, set 'On Error' to 'Continue' first, and retry with the currently saved workflow.";
	const TASKS = "The operation 'Wait' also gets the results of tasks:";
	const MAYBE = 'unknown: it may have been charged.';

	it.each<[string, ItemRecord[], string]>([
		['nothing of free ones', [{ state: 'done' }], ''],
		['their exact sum', [text, { ...text, costRub: '0.3' }], `2 other items cost ₽1.80. ${RETRY}`],
		['that a cost is not known', [unknownCost], `1 other item cost an amount that is not known. ${RETRY}`],
		['that one was paid before', [before], `The execution before paid for 1 other item. ${RETRY}`],
		['that several were', [before, before], `The execution before paid for 2 other items. ${RETRY}`],
		[
			'the tasks that were paid before',
			[{ state: 'charged', account: 'a', taskId: 't1', isBefore: true }],
			`The execution before paid for 1 other item. ${RETRY} ${TASKS} t1.`,
		],
		['the tasks', [task('t1'), task('t2')], `2 other items cost ₽12. ${RETRY} ${TASKS} t1, t2.`],
		[
			'that a result is lost',
			[withoutResult],
			`1 other item cost ₽2. ${RETRY} The results of 1 item are not kept, so they are paid for again.`,
		],
		[
			'that one has failed, too',
			[text, { ...withoutResult, error: details('charged', 'charge') }],
			`2 other items cost ₽3.50. 1 of them failed, too: a retry pays for them again. ${RETRY}`,
		],
		['which may be charged', [lost], `The outcome of item 0 is ${MAYBE}`],
		[
			'that a failed task may be',
			[text, failed],
			`1 other item cost ₽1.50. ${RETRY} The outcome of item 1 (task t9) is ${MAYBE}`,
		],
		[
			'that several may be',
			[lost, { ...lost, state: 'sent' }],
			'The outcome of items 0, 1 is unknown: they may have been charged.',
		],
	])('%s', (_, records, expected) => {
		expect(othersText(Object.entries(records), 'retry')).toBe(expected);
	});

	it('how to get their results', () => {
		const said = (next: Parameters<typeof othersText>[1]) => othersText([['0', withoutResult]], next);
		expect(said('retryOfSubExecution')).toMatch(
			/for that of this sub-workflow, not for its parent: it pays only/,
		);
		expect(said('none')).toBe('1 item cost ₽2.');
		const another = { ...withoutResult, error: details('charged', 'charge') };
		expect(othersText([['0', another]], 'none')).toBe('1 item cost ₽2. 1 of them failed, too.');
	});
});
