import fc from 'fast-check';

import { RunSignal } from '../../nodes/shared/gateway/client/limits';
import type { GatewayClient } from '../../nodes/shared/gateway/client/client';
import {
	ApiError,
	asError,
	InvalidInputError,
	type Outcome as ErrorOutcome,
	type RequestKind,
	StoppedError,
} from '../../nodes/shared/gateway/errors/errors';
import { beginCall } from '../../nodes/shared/run/charge/charge';
import type { Call, Entry, Ledger } from '../../nodes/shared/run/charge/ledger';
import type { ItemRecord } from '../../nodes/shared/run/charge/record';
import type { Records, TaskKey } from '../../nodes/shared/run/charge/records';
import type { CallCost } from '../../nodes/shared/run/charge/sums';
import { invalidInput } from '../helpers/invalidInput';
import { Execution } from './support';

let execution: Execution;
beforeEach(() => (execution = new Execution()));
afterEach(() => jest.restoreAllMocks());

/** Lets what is due happen. */
const turn = async () => await new Promise((resolve) => setImmediate(resolve));

const begin = async (
	call: Partial<Call> = {},
	maxCostRub?: string,
	node: Ledger = execution.node(),
	run = new RunSignal(),
): Promise<Entry> => await node.begin({ model: 'm', account: 'a', ...call }, { maxCostRub, run });

/** Sends a call that ends so; returns the error of one that is refused. */
async function send(
	outcome: CallCost,
	call: Partial<Call> = {},
	maxCostRub?: string,
	node: Ledger = execution.node(),
): Promise<unknown> {
	try {
		node.end(await begin(call, maxCostRub, node), outcome);
		return 'sent';
	} catch (error) {
		return asError(error);
	}
}

const costs = async (rub: string, node?: Ledger) => await send({ rub }, {}, undefined, node);
const mayCost = async (maxRub?: string, node?: Ledger) => await send({ maxRub }, {}, undefined, node);

async function failedTask() {
	const node = execution.node();
	const entry = await begin({ key: 'failed' }, undefined, node);
	node.created('failed', 't1');
	node.end(entry, { rub: '0.4' });
	node.taskFailed('t1');
}

/** A retry of the execution. */
function retry(id: string) {
	execution.store();
	execution.id = id;
}

/** Rubles, calls, and those without a cost. */
const shown = () => Object.values(execution.custom).join(' ');

describe('what an execution shows', () => {
	const UNKNOWN = '0 (execution so far: ₽0; calls of unknown cost: 1)';
	it.each<[string, () => Promise<unknown>, hint: string]>([
		['a cost', async () => await costs('4.50'), '4.50 (execution so far: ₽4.50)'],
		['no free call', async () => await costs('0'), ''],
		['no rejected call', async () => await send('free'), ''],
		['a lost call', async () => await mayCost('2'), UNKNOWN],
		['a failed task without its price', failedTask, UNKNOWN],
		[
			'other nodes',
			async () => [await costs('3', execution.node('b')), await costs('1')],
			'1 (execution so far: ₽4)',
		],
		[
			'an earlier attempt of its run',
			async () => [await costs('3'), execution.store(), await costs('1')],
			'4 (execution so far: ₽4)',
		],
		[
			'no earlier run of the node',
			async () => {
				const first = execution.node();
				await costs('3', first);
				first.close();
				await costs('1', execution.node('node', '1'));
			},
			'1 (execution so far: ₽4)',
		],
	])('the hint has %s', async (_, calls, hint) => {
		await calls();
		expect(execution.hints.at(-1)?.message ?? '').toBe(hint && `Cost: ₽${hint}`);
		// Also without a hint, for expressions.
		const costRub = Number(execution.custom.gatewayCostRub);
		expect(execution.contexts.node?.gateway).toHaveProperty('costRub', costRub);
	});

	it('all nodes show the exact sum, however often n8n stores the execution, and runs end', async () => {
		const call = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(9_999), fc.boolean(), fc.boolean());
		await fc.assert(
			fc.asyncProperty(fc.array(call, { minLength: 1 }), async (calls) => {
				execution = new Execution();
				for (const [index, [name, rub, isKnown, ends]] of calls.entries()) {
					const node = execution.node(name, String(index));
					await (isKnown ? costs : mayCost)(String(rub / 1_000), node);
					if (ends) node.close();
					execution.store();
				}
				const known = calls.filter(([, , isKnown]) => isKnown);
				const costRub = known.reduce((sum, [, rub]) => sum + rub, 0) / 1_000;
				const totals = { costRub, calls: calls.length, callsWithoutCost: calls.length - known.length };
				expect(shown()).toBe(Object.values(totals).join(' '));
				const all = { ...totals, inputTokens: 0, outputTokens: 0 };
				for (const [name] of calls) expect(execution.contexts[name]?.gateway).toStrictEqual(all);
			}),
		);
	});

	it('the rounds of a loop add nothing to what n8n stores', async () => {
		const sizes: number[] = [];
		for (let round = 0; round < 50; round++) {
			const node = execution.node('node', String(round));
			await costs('1', node);
			node.close();
			sizes.push(JSON.stringify(execution.contexts.flow).length);
		}
		expect((sizes.at(-1) ?? 0) - (sizes[0] ?? 0)).toBeLessThan(10);
		expect(shown()).toBe('50 50 0');
	});

	it('a retry begins anew, and its hint has what was before', async () => {
		await costs('1', execution.node('first'));
		await mayCost('2', execution.node('first'));
		for (const id of ['e2', 'e3']) {
			retry(id);
			await costs('5', execution.node('second'));
		}
		expect(shown()).toBe('5 1 0');
		const totals = { costRub: 5, calls: 1, callsWithoutCost: 0, inputTokens: 0, outputTokens: 0 };
		expect(execution.contexts.first?.gateway).toStrictEqual(totals);
		const before = '(execution so far: ₽5; before this retry: ₽6 and calls of unknown cost: 1)';
		expect(execution.hints.at(-1)?.message).toContain(before);
	});

	it('a retry that has sent nothing yet shows no cost to expressions', async () => {
		await costs('1');
		retry('e2');
		execution.node('other');
		expect(execution.contexts.node?.gateway).toMatchObject({ costRub: 0, calls: 0 });
	});

	it('the hint of a retry also names only calls of unknown cost before it', async () => {
		await mayCost('2', execution.node('first'));
		retry('e2');
		execution.node('second').show();
		expect(execution.hints.at(-1)?.message).toBe(
			'Cost: ₽0 (execution so far: ₽0; before this retry: ₽0 and calls of unknown cost: 1)',
		);
	});

	it('the tokens are added up, as far as responses have them', async () => {
		const node = execution.node();
		for (const tokens of [
			{ inputTokens: 3, outputTokens: null },
			{ inputTokens: 4, outputTokens: 5 },
		])
			node.end(await begin({}, undefined, node), { rub: '1' }, tokens);
		expect(execution.contexts.node?.gateway).toMatchObject({ inputTokens: 7, outputTokens: 5 });
	});
});

describe('calls with one key', () => {
	const keyed = async (outcome: CallCost) => await send(outcome, { key: 'k' });
	const [LOST, KNOWN] = [{ maxRub: '4' }, { rub: '3' }] as const;

	it.each<[string, CallCost[], sums: string]>([
		['of which one is lost and repeated, count once', [LOST, KNOWN], '3 1 0'],
		['of which the repetition is rejected, stay unknown', [LOST, 'free'], '0 1 1'],
		['of which the repetition is lost, keep the cost', [KNOWN, LOST], '3 1 0'],
		['that are rejected, are free', ['free', 'free'], '0 0 0'],
		['of which the first is rejected, count', ['free', KNOWN], '3 1 0'],
		['of any amount, stay so if a repetition is rejected', [{}, 'free'], '0 1 1'],
	])('%s', async (_, outcomes, sums) => {
		for (const outcome of outcomes) await keyed(outcome);
		expect(shown()).toBe(sums);
	});

	it.each<[string, CallCost[]]>([
		['lost, known', [LOST, KNOWN]],
		['lost, known, lost, known, rejected', [LOST, KNOWN, LOST, KNOWN, 'free']],
		['rejected, known', ['free', KNOWN]],
	])('of an agent at the same time count once, at one of the calls: %s', async (_, outcomes) => {
		const nodes = outcomes.map((__, index) => execution.node('tool', `call ${index}`));
		const entries = await Promise.all(nodes.map(async (node) => await begin({ key: 'k' }, undefined, node)));
		for (const [index, outcome] of outcomes.entries()) nodes[index]?.end(entries[index] as Entry, outcome);
		expect(shown()).toBe('3 1 0');
		expect(execution.hints.filter(({ message }) => message.startsWith('Cost: ₽3'))).toHaveLength(1);
	});

	it('count as of unknown cost when their task has failed; a task of no call here changes nothing', async () => {
		await failedTask();
		execution.node('other').taskFailed('t2');
		execution.node('other').taskFailed(undefined);
		expect(shown()).toBe('0 1 1');
	});

	it('are known in a retry, and so is that their task has failed', async () => {
		await failedTask();
		await keyed(KNOWN);
		await send('free', { key: 'rejected' });
		const node = execution.node();
		expect([node.hasFailedBefore('failed'), node.find('rejected')]).toStrictEqual([false, undefined]);
		retry('e2');
		const retried = execution.node();
		const failed = ['failed', 'k', 'none'].filter((key) => retried.hasFailedBefore(key));
		expect(failed).toStrictEqual(['failed']);
		expect(retried.find('k')).toMatchObject({ account: 'a' });
		await keyed({ rub: '1' });
		// A task that another execution has paid for changes no sum.
		retried.taskFailed('t1');
		expect(shown()).toBe('1 1 0');
	});

	const use = (usedAt: string, content: string, key = 'k') => {
		execution.node().useKey(key, { usedAt, content });
		return 'used';
	};

	it('of a user stand for one content in all places; only in the first, that may change between attempts', () => {
		expect([use('a', '1'), use('b', '1'), use('a', '1'), use('b', '2', 'other')]).toHaveLength(4);
		const { message, param } = invalidInput(() => use('b', '2'));
		expect(message).toBe("'Idempotency Key' is the same for two different inputs of this execution");
		expect(param).toBe('idempotencyKey');
		expect([use('a', '2'), use('b', '2')]).toHaveLength(2);
	});

	it.each<[string, CallCost, boolean]>([
		['lost', LOST, true],
		['rejected', 'free', false],
	])('of a user that were %s: a retry may use the key for another input: %s', async (_, outcome, isTaken) => {
		use('a', '1');
		await keyed(outcome);
		retry('e2');
		let isRefused = false;
		try {
			use('b', '2');
		} catch {
			isRefused = true;
		}
		expect(isRefused).toBe(isTaken);
	});
});

/** What becomes of a call that may cost so much, under a limit of ₽1. */
const limited = async (maxRub: string) => await send({ rub: '0' }, { maxRub }, '1');
const REFUSED = expect.any(InvalidInputError) as unknown;

describe('a limit of ₽1', () => {
	it.each<[string, () => Promise<unknown>, left: string, tooMuch: string]>([
		['what is paid', async () => await costs('0.1'), '0.9', '0.9001'],
		['what a lost call may cost', async () => [await mayCost('0.4'), execution.store()], '0.6', '0.61'],
		['a failed task', failedTask, '0.6', '0.61'],
		[
			'a task that was lost, and is paid by its repetition',
			async () => [await send({}, { key: 'k' }), await send({ rub: '0.4' }, { key: 'k' })],
			'0.6',
			'0.61',
		],
		[
			'two keys twice',
			async () => [await send({ maxRub: '0.4' }, { key: 'k' }), await send({ rub: '0.3' }, { key: 'l' })],
			'0.3',
			'0.31',
		],
		['no rejected call', async () => await send('free', { maxRub: '0.4' }), '1', '1.01'],
		[
			'no call that was in flight when n8n ended',
			async () => [await begin({ maxRub: '1' }, '1'), execution.store()],
			'1',
			'1.01',
		],
		['no call before a retry', async () => [await mayCost(), retry('e2')], '1', '1.01'],
	])('counts %s', async (_, calls, left, tooMuch) => {
		await calls();
		expect(await limited(tooMuch)).toStrictEqual(REFUSED);
		expect(await limited(left)).toBe('sent');
	});

	it('does not wait for calls without a limit, and counts them when they end', async () => {
		const node = execution.node();
		const [first] = [await begin({ maxRub: '5' }, undefined, node), await begin()];
		expect(await limited('1')).toBe('sent');
		node.end(first, { rub: '0.4' });
		expect(await limited('0.61')).toStrictEqual(REFUSED);
		expect(await limited('0.6')).toBe('sent');
	});

	/** What becomes of a call while others are in flight, and when they have ended. */
	async function beside(maxRub: string, end: () => void): Promise<unknown[]> {
		const outcomes: unknown[] = [];
		const later = limited(maxRub).then((outcome) => outcomes.push(outcome));
		await turn();
		outcomes.push('others end');
		end();
		await later;
		return outcomes;
	}

	it('has room when a limited call in flight has ended', async () => {
		const node = execution.node();
		const first = await begin({ maxRub: '0.6' }, '1', node);
		const outcomes = await beside('0.5', () => node.end(first, 'free'));
		expect(outcomes).toStrictEqual(['others end', 'sent']);
	});

	it('sends the repetition of a call before a retry at once, and holds its maximum, which alone may exceed it', async () => {
		await send({ maxRub: '0.9' }, { key: 'k', maxRub: '0.9' }, '1');
		retry('e2');
		const node = execution.node();
		const repeated = await begin({ key: 'k', maxRub: '1.2' }, '1', node);
		const outcomes = await beside('0.3', () => node.end(repeated, { rub: '0.7' }));
		expect([outcomes, shown()]).toStrictEqual([['others end', 'sent'], '0.7 2 0']);
	});

	it('holds nothing for a repetition in the same execution, whose maximum counts already', async () => {
		await send({ maxRub: '0.9' }, { key: 'k', maxRub: '0.9' }, '1');
		await begin({ key: 'k', maxRub: '0.9' }, '1');
		expect(await limited('0.11')).toStrictEqual(REFUSED);
		expect(await limited('0.1')).toBe('sent');
	});

	it('holds the maximum of equal calls at the same time once, also of one that waits for its turn', async () => {
		const node = execution.node();
		const call = { key: 'k', maxRub: '0.6' };
		const equal = await Promise.all([begin(call, '1', node), begin(call, '1', node), begin(call, '1', node)]);
		expect(await limited('0.4')).toBe('sent');
		expect(await limited('0.4')).toBe('sent');
		for (const entry of equal) node.end(entry, { rub: '0.5' });
		expect(await limited('0.51')).toStrictEqual(REFUSED);
		expect(await limited('0.5')).toBe('sent');
	});

	it('holds the maximum of equal calls until the last of them ends: one may be rejected before', async () => {
		const node = execution.node();
		const call = { key: 'k', maxRub: '0.6' };
		const [first, second] = [await begin(call, '1', node), await begin(call, '1', node)];
		node.end(first, 'free');
		node.created('k', 't1');
		expect(node.tasksOf('a')).toStrictEqual(['t1']);
		await beside('0.5', () => node.end(second, { rub: '0.6' }));
		expect(await limited('0.5')).toStrictEqual(REFUSED);
		expect(await limited('0.4')).toBe('sent');
	});

	it('holds the maximum of equal repetitions once, and gives it back when the last of them ends', async () => {
		await begin({ key: 'k', maxRub: '0.6' });
		retry('8');
		const node = execution.node();
		const call = { key: 'k', maxRub: '0.6' };
		const equal = [await begin(call, '1', node), await begin(call, '1', node)];
		const atOnce = async (rub: string) => await Promise.race([limited(rub), turn().then(() => 'waits')]);
		expect(await atOnce('0.4')).toBe('sent');
		for (const entry of equal) node.end(entry, { rub: '0.1' });
		expect(await atOnce('0.5')).toBe('sent');
	});

	it.each<[ms: number, hints: string[]]>([
		[4_999, []],
		[12_000, ["Calls waited up to 12 seconds for other calls, because of 'Max Cost per Execution (₽)'."]],
	])('says for what a call has waited for %d ms', async (ms, hints) => {
		let now = 0;
		jest.spyOn(performance, 'now').mockImplementation(() => now);
		const node = execution.node();
		const first = await begin({ maxRub: '0.6' }, '1', node);
		await beside('0.5', () => {
			now = ms;
			node.end(first, 'free');
		});
		expect(execution.hints.map(({ message }) => message)).toStrictEqual(hints);
	});

	it.each([
		['0.25', '0.36', /^Of ₽1, .* has spent ₽0.25, and up to ₽0.40 for calls/],
		['0', '0.61', /^Of ₽1, .* has spent ₽0, and up to ₽0.40 for calls/],
	])('says what is spent (₽%s), unknown and asked', async (spent, asked, description) => {
		await costs(spent);
		await mayCost('0.4');
		expect(await limited(asked)).toMatchObject({
			message: `The call may cost ₽${asked}, more than is left of 'Max Cost per Execution (₽)'`,
			description: expect.stringMatching(description) as string,
			param: 'maxCostRub',
		});
	});

	it('allows nothing when a call may have cost any amount', async () => {
		await mayCost('1');
		await mayCost();
		expect(await limited('0')).toMatchObject({
			message: "'Max Cost per Execution (₽)' cannot be enforced: the cost of earlier calls is unknown",
			description: expect.stringContaining('The cost of 1 earlier call is unknown.') as string,
		});
	});

	it('is not waited for when the execution is cancelled', async () => {
		await begin({ maxRub: '1' }, '1');
		const run = new RunSignal();
		const outcome = begin({ maxRub: '1' }, '1', execution.node(), run).catch(asError);
		await turn();
		run.abort('cancelled');
		expect(await outcome).toMatchObject({ reason: 'cancelled', outcome: 'notSent' });
	});

	it('holds nothing of a call that is cancelled in the moment in which it is granted', async () => {
		const node = execution.node();
		const first = await begin({ maxRub: '1' }, '1', node);
		const run = new RunSignal();
		const outcome = begin({ maxRub: '1' }, '1', node, run).then(
			(entry) => node.end(entry, 'free'),
			() => undefined,
		);
		await turn();
		node.end(first, 'free');
		run.abort('cancelled');
		await outcome;
		expect(await limited('1')).toBe('sent');
	});
});

it('each of 2,000 calls that wait looks at what is left when it is the first, and when one before it ends', async () => {
	const node = execution.node();
	const view = jest.spyOn(node, 'view');
	const calls = Array.from({ length: 2_000 }, async () => {
		const entry = await begin({ maxRub: '1' }, '1', node);
		await turn();
		node.end(entry, 'free');
	});
	await Promise.all(calls);
	// Once at its end, too.
	expect(view.mock.calls.length).toBeLessThanOrEqual(6_000);
});

// Random calls of several executions, each under its limit. Amounts are in kopecks, times in steps.

const RUNS = Number(process.env.MODEL_RUNS ?? 200);

/** Events in the order of their time. The process works off each of them before the next. */
class Timeline {
	now = 0;
	private readonly events: Array<{ at: number; happen: () => void }> = [];

	at(time: number, happen: () => void): void {
		this.events.push({ at: time, happen });
	}

	async wait(steps: number): Promise<void> {
		await new Promise<void>((resolve) => this.at(this.now + steps, resolve));
	}

	async run(): Promise<void> {
		for (;;) {
			await new Promise((resolve) => setImmediate(resolve));
			if (this.events.length === 0) return;
			const next = this.events.reduce((first, one) => (one.at < first.at ? one : first));
			this.events.splice(this.events.indexOf(next), 1);
			this.now = next.at;
			next.happen();
		}
	}
}

/** How a call ends; one that is lost is charged or not, which the gateway alone knows. */
type End = 'known' | 'rejected' | 'lost before' | 'lost after';

interface RandomCall {
	execution: number;
	at: number;
	/** Of another node and credential, without limits, and with an unknown most. */
	isUnlimited: boolean;
	most: number;
	/** The share of its most that it costs. */
	share: number;
	steps: number;
	end: End;
	/** A task has a key, and is sent again after a lost response; it may then be rejected. */
	isTask: boolean;
	isRejectedLater: boolean;
	cancelAfter: number | null;
}

const randomCalls = fc.array(
	fc.record<RandomCall>({
		execution: fc.nat(2),
		at: fc.nat(12),
		isUnlimited: fc.nat(9).map((n) => n === 9),
		most: fc.integer({ min: 1, max: 40 }),
		share: fc.constantFrom(0, 0.1, 0.5, 0.9, 1),
		steps: fc.integer({ min: 1, max: 9 }),
		end: fc.constantFrom<End>('known', 'known', 'known', 'rejected', 'lost before', 'lost after'),
		isTask: fc.boolean(),
		isRejectedLater: fc.boolean(),
		cancelAfter: fc.option(fc.nat(12), { freq: 8 }),
	}),
	{ minLength: 1, maxLength: 24 },
);

const randomLimits = fc.record({
	/** *Max Cost* of each execution. */
	maxCosts: fc.array(fc.option(fc.integer({ min: 1, max: 120 }), { freq: 2 }), {
		minLength: 3,
		maxLength: 3,
	}),
});

/** A call as it really is. */
interface Truth extends RandomCall {
	index: number;
	state: 'waits' | 'is in flight' | 'has ended';
	sentAt: number;
	endedAt: number;
	/** What it may cost, as far as its execution can know, and whether that is what it cost. */
	counted: number;
	isKnown: boolean;
	isCharged: boolean;
}

const text = (kopecks: number) => (kopecks / 100).toFixed(2);
const ANY = 1e9;

/** Lets the calls happen, and checks each of them when it is sent or refused. */
async function play(calls: RandomCall[], { maxCosts }: { maxCosts: Array<number | null> }) {
	const time = new Timeline();
	const truths = calls.map(
		(call, index): Truth => ({
			...call,
			index,
			state: 'waits',
			sentAt: 0,
			endedAt: Infinity,
			counted: 0,
			isKnown: false,
			isCharged: false,
		}),
	);
	const executions = maxCosts.map((_, number) => new Execution(`e${number}`));
	const order = executions.map((): number[] => []);
	const total = (values: number[]) => values.reduce((sum, value) => sum + value, 0);
	const ofExecution = (number: number) => truths.filter(({ execution }) => execution === number);

	function checkSent({ execution, at }: Truth): void {
		// One without a limit is counted when it has ended, which may be between the grants of a call and its request.
		const isCounted = ({ isUnlimited, endedAt }: Truth) => !isUnlimited || endedAt < at;
		const ofOwn = ofExecution(execution).filter(isCounted);
		const maxCost = maxCosts[execution] ?? ANY * 100;
		expect(total(ofOwn.map((call) => call.counted))).toBeLessThanOrEqual(maxCost);
	}

	function checkRefused({ execution, most }: Truth): void {
		// What an earlier request may have cost counts while it is repeated.
		const ended = ofExecution(execution).filter(({ endedAt }) => endedAt < Infinity);
		const left = (maxCosts[execution] ?? ANY * 100) - total(ended.map(({ counted }) => counted));
		expect(most).toBeGreaterThan(left);
	}

	async function send(call: Truth): Promise<void> {
		const { execution, isUnlimited, most, share, steps, end, isTask, index, at, cancelAfter } = call;
		const { isRejectedLater } = call;
		const cost = Math.round(most * share);
		const stop = new AbortController();
		if (cancelAfter !== null) time.at(at + cancelAfter, () => stop.abort());
		const maxCost = isUnlimited ? undefined : (maxCosts[execution] ?? undefined);
		const record: ItemRecord = { state: 'sent' };
		const key = `key ${index}`;
		const plan = {
			client: { account: 'a', settings: {}, run: new RunSignal(stop.signal) } as unknown as GatewayClient,
			model: 'm',
			maxRub: isUnlimited ? undefined : text(most),
			maxCostRub: maxCost === undefined ? undefined : text(maxCost),
			...(isTask && { taskKey: { sent: key, stored: key, ledger: key } }),
			item: { index, records: recordsOf(record) },
		};
		for (const isRepeat of [false, true]) {
			const request = async () => {
				if (stop.signal.aborted) throw new StoppedError('cancelled');
				if (!isRepeat && !isUnlimited) order[execution]?.push(index);
				call.state = 'is in flight';
				call.sentAt = time.now;
				call.counted = isUnlimited ? ANY : most;
				if (!isRepeat && !isUnlimited) checkSent(call);
				await time.wait(steps / 2);
				if (!call.isCharged && end !== 'rejected' && (isRepeat ? !isRejectedLater : end !== 'lost before')) {
					call.isCharged = true;
				}
				await time.wait(steps);
				if (stop.signal.aborted) throw new StoppedError('cancelled', 'unknown');
				const isRejected = isRepeat ? isRejectedLater : end === 'rejected';
				if (!isRejected && (end === 'known' || isRepeat)) return text(cost);
				throw failure(end, isRejected ? 'rejected' : 'unknown', isTask ? 'keyed' : 'charge');
			};
			const ledger = executions[execution]?.node() ?? new Execution().node();
			const charge = async () => {
				const endCall = await beginCall(ledger, plan);
				const result = await request().catch(asError);
				await time.wait(steps % 3);
				if (typeof result === 'string') endCall({ rub: result });
				else endCall({}, result);
				return result;
			};
			const outcome = await charge().catch(asError);
			if (outcome instanceof InvalidInputError) checkRefused(call);
			const isUnknown = mayBeCharged(outcome) && call.state === 'is in flight';
			call.isKnown = typeof outcome === 'string';
			if (call.isKnown) call.counted = cost;
			// A rejected repetition says nothing of the request before.
			else if (!isUnknown && !isRepeat) call.counted = 0;
			call.state = 'has ended';
			call.endedAt = time.now;
			if (!isTask || !isUnknown || stop.signal.aborted) break;
		}
	}

	let open = truths.length;
	for (const call of truths) time.at(call.at, () => void send(call).then(() => (open -= 1)));
	await time.run();
	expect(open).toBe(0);
	for (const numbers of order) {
		const arrival = [...numbers].sort((a, b) => (calls[a]?.at ?? 0) - (calls[b]?.at ?? 0) || a - b);
		expect(numbers).toStrictEqual(arrival);
	}
	for (const [number, { custom }] of executions.entries()) {
		const calls = ofExecution(number);
		const known = calls.filter(({ isKnown }) => isKnown);
		const unknown = calls.filter(({ isKnown, counted }) => !isKnown && counted > 0).length;
		expect({
			gatewayCostRub: 0,
			gatewayCalls: 0,
			gatewayCallsWithoutCost: 0,
			...custom,
			...('gatewayCostRub' in custom ? { gatewayCostRub: Number(custom.gatewayCostRub) } : {}),
		}).toStrictEqual({
			gatewayCostRub: total(known.map(({ counted }) => counted)) / 100,
			gatewayCalls: known.length + unknown,
			gatewayCallsWithoutCost: unknown,
		});
	}
}

const failure = (message: string, outcome: ErrorOutcome, kind: RequestKind) =>
	new ApiError({ message, description: '', outcome, kind, retryable: false });

const mayBeCharged = (outcome: unknown) =>
	(outcome instanceof ApiError || outcome instanceof StoppedError) &&
	(outcome instanceof ApiError ? outcome.details.outcome : outcome.outcome) === 'unknown';

function recordsOf(record: ItemRecord): Records {
	let isSent = false;
	const records = {
		get: () => (isSent ? record : undefined),
		sent: (_: number, account: string, taskKey?: TaskKey) => {
			isSent = true;
			return Object.assign(record, { account, ...(taskKey && { key: taskKey.stored }) });
		},
	};
	return records as unknown as Records;
}

it('the limits of executions are kept, and nothing waits for ever', async () => {
	const histories = fc.asyncProperty(randomCalls, randomLimits, play);
	await expect(fc.assert(histories, { numRuns: RUNS })).resolves.toBeUndefined();
});
