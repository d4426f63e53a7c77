import type { GatewayClient } from '../../nodes/shared/gateway/client/client';
import { ApiError, asError, type Outcome, type RequestKind } from '../../nodes/shared/gateway/errors/errors';
import { charge } from '../../nodes/shared/run/charge/charge';
import { reserve } from '../../nodes/shared/run/charge/limits';
import { Spending } from '../../nodes/shared/run/charge/spending';

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
		await reserve(newSpending(), { client, mostRub, maxCostRub: undefined });
	return { gateway, client, begin };
}

/** What an execution of its own has spent. */
function newSpending(): Spending {
	const context = { getExecutionId: () => 'e1', getWorkflowDataProxy: () => ({ $execution: {} }) };
	return new Spending(context as unknown as ConstructorParameters<typeof Spending>[0]);
}

/** Sends a call of an execution of its own, which may cost ₽9. */
async function send(client: GatewayClient, end: string | Error, maxCostRub: string): Promise<unknown> {
	const respond = async () => await (end instanceof Error ? Promise.reject(end) : Promise.resolve(end));
	const costOf = async () => await Promise.resolve(end === '4' ? end : undefined);
	const plan = { client, mostRub: '9', maxCostRub };
	return await charge(newSpending(), plan, respond, costOf).then(async ({ rub }) => await rub, asError);
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
});

it('sends nothing when the balance cannot be read, and asks again for the next call', async () => {
	const { gateway, begin } = newAccount('100');
	gateway.balance = error('rejected', 'read');
	await expect(begin('1')).rejects.toThrow("The balance cannot be read for 'Minimum Balance (₽)': down");
	gateway.balance = '100';
	await expect(begin('1')).resolves.toBeDefined();
});
