import fc from 'fast-check';

import { RunSignal } from '../../nodes/shared/gateway/client/limits';
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
import { hasRoom } from '../../nodes/shared/run/charge/account';
import { charge, type Plan } from '../../nodes/shared/run/charge/charge';
import type { ItemRecord } from '../../nodes/shared/run/charge/record';
import type { Records } from '../../nodes/shared/run/charge/records';
import { completeText, type TextCosts } from '../../nodes/shared/run/charge/text';
import type { Spending } from '../../nodes/shared/run/charge/spending';
import { addToTotal } from '../../nodes/shared/gateway/util/money';
import { invalidInput } from '../helpers/invalidInput';
import { Execution } from './support';

describe('min balance', () => {
	// What the credential's minimum balance lets through. All executions of the process share an account.

	let accounts = 0;

	/** An account of a gateway whose balance can be set, and which counts how often it is asked for. */
	function newAccount(balance: string, minBalanceRub: string | null = '90') {
		accounts += 1;
		const gateway = { balance: balance as string | Error, requests: 0, now: 1_000 };
		jest.spyOn(performance, 'now').mockImplementation(() => gateway.now);
		const client = {
			account: `account ${accounts}`,
			settings: { minBalanceRub: minBalanceRub ?? undefined },
			run: new RunSignal(),
			json: async () => {
				gateway.requests += 1;
				const { balance: answer } = gateway;
				if (answer instanceof Error) throw answer;
				return await Promise.resolve({ amount: answer });
			},
		} as unknown as GatewayClient;
		/** Begins a call; ends it with what it costs. */
		const begin = async (mostRub: string) => await started(client, new Execution().node(), mostRub);
		return { gateway, client, begin };
	}

	/** Sends a call; returns a function that ends it with what it costs. */
	async function started(client: GatewayClient, spending: Spending, mostRub: string, maxCostRub?: string) {
		let end: (rub: string) => void = () => undefined;
		const ended = new Promise<string>((resolve) => (end = resolve));
		const costOf = async () => await ended;
		await new Promise<void>((resolve, reject) => {
			const send = async () => await Promise.resolve(resolve());
			charge(spending, { client, mostRub, maxCostRub }, send, costOf).catch(reject);
		});
		return end;
	}

	/** Sends a call of an execution of its own, which may cost ₽9; without a limit, any amount. */
	async function send(client: GatewayClient, end: string | Error, maxCostRub?: string): Promise<unknown> {
		const respond = async () => await (end instanceof Error ? Promise.reject(end) : Promise.resolve(end));
		const costOf = async () => await Promise.resolve(end === '4' ? end : undefined);
		const plan = { client, mostRub: maxCostRub && '9', maxCostRub };
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
	])('counts of a call that has ended %s, until the balance shows it', async (_, end, maxCostRub, fits) => {
		const { gateway, client, begin } = newAccount('100');
		await send(client, end, maxCostRub);
		const call = await begin(fits);
		expect(gateway.requests).toBe(1);
		call('0');
		gateway.balance = addToTotal('90', fits);
		await expect(begin(`${fits}.01`)).rejects.toThrow('less than');
		await expect(begin(fits)).resolves.toBeDefined();
		expect(gateway.requests).toBe(2);
	});

	it.each<[string, balance: string, milliseconds: number]>([
		['half a minute', '1000', 30_000],
		['a second near the minimum', '110', 1_000],
	])('reads the balance again after %s, which then has what has ended', async (_, balance, milliseconds) => {
		const { gateway, begin } = newAccount(balance);
		(await begin('9'))('9');
		await new Promise((resolve) => setImmediate(resolve));
		gateway.balance = '91';
		gateway.now += milliseconds;
		(await begin('1'))('0');
		expect(gateway.requests).toBe(1);
		gateway.now += 1;
		await expect(begin('1')).resolves.toBeDefined();
		expect(gateway.requests).toBe(2);
	});

	it('is read again after a call of any amount with a credential without a minimum, until that succeeds', async () => {
		const { gateway, client, begin } = newAccount('1000');
		await begin('1');
		await send({ ...client, settings: {} } as unknown as GatewayClient, error('unknown'));
		gateway.balance = error('rejected', 'read');
		await expect(begin('1')).rejects.toThrow('down');
		gateway.balance = '90';
		await expect(begin('1')).rejects.toThrow('less than');
	});

	it('is read by a call of another execution when the one that reads it is cancelled', async () => {
		const { gateway, client, begin } = newAccount('100');
		let cancel: (error: Error) => void = () => undefined;
		const json = async () => await new Promise((_, reject) => (cancel = reject));
		const reader = { ...client, json } as unknown as GatewayClient;
		const first = started(reader, new Execution().node(), '1');
		const second = begin('1');
		await new Promise((resolve) => setImmediate(resolve));
		expect(gateway.requests).toBe(0);
		cancel(new StoppedError('cancelled'));
		await expect(first).rejects.toThrow(StoppedError);
		await expect(second).resolves.toBeDefined();
		expect(gateway.requests).toBe(1);
	});

	it('is read once more when a call ends while it is read', async () => {
		const { client, begin } = newAccount('100');
		const [first, second] = [await begin('6'), await begin('3')];
		first('6');
		await new Promise((resolve) => setImmediate(resolve));
		let respond: () => void = () => undefined;
		const held = new Promise<void>((resolve) => (respond = resolve));
		// It has the second call already.
		const json = async () => await held.then(() => ({ amount: '96' }));
		const third = started({ ...client, json } as unknown as GatewayClient, new Execution().node(), '5');
		await new Promise((resolve) => setImmediate(resolve));
		second('3');
		await new Promise((resolve) => setImmediate(resolve));
		respond();
		await expect(third).resolves.toBeDefined();
	});

	it('does not have a call that ends while it is read: what that has cost is kept', async () => {
		const { gateway, client, begin } = newAccount('100');
		const other = await begin('6');
		gateway.now += 1_001;
		let respond: () => void = () => undefined;
		const held = new Promise<void>((resolve) => (respond = resolve));
		const balances = ['98', '92'];
		const json = async () => await held.then(() => ({ amount: balances.shift() }));
		const call = started({ ...client, json } as unknown as GatewayClient, new Execution().node(), '5');
		await new Promise((resolve) => setImmediate(resolve));
		other('6');
		await new Promise((resolve) => setImmediate(resolve));
		respond();
		await expect(call).rejects.toMatchObject({
			message: expect.stringContaining('less than') as string,
			param: 'minBalanceRub',
		});
	});

	it('is read for a text of another execution, too, when the one that reads it is cancelled', async () => {
		const { client } = newAccount('100');
		let cancel: (error: Error) => void = () => undefined;
		const json = async () => await new Promise((_, reject) => (cancel = reject));
		const first = hasRoom({ ...client, json } as unknown as GatewayClient, '1');
		const second = hasRoom(client, '1');
		cancel(new StoppedError('cancelled'));
		await expect(first).rejects.toThrow(StoppedError);
		await expect(second).resolves.toBe(true);
	});

	it.each([
		['10', true],
		['10.01', false],
	])('of ₽1,000 with a minimum of ₽900 has room for several calls of ₽%s: %s', async (most, expected) => {
		await expect(hasRoom(newAccount('1000', '900').client, most)).resolves.toBe(expected);
	});

	it('that cannot be read forgets nothing of what was spent before', async () => {
		const { gateway, begin } = newAccount('1000');
		(await begin('80'))('80');
		await new Promise((resolve) => setImmediate(resolve));
		gateway.now += 1_001;
		gateway.balance = error('rejected', 'read');
		await expect(begin('80')).rejects.toThrow('down');
		gateway.balance = '920';
		// With ₽830 left, this one is near the minimum.
		await begin('82');
		expect(gateway.requests).toBe(3);
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
		(await begin('6'))('6');
		gateway.balance = error('rejected', 'read');
		await expect(begin('8')).rejects.toThrow('down');
		gateway.balance = '100';
		await expect(begin('8')).resolves.toBeDefined();
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
