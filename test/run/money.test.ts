import { RunSignal } from '../../nodes/shared/gateway/client/limits';
import type { GatewayClient } from '../../nodes/shared/gateway/client/client';
import { ApiError, asError, StoppedError } from '../../nodes/shared/gateway/errors/errors';
import { checkBalance } from '../../nodes/shared/run/charge/account';
import { beginCall, type Plan } from '../../nodes/shared/run/charge/charge';
import type { ItemRecord } from '../../nodes/shared/run/charge/record';
import type { Records } from '../../nodes/shared/run/charge/records';
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
			await checkBalance(reader, '90', maxRub).then(() => 'sent', asError);
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

	it('each account has a balance of its own, also at the same base URL', async () => {
		const [rich, poor] = [newAccount('1000'), newAccount('90')];
		expect([await rich.send('1'), await poor.send('1')]).toStrictEqual(['sent', REFUSED]);
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
		const ledger = new Execution().node();
		const send = async (maxRub: string, settings: object) => {
			const other = { ...client, settings } as unknown as GatewayClient;
			const plan = { client: other, model: 'm', maxRub, maxCostRub: '20' };
			return await beginCall(ledger, plan).then(() => 'begun', asError);
		};
		expect(await send('15', client.settings)).toStrictEqual(REFUSED);
		expect(await send('15', {})).toBe('begun');
	});
});

describe('a call', () => {
	/** An item that is in flight. */
	function sentBy(account: string): NonNullable<Plan['item']> {
		const record: ItemRecord = { state: 'sent', account, key: 'k' };
		const records = { get: () => record, sent: () => record } as unknown as Records;
		return { index: 0, records };
	}

	it('that was in flight when n8n ended is not sent with another API key', async () => {
		const execution = new Execution();
		const client = { account: 'a', settings: {}, run: new RunSignal() } as unknown as Plan['client'];
		const plan = { client, model: 'm', maxRub: undefined, item: sentBy('b'), maxCostRub: undefined };
		const error = await beginCall(execution.node(), plan).catch(asError);
		expect(error).toMatchObject({ details: { code: 'other_account' } });
		expect(execution.custom).toStrictEqual({});
	});
});
