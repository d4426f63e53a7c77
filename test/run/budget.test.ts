import fc from 'fast-check';

import { RunSignal } from '../../nodes/shared/gateway/client/limits';
import type { GatewayClient } from '../../nodes/shared/gateway/client/client';
import {
	ApiError,
	asError,
	InvalidInputError,
	type Outcome,
	type RequestKind,
	StoppedError,
} from '../../nodes/shared/gateway/errors/errors';
import { Budget, nothingSpent } from '../../nodes/shared/run/charge/budget';
import { charge } from '../../nodes/shared/run/charge/charge';
import type { ItemRecord } from '../../nodes/shared/run/charge/record';
import type { Records } from '../../nodes/shared/run/charge/records';
import { Execution } from './support';

test('a call whose execution is cancelled waits no longer for those of other executions', async () => {
	const budget = new Budget(nothingSpent);
	const limit = { left: () => '1', refusal: () => new Error('It does not fit') };
	const run = new RunSignal();
	await budget.take({ mostRub: '1', limit, run: new RunSignal() });
	const outcomes: unknown[] = [];
	void budget.take({ mostRub: '1', limit, run }).catch((error: unknown) => outcomes.push(error));
	await new Promise((resolve) => setImmediate(resolve));
	run.abort('cancelled');
	await new Promise((resolve) => setImmediate(resolve));
	expect(outcomes).toMatchObject([{ reason: 'cancelled', outcome: 'notSent' }]);
});

test.each(['1', undefined])(
	'a call of unknown cost (at most %s) stays one when its repetition is rejected',
	async (mostRub) => {
		const spent = nothingSpent();
		const budget = new Budget(() => spent);
		const call = { mostRub, key: 'k', run: new RunSignal() };
		(await budget.take(call)).keep();
		const kept = structuredClone(spent);
		(await budget.take(call)).release();
		expect(spent).toStrictEqual(kept);
		expect([spent.unknownCalls, spent.unlimited]).toStrictEqual([1, mostRub === undefined ? 1 : 0]);
	},
);

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
		// Of a call without a limit, what an earlier request may have cost is kept while it is repeated.
		const ended = ofExecution(execution).filter(
			({ state, isUnlimited, endedAt }) => state === 'has ended' || (isUnlimited && endedAt < Infinity),
		);
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
		const plan = {
			client: { account: 'a', settings: {}, run: new RunSignal(stop.signal) } as unknown as GatewayClient,
			mostRub: isUnlimited ? undefined : text(most),
			maxCostRub: maxCost === undefined ? undefined : text(maxCost),
			...(isTask ? { key: `key ${index}` } : {}),
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
			const costOf = async (ended: object) => {
				await time.wait(steps % 3);
				return 'result' in ended ? String(ended.result) : undefined;
			};
			const spending = executions[execution]?.node() ?? new Execution().node();
			const outcome = await charge(spending, plan, request, costOf).then(
				async ({ rub }) => await rub,
				asError,
			);
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

const failure = (message: string, outcome: Outcome, kind: RequestKind) =>
	new ApiError({ message, description: '', outcome, kind, retryable: false });

const mayBeCharged = (outcome: unknown) =>
	(outcome instanceof ApiError || outcome instanceof StoppedError) &&
	(outcome instanceof ApiError ? outcome.details.outcome : outcome.outcome) === 'unknown';

function recordsOf(record: ItemRecord): Records {
	let isSent = false;
	const records = {
		get: () => (isSent ? record : undefined),
		sent: (_: number, account: string, key?: string) => {
			isSent = true;
			return Object.assign(record, { account, ...(key === undefined ? {} : { key }) });
		},
	};
	return records as unknown as Records;
}

afterEach(() => jest.restoreAllMocks());

it('the limits of executions are kept, and nothing waits for ever', async () => {
	const histories = fc.asyncProperty(randomCalls, randomLimits, play);
	await expect(fc.assert(histories, { numRuns: RUNS })).resolves.toBeUndefined();
});

it('each of 2,000 calls that wait looks at the limit when it is the first, and when one before it ends', async () => {
	const { budget } = new Execution().node();
	const run = new RunSignal();
	let looks = 0;
	const limit = { left: () => String(Math.min((looks += 1), 1)), refusal: () => new Error('too much') };
	const calls = Array.from({ length: 2_000 }, async () => {
		const hold = await budget.take({ mostRub: '1', limit, run });
		await new Promise((resolve) => setImmediate(resolve));
		hold.release();
	});
	await Promise.all(calls);
	expect(looks).toBeLessThanOrEqual(4_000);
});
