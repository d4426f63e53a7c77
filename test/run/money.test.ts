import fc from 'fast-check';

import { RunSignal } from '../../nodes/shared/gateway/client/limits';
import type { GatewayClient } from '../../nodes/shared/gateway/client/client';
import { ApiError, asError, InvalidInputError, StoppedError } from '../../nodes/shared/gateway/errors/errors';
import { checkBalance } from '../../nodes/shared/run/charge/account';
import { charge, type Plan } from '../../nodes/shared/run/charge/charge';
import type { ItemRecord } from '../../nodes/shared/run/charge/record';
import type { Records } from '../../nodes/shared/run/charge/records';
import type { Spending } from '../../nodes/shared/run/charge/spending';
import { invalidInput } from '../helpers/invalidInput';
import { Execution } from './support';

describe('*Minimum Balance* of ₽90', () => {
	// All executions of the process share an account.
	let accounts = 0;

	/** An account of a gateway whose balance can be set, and which counts how often it is asked for. */
	function newAccount(balance: string) {
		accounts += 1;
		const gateway = { balance: balance as string | Error, readings: 0, now: 1_000 };
		jest.spyOn(performance, 'now').mockImplementation(() => gateway.now);
		const json = async () => {
			gateway.readings += 1;
			await new Promise((resolve) => setImmediate(resolve));
			const { balance: amount } = gateway;
			if (amount instanceof Error) throw amount;
			return { amount };
		};
		const client = {
			account: `account ${accounts}`,
			settings: { minBalanceRub: '90' },
			run: new RunSignal(),
			json,
		} as unknown as GatewayClient;
		const send = async (maxRub: string, reader = client) =>
			await checkBalance(reader, maxRub).then(() => 'sent', asError);
		return { gateway, client, send };
	}

	const REFUSED = expect.objectContaining({ param: 'minBalanceRub' }) as unknown;

	it.each<[string, calls: string[], outcomes: unknown[], readings: number]>([
		['lets a call through that leaves exactly as much', ['10'], ['sent'], 1],
		['refuses one that would leave less, by a new reading', ['10.01'], [REFUSED], 2],
		['takes the maximum of each call off', ['4', '4', '2'], ['sent', 'sent', 'sent'], 1],
		['lets a new reading alone decide where that leaves less', ['6', '6'], ['sent', 'sent'], 2],
	])('%s', async (_, calls, outcomes, readings) => {
		const { gateway, send } = newAccount('100');
		const sent: unknown[] = [];
		for (const maxRub of calls) sent.push(await send(maxRub));
		expect(sent).toStrictEqual(outcomes);
		expect(gateway.readings).toBe(readings);
	});

	it('calls that need a new reading at the same time share one', async () => {
		const { gateway, send } = newAccount('100');
		await send('6');
		expect(await Promise.all(['6', '7', '11'].map(async (rub) => await send(rub)))).toStrictEqual([
			'sent',
			'sent',
			REFUSED,
		]);
		expect(gateway.readings).toBe(2);
	});

	it('a reading is used for 5 seconds from its beginning', async () => {
		const { gateway, send } = newAccount('1000');
		await send('1');
		gateway.balance = '90';
		gateway.now += 5_000;
		expect(await send('1')).toBe('sent');
		gateway.now += 1;
		expect(await send('1')).toStrictEqual(REFUSED);
	});

	it('a call that is sent while the balance is read is taken off what was read', async () => {
		const { gateway, send } = newAccount('100');
		await send('1');
		const reading = send('9.50');
		expect(await send('4')).toBe('sent');
		expect(await reading).toBe('sent');
		// Without the ₽4, another ₽0.50 would be left.
		expect(await send('0.50')).toBe('sent');
		expect(gateway.readings).toBe(3);
	});

	it('a balance that cannot be read lets nothing through, and is read again for the next call', async () => {
		const { gateway, send } = newAccount('100');
		const details = { description: '', retryable: true, outcome: 'rejected', kind: 'read' } as const;
		gateway.balance = new ApiError({ message: 'down', ...details });
		const message = "The balance cannot be read for 'Minimum Balance (₽)': down";
		expect(await send('1')).toMatchObject({ message, details: { outcome: 'notSent' } });
		gateway.balance = '100';
		expect(await send('1')).toBe('sent');
	});

	it('is read by a call of another execution when the one that reads it is cancelled', async () => {
		const { gateway, client, send } = newAccount('100');
		let cancel: (error: Error) => void = () => undefined;
		const json = async () => await new Promise((_, reject) => (cancel = reject));
		const first = send('1', { ...client, json } as unknown as GatewayClient);
		const second = send('1');
		cancel(new StoppedError('cancelled'));
		expect(await first).toBeInstanceOf(StoppedError);
		expect(await second).toBe('sent');
		expect(gateway.readings).toBe(1);
	});

	it('a call that it refuses holds nothing in the limit of its execution', async () => {
		const { client } = newAccount('100');
		const spending = new Execution().node();
		const send = async (mostRub: string, settings: object) => {
			const plan = { client: { ...client, settings } as unknown as GatewayClient, mostRub, maxCostRub: '20' };
			const respond = async () => await Promise.resolve('a');
			const costOf = async () => await Promise.resolve('0');
			return await charge(spending, plan, respond, costOf).then(({ result }) => result, asError);
		};
		expect(await send('15', client.settings)).toStrictEqual(REFUSED);
		expect(await send('15', {})).toBe('a');
	});
});

describe('spending', () => {
	// What the calls of an execution cost, and what limits them.

	let execution: Execution;
	beforeEach(() => (execution = new Execution()));

	const NO_TOKENS = { inputTokens: 0, outputTokens: 0 };

	/** Rubles, calls, and those without a cost. */
	const shown = () => Object.values(execution.custom).join(' ');
	const failure = (outcome: 'unknown' | 'rejected') =>
		new ApiError({ message: outcome, description: '', outcome, kind: 'keyed', retryable: false });
	const [LOST, REJECTED] = [failure('unknown'), failure('rejected')];

	/** Sends a call that ends with this cost or error, which it returns. */
	async function send(plan: Partial<Plan>, end: string | Error, node = execution.node()): Promise<unknown> {
		const client = { account: 'a', settings: {}, run: new RunSignal() } as unknown as Plan['client'];
		const respond = async () => await (end instanceof Error ? Promise.reject(end) : Promise.resolve(end));
		const all = { client, mostRub: undefined, maxCostRub: undefined, ...plan };
		const costOf = (ended: object) => Promise.resolve('result' in ended ? String(ended.result) : undefined);
		return await charge(node, all, respond, costOf).then(async ({ rub }) => await rub, asError);
	}

	/** Calls that cost so much, or whose cost of at most so much is not known. */
	const costs = async (rub: string, node?: Spending) => await send({}, rub, node);
	const mayCost = async (mostRub: string | undefined, node?: Spending) => await send({ mostRub }, LOST, node);
	const failedTask = async () => {
		const node = execution.node();
		await costs('0.4', node);
		node.addTask('a', 't1');
		const record = { state: 'charged', taskId: 't1', costRub: '0.4' } as const;
		node.taskCharged(record);
		node.taskFailed('t1', record);
	};

	const UNKNOWN = '0 (execution so far: ₽0; calls of unknown cost: 1)';
	it.each<[string, () => Promise<unknown>, hint: string]>([
		['a cost', async () => await costs('4.50'), '4.50 (execution so far: ₽4.50)'],
		['no free call', async () => await costs('0'), ''],
		['no rejected call', async () => await send({}, REJECTED), ''],
		['a lost call', async () => await mayCost('2'), UNKNOWN],
		['a failed task without its price', failedTask, UNKNOWN],
		[
			'other nodes',
			async () => [await costs('3', execution.node('b')), await costs('1')],
			'1 (execution so far: ₽4)',
		],
	])('the hint has %s', async (_, calls, hint) => {
		await calls();
		expect(execution.hints.at(-1)?.message ?? '').toBe(hint && `Cost: ₽${hint}`);
		// Also without a hint, for expressions.
		expect(execution.contexts.node?.gateway).toHaveProperty(
			'costRub',
			Number(execution.custom.gatewayCostRub),
		);
	});

	it('all nodes show the exact sum, however often n8n stores the execution', async () => {
		const call = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(9_999), fc.boolean());
		await fc.assert(
			fc.asyncProperty(fc.array(call, { minLength: 1 }), async (calls) => {
				execution = new Execution();
				for (const [name, rub, isKnown] of calls) {
					await (isKnown ? costs : mayCost)(String(rub / 1_000), execution.node(name));
					execution.store();
				}
				const known = calls.filter(([, , isKnown]) => isKnown);
				const costRub = known.reduce((sum, [, rub]) => sum + rub, 0) / 1_000;
				const totals = { costRub, calls: calls.length, callsWithoutCost: calls.length - known.length };
				expect(shown()).toBe(Object.values(totals).join(' '));
				const all = { ...totals, ...NO_TOKENS };
				for (const [name] of calls) expect(execution.contexts[name]?.gateway).toStrictEqual(all);
			}),
		);
	});

	it('begins anew in a retry, whose hint has the cost before; keys of the user stay known', async () => {
		const use = { usedAt: 'p', content: 'c', isCharged: true as const };
		await costs('1', execution.node('first'));
		await mayCost('2', execution.node('first'));
		execution.node('first').keys.k = use;
		for (const id of ['e2', 'e3']) {
			execution.store();
			execution.id = id;
			await costs('5', execution.node('second'));
		}
		expect(shown()).toBe('5 1 0');
		const totals = { costRub: 5, calls: 1, callsWithoutCost: 0, ...NO_TOKENS };
		expect(execution.contexts.first?.gateway).toStrictEqual(totals);
		expect(execution.hints.at(-1)?.message).toContain(
			'(execution so far: ₽5; in the execution before: ₽6 and calls of unknown cost: 1)',
		);
		expect(execution.node('third').keys).toStrictEqual({ k: use });
	});

	it('its hint also names only calls of unknown cost of the execution before', async () => {
		await mayCost('2', execution.node('first'));
		execution.store();
		execution.id = 'e2';
		execution.node('second').show();
		expect(execution.hints.at(-1)?.message).toBe(
			'Cost: ₽0 (execution so far: ₽0; in the execution before: ₽0 and calls of unknown cost: 1)',
		);
	});

	/** An item that is in flight. */
	function sentBy(account: string): NonNullable<Plan['item']> {
		const record: ItemRecord = { state: 'sent', account, key: 'k' };
		const records = { get: () => record, sent: () => record } as unknown as Records;
		return { index: 0, records };
	}

	it('what was in flight when n8n ended is not sent with another API key', async () => {
		const error = await send({ item: sentBy('b') }, '1');
		expect(error).toMatchObject({ details: { code: 'other_account' } });
		expect(execution.custom).toStrictEqual({});
	});

	/** What becomes of a call that may cost so much, under a limit of ₽1. */
	const limited = async (mostRub: string) => await send({ mostRub, maxCostRub: '1' }, '0');

	describe('a limit of ₽1', () => {
		const ownKey = { usedAt: 'p', content: 'c' };

		it.each<[string, () => Promise<unknown>, left: string, tooMuch: string]>([
			['what is paid', async () => await costs('0.1'), '0.9', '0.9001'],
			['what a lost call may cost', async () => [await mayCost('0.4'), execution.store()], '0.6', '0.61'],
			['a failed task', failedTask, '0.6', '0.61'],
			[
				'a task that was lost, and is paid by its repetition',
				async () => [await send({ key: 'k' }, LOST), await send({ key: 'k' }, '0.4')],
				'0.6',
				'0.61',
			],
			['a task with a key of the user', async () => await send({ ownKey }, '0.4'), '0.6', '0.61'],
			[
				'one key of two accounts twice',
				async () => {
					const client = { account: 'b', settings: {}, run: new RunSignal() } as unknown as Plan['client'];
					await send({ key: 'k', mostRub: '0.4' }, LOST);
					await send({ key: 'k', mostRub: '0.3', client }, '0.3');
				},
				'0.3',
				'0.31',
			],
			['no rejected call', async () => await send({ mostRub: '0.4' }, REJECTED), '1', '1.01'],
			[
				'no call that was in flight when n8n ended',
				async () => {
					void execution.node().budget.take({ mostRub: '1', run: new RunSignal() });
					await Promise.resolve(execution.store());
				},
				'1',
				'1.01',
			],
		])('counts %s', async (_, calls, left, tooMuch) => {
			await calls();
			expect(await limited(tooMuch)).toBeInstanceOf(InvalidInputError);
			expect(await limited(left)).toBe('0');
		});

		it('does not wait for calls without a limit, and counts them when they end', async () => {
			const others = ['5', undefined].map(async (mostRub) => {
				return await execution.node().budget.take({ mostRub, run: new RunSignal() });
			});
			const [first] = await Promise.all(others);
			expect(await limited('1')).toBe('0');
			first?.spend('0.4');
			expect(await limited('0.61')).toBeInstanceOf(InvalidInputError);
			expect(await limited('0.6')).toBe('0');
		});

		it('says for what a call has waited, if that was long', async () => {
			const waitFor = async (ms: number) => {
				let now = 0;
				jest.spyOn(performance, 'now').mockImplementation(() => now);
				const hold = await execution
					.node()
					.budget.take({ mostRub: '0.6', isHeld: true, run: new RunSignal() });
				const later = limited('0.5');
				await new Promise((resolve) => setImmediate(resolve));
				now = ms;
				hold.release();
				await later;
				return execution.hints.map(({ message }) => message);
			};
			expect(await waitFor(4_999)).toStrictEqual([]);
			expect(await waitFor(12_000)).toStrictEqual([
				"Calls waited up to 12 seconds for other calls, because of 'Max Cost per Execution (₽)'.",
			]);
			jest.restoreAllMocks();
		});

		it('has room when a limited call in flight has ended', async () => {
			const hold = await execution.node().budget.take({ mostRub: '0.6', isHeld: true, run: new RunSignal() });
			const outcomes: unknown[] = [];
			const later = limited('0.5').then((outcome) => outcomes.push(outcome));
			await new Promise((resolve) => setImmediate(resolve));
			expect(outcomes).toStrictEqual([]);
			hold.release();
			await later;
			expect(outcomes).toStrictEqual(['0']);
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
			await mayCost(undefined);
			const { description } = invalidInput(() => execution.node().limit('1')?.left());
			expect(description).toContain('The cost of 1 earlier call is unknown.');
			expect(await limited('0')).toBeInstanceOf(InvalidInputError);
		});

		it('equal calls of an agent at the same time count once, however they end', async () => {
			const plan = { item: sentBy('a'), key: 'k', mostRub: '0.4' };
			const ends = [LOST, '0.3', LOST, '0.3', REJECTED];
			await Promise.all(ends.map(async (end) => await send(plan, end)));
			expect(shown()).toBe('0.3 1 0');
			expect(execution.hints.filter(({ message }) => message.startsWith('Cost: ₽0.30'))).toHaveLength(1);
			expect(await limited('0.71')).toBeInstanceOf(InvalidInputError);
			expect(await limited('0.7')).toBe('0');
		});
	});
});
