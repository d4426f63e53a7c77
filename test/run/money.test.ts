import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import type { GatewayClient } from '../../nodes/shared/gateway/client/client';
import { textFormat } from '../../nodes/shared/gateway/text/formats';
import {
	ApiError,
	asError,
	InvalidInputError,
	type Outcome,
	type RequestKind,
	StoppedError,
} from '../../nodes/shared/gateway/errors/errors';
import { charge, type Plan } from '../../nodes/shared/run/charge/charge';
import { reserve } from '../../nodes/shared/run/charge/limits';
import type { ItemRecord } from '../../nodes/shared/run/charge/record';
import { completeText, type TextCosts } from '../../nodes/shared/run/charge/text';
import { Spending, type SpendingContext } from '../../nodes/shared/run/charge/spending';
import { invalidInput } from '../helpers/invalidInput';

/** An execution: what n8n stores of it, and what it shows. */
class Execution {
	id = 'e1';
	contexts: Record<string, IDataObject> = {};
	readonly custom: Record<string, unknown> = {};
	readonly hints: Array<{ message: string }> = [];

	node(name = 'node') {
		const customData = { setAll: (values: object) => void Object.assign(this.custom, values) };
		const context = {
			getContext: (kind: string) => (this.contexts[kind === 'flow' ? kind : name] ??= {}),
			getExecutionId: () => this.id,
			addExecutionHints: (hint: { message: string }) => void this.hints.push(hint),
			getWorkflowDataProxy: () => ({ $execution: { customData } }),
		};
		return new Spending(context as unknown as SpendingContext);
	}

	/** n8n stores it, and reads it back. */
	store = () => void (this.contexts = structuredClone(this.contexts));
}

describe('calls of an execution with a limit', () => {
	// Calls under *Max Cost per Execution*, in hundredths of a ruble.

	const rub = (hundredths: number) => (hundredths / 100).toFixed(2);

	/** A client without *Minimum Balance*. */
	const client = {
		account: 'a',
		settings: {},
		until: async (wait: Promise<void>) => await wait,
	} as unknown as GatewayClient;

	/** A call: what it may cost and costs, and how many turns it takes. */
	const call = fc.record({
		most: fc.integer({ min: 1, max: 60 }),
		share: fc.double({ min: 0, max: 1, noNaN: true }),
		turns: fc.integer({ min: 1, max: 8 }),
	});

	async function turns(count: number): Promise<void> {
		for (let n = 0; n < count; n += 1) await new Promise((resolve) => setImmediate(resolve));
	}

	it('never exceed it together, and each that is refused could not fit what was left', async () => {
		const run = async (calls: Array<{ most: number; share: number; turns: number }>, limit: number) => {
			const execution = new Execution();
			let spent = 0;
			let open = 0;
			const refused: Array<{ error: unknown; couldFit: boolean }> = [];
			const send = async ({ most, share, turns: length }: (typeof calls)[number]) => {
				const cost = Math.round(most * share);
				try {
					const { rub: counted } = await charge(
						execution.node(),
						{ client, mostRub: rub(most), maxCostRub: rub(limit) },
						async () => {
							open += most;
							expect(spent + open).toBeLessThanOrEqual(limit);
							await turns(length);
						},
						async () => await Promise.resolve(rub(cost)),
					);
					await counted;
					spent += cost;
					open -= most;
				} catch (error) {
					refused.push({ error, couldFit: spent + most <= limit });
				}
			};
			await Promise.all(calls.map(send));
			expect(spent).toBeLessThanOrEqual(limit);
			for (const { error, couldFit } of refused)
				expect([error instanceof InvalidInputError, couldFit]).toStrictEqual([true, false]);
		};
		await fc.assert(
			fc.asyncProperty(
				fc.array(call, { minLength: 30, maxLength: 30 }),
				fc.integer({ min: 1, max: 1_000 }),
				run,
			),
			{ numRuns: 60 },
		);
	});

	it.each<[string, string | undefined]>([
		['an amount', '8'],
		['any amount', undefined],
	])('wait for one that has no limit and may cost %s, and count it', async (_, mostRub) => {
		const execution = new Execution();
		const send = async (limit: string | undefined, most: string | undefined, cost: string) =>
			await charge(
				execution.node(),
				{ client, mostRub: most, maxCostRub: limit },
				async () => await turns(3),
				async () => await Promise.resolve(cost),
			);
		const unlimited = send(undefined, mostRub, '7');
		await expect(send('10', '4', '4')).rejects.toThrow("'Max Cost per Execution (₽)'");
		await unlimited;
	});

	it('begin in the order in which they came, also when a later one would fit before', async () => {
		const execution = new Execution();
		const begun: number[] = [];
		const send = async (index: number, most: string) => {
			const { rub: counted } = await charge(
				execution.node(),
				{ client, mostRub: most, maxCostRub: '10' },
				async () => {
					begun.push(index);
					await turns(3);
				},
				async () => await Promise.resolve('0'),
			);
			await counted;
		};
		await Promise.all([send(0, '8'), send(1, '8'), send(2, '1')]);
		expect(begun).toStrictEqual([0, 1, 2]);
	});
});

describe('min balance', () => {
	// What the credential's minimum balance lets through. All executions of the process share an account.

	let accounts = 0;

	/** An account of a gateway whose balance can be set, and which counts how often it is asked for. */
	function newAccount(balance: string, minBalanceRub: string | null = '90') {
		accounts += 1;
		const gateway = { balance: balance as string | Error, requests: 0, now: 1_000 };
		const client = {
			account: `account ${accounts}`,
			settings: { minBalanceRub: minBalanceRub ?? undefined },
			now: () => gateway.now,
			until: async (wait: Promise<void>) => await wait,
			json: async () => {
				gateway.requests += 1;
				const { balance: answer } = gateway;
				if (answer instanceof Error) throw answer;
				return await Promise.resolve({ amount: answer });
			},
		} as unknown as GatewayClient;
		/** Begins a call; ends it with what it may have cost. */
		const begin = async (mostRub: string) =>
			await reserve(new Execution().node(), { client, mostRub, maxCostRub: undefined });
		return { gateway, client, begin };
	}

	/** Sends a call of an execution of its own, which may cost ₽9. */
	async function send(client: GatewayClient, end: string | Error, maxCostRub: string): Promise<unknown> {
		const respond = async () => await (end instanceof Error ? Promise.reject(end) : Promise.resolve(end));
		const costOf = async () => await Promise.resolve(end === '4' ? end : undefined);
		const plan = { client, mostRub: '9', maxCostRub };
		return await charge(new Execution().node(), plan, respond, costOf).then(
			async ({ rub }) => await rub,
			asError,
		);
	}

	const error = (outcome: Outcome, kind: RequestKind = 'charge') =>
		new ApiError({ message: 'down', description: '', retryable: true, outcome, kind });

	it('asks for no balance without a minimum', async () => {
		const { gateway, begin } = newAccount('0', null);
		await expect(begin('1000')).resolves.toBeDefined();
		expect(gateway.requests).toBe(0);
	});

	it('a call waits for those in progress of other executions', async () => {
		const { begin } = newAccount('100');
		const first = await begin('6');
		const order: string[] = [];
		const second = begin('6').then(() => order.push('second begins'));
		await new Promise((resolve) => setImmediate(resolve));
		order.push('first ends');
		first('0');
		await second;
		expect(order).toStrictEqual(['first ends', 'second begins']);
	});

	it.each<[string, string | Error, maxCostRub: string, fits: string]>([
		['its cost', '4', '9', '6'],
		['the most, if its cost is unknown', 'unknown', '9', '1'],
		['the most, if it may be charged', error('unknown'), '9', '1'],
		['nothing, if it is not charged', error('rejected'), '9', '10'],
		['nothing, if the limit of the execution refuses it', '4', '5', '10'],
	])('counts of a call that has ended %s', async (_, end, maxCostRub, fits) => {
		const { client, begin } = newAccount('100');
		await send(client, end, maxCostRub);
		await expect(begin(`${fits}.01`)).rejects.toThrow('less than');
		await expect(begin(fits)).resolves.toBeDefined();
	});

	it.each<[string, balance: string, milliseconds: number]>([
		['half a minute', '1000', 30_000],
		['a second near the minimum', '110', 1_000],
	])('reads the balance again after %s, which then has what has ended', async (_, balance, milliseconds) => {
		const { gateway, begin } = newAccount(balance);
		(await begin('9'))('9');
		gateway.balance = '91';
		gateway.now += milliseconds;
		(await begin('1'))('0');
		expect(gateway.requests).toBe(1);
		gateway.now += 1;
		await expect(begin('2')).rejects.toThrow('The call may cost');
		expect(gateway.requests).toBe(2);
		await expect(begin('1')).resolves.toBeDefined();
	});

	it('is read by a call of another execution when the one that reads it is cancelled', async () => {
		const { gateway, client, begin } = newAccount('100');
		let cancel: (error: Error) => void = () => undefined;
		const json = async () => await new Promise((_, reject) => (cancel = reject));
		const reader = { ...client, json } as unknown as GatewayClient;
		const first = reserve(new Execution().node(), { client: reader, mostRub: '1', maxCostRub: undefined });
		const second = begin('1');
		await new Promise((resolve) => setImmediate(resolve));
		expect(gateway.requests).toBe(0);
		cancel(new StoppedError('cancelled'));
		await expect(first).rejects.toThrow(StoppedError);
		await expect(second).resolves.toBeDefined();
		expect(gateway.requests).toBe(1);
	});

	it('texts without a limit of tokens wait where the longest responses of those in progress leave no room', async () => {
		const { client } = newAccount('1090');
		// ₽90 for a response as long as the context window: eleven fit into ₽1,000.
		const model = { contextLength: 1_000, costContext: '0', costCompletion: '0.09' };
		const textModels = { required: async () => await Promise.resolve(model) };
		const costs = { client, textModels, spending: new Execution().node() } as unknown as TextCosts;
		const output = { kind: 'text' } as const;
		const plan = { format: textFormat('chat'), output, body: { model: 'm' }, maxCostRub: undefined };
		const sent: object[] = [];
		const send = async (body: object) => {
			sent.push(body);
			return await new Promise<never>(() => undefined);
		};
		for (let count = 0; count < 20; count++) void completeText(costs, plan, send);
		await new Promise((resolve) => setImmediate(resolve));
		expect(sent).toStrictEqual(Array.from({ length: 11 }, () => plan.body));
	});

	it('sends nothing when the balance cannot be read, and asks again for the next call', async () => {
		const { gateway, begin } = newAccount('100');
		gateway.balance = error('rejected', 'read');
		await expect(begin('1')).rejects.toThrow("The balance cannot be read for 'Minimum Balance (₽)': down");
		gateway.balance = '100';
		await expect(begin('1')).resolves.toBeDefined();
	});
});

describe('spending', () => {
	// What the calls of an execution cost, and what limits them.

	let execution: Execution;
	beforeEach(() => (execution = new Execution()));

	/** Rubles, calls, and those without a cost. */
	const shown = () => Object.values(execution.custom).join(' ');
	const failure = (outcome: 'unknown' | 'rejected') =>
		new ApiError({ message: outcome, description: '', outcome, kind: 'keyed', retryable: false });
	const [LOST, REJECTED] = [failure('unknown'), failure('rejected')];

	/** Sends a call that ends with this cost or error, which it returns. */
	async function send(plan: Partial<Plan>, end: string | Error, node = execution.node()): Promise<unknown> {
		const client = { account: 'a', settings: {} } as Plan['client'];
		const respond = async () => await (end instanceof Error ? Promise.reject(end) : Promise.resolve(end));
		const all = { client, mostRub: undefined, maxCostRub: undefined, ...plan };
		const costOf = (ended: object) => Promise.resolve('result' in ended ? String(ended.result) : undefined);
		return await charge(node, all, respond, costOf).then(async ({ rub }) => await rub, asError);
	}

	const failedTask = (costRub: string): ItemRecord => ({ state: 'charged', costRub });
	type Calls = (node: Spending) => unknown;
	const UNKNOWN = '0 (execution so far: ₽0; calls of unknown cost: 1)';
	it.each<[string, Calls, hint: string]>([
		['a cost', (node) => node.costs('4.50'), '4.50 (execution so far: ₽4.50)'],
		['no free call', (node) => node.costs('0'), ''],
		['no rejected call', async () => await send({}, REJECTED), ''],
		['a lost call', async () => await send({}, LOST), UNKNOWN],
		['other nodes', (node) => [execution.node('b').costs('3'), node.costs('1')], '1 (execution so far: ₽4)'],
	])('the hint has %s', async (_, calls, hint) => {
		await calls(execution.node());
		expect(execution.hints.at(-1)?.message ?? '').toBe(hint && `Cost: ₽${hint}`);
		// Also without a hint, for expressions.
		expect(execution.contexts.node?.gateway).toHaveProperty(
			'costRub',
			Number(execution.custom.gatewayCostRub),
		);
	});

	it('all nodes show the exact sum, however often n8n stores the execution', () => {
		const call = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(9_999), fc.boolean());
		fc.assert(
			fc.property(fc.array(call, { minLength: 1 }), (calls) => {
				execution = new Execution();
				for (const [name, rub, isKnown] of calls) {
					execution.node(name)[isKnown ? 'costs' : 'mayCost'](String(rub / 1_000));
					execution.store();
				}
				const known = calls.filter(([, , isKnown]) => isKnown);
				const costRub = known.reduce((sum, [, rub]) => sum + rub, 0) / 1_000;
				const totals = { costRub, calls: calls.length, callsWithoutCost: calls.length - known.length };
				expect(shown()).toBe(Object.values(totals).join(' '));
				for (const [name] of calls) expect(execution.contexts[name]?.gateway).toStrictEqual(totals);
			}),
		);
	});

	it('begins anew in a retry, whose hint has the cost before; keys of the user stay known', () => {
		const use = { place: 'p', content: 'c', isCharged: true as const };
		execution.node('first').costs('1');
		execution.node('first').keys.k = use;
		for (const id of ['e2', 'e3']) {
			execution.store();
			execution.id = id;
			execution.node('second').costs('5');
		}
		expect(shown()).toBe('5 1 0');
		expect(execution.contexts.first?.gateway).toStrictEqual({ costRub: 5, calls: 1, callsWithoutCost: 0 });
		expect(execution.hints.at(-1)?.message).toContain('(execution so far: ₽5; in the execution before: ₽6)');
		expect(execution.node('third').keys).toStrictEqual({ k: use });
	});

	/** Whether a call that may cost so much fits a limit of ₽1. */
	const fits = (most: string) => execution.node().limit('1')?.fits(most);

	describe('a limit of ₽1', () => {
		it.each<[string, Calls, left: string, tooMuch: string]>([
			['what is paid', (node) => node.costs('0.1'), '0.9', '0.9001'],
			['what a lost call may cost', (node) => [node.mayCost('0.4'), execution.store()], '0.6', '0.61'],
			['a failed task', (node) => [node.costs('0.4'), node.taskFailed(failedTask('0.4'))], '0.6', '0.61'],
			['no call that has ended', (node) => node.inProgress.begin('0.4')(), '1', '1.01'],
			[
				'no call that n8n’s end has ended',
				(node) => [node.inProgress.begin('1'), execution.store()],
				'1',
				'1.01',
			],
		])('counts %s', (_, calls, left, tooMuch) => {
			calls(execution.node());
			expect(fits(left)).toBe(true);
			expect(() => fits(tooMuch)).toThrow(InvalidInputError);
		});

		it.each<[string, string | undefined]>([
			['a call', '0.6'],
			['a call that may cost any amount', undefined],
		])('has room when %s in progress has ended', (_, most) => {
			const end = execution.node().inProgress.begin(most);
			expect(fits('0.5')).toBe(false);
			end();
			expect(fits('0.5')).toBe(true);
		});

		it('says what is spent, unknown and asked', () => {
			const node = execution.node();
			node.costs('0.25');
			node.mayCost('0.4');
			expect(invalidInput(() => fits('0.36'))).toMatchObject({
				message: "The call may cost ₽0.36, more than is left of 'Max Cost per Execution (₽)'",
				description: expect.stringMatching(/^Of ₽1, .* has spent ₽0.25, and up to ₽0.40 for calls/) as string,
				param: 'maxCostRub',
			});
		});

		it('allows nothing when a call may have cost any amount', () => {
			const node = execution.node();
			node.mayCost(null);
			expect(invalidInput(() => fits('0')).description).toContain('The cost of 1 earlier call is unknown.');
			node.mayCost(null, -1);
			expect(fits('1')).toBe(true);
		});
	});
});
