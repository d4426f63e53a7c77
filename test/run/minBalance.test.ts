import type { IWorkflowDataProxyData } from 'n8n-workflow';

import type { GatewayClient } from '../../nodes/shared/gateway/client/client';
import { ApiError, InvalidInputError, StoppedError } from '../../nodes/shared/gateway/errors/errors';
import { ExecutionCost, type CallCost as Call } from '../../nodes/shared/run/cost/executionCost';

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
		json: async () => {
			gateway.requests += 1;
			const { balance: answer } = gateway;
			if (answer instanceof Error) throw answer;
			return await Promise.resolve({ amount: answer });
		},
	} as unknown as GatewayClient;
	/** A call of an execution of its own. */
	const begin = async (mostRub: string, limitRub?: string) =>
		await newCost().beginAfterCheck(client, { mostRub, limitRub });
	return { gateway, begin };
}

function newCost(): ExecutionCost {
	const contexts: Record<string, object> = { flow: {}, node: {} };
	return new ExecutionCost({
		getExecutionId: () => 'e1',
		getContext: (kind) => contexts[kind] as Record<string, never>,
		getWorkflowDataProxy: () => ({ $execution: {} }) as unknown as IWorkflowDataProxyData,
	});
}

it('asks for no balance without a minimum', async () => {
	const { gateway, begin } = newAccount('0', null);
	await expect(begin('1000')).resolves.toBeDefined();
	expect(gateway.requests).toBe(0);
});

it('refuses a call that could leave less, with what is there and what it needs', async () => {
	const { begin } = newAccount('100');
	await expect(begin('10')).resolves.toBeDefined();
	const { begin: beginOther } = newAccount('100');
	const error: unknown = await beginOther('10.01').catch((thrown: unknown) => thrown);
	expect(error).toBeInstanceOf(InvalidInputError);
	expect(error).toMatchObject({
		message: "The call may cost ₽10.01, and less than the 'Minimum Balance (Rubles)' of ₽90 would be left",
		description:
			"The account has ₽100, without what calls in progress may cost. Top up the balance, or lower 'Minimum Balance (Rubles)' in the credential.",
		param: 'minBalanceRub',
	});
});

it('counts the calls in progress of all executions', async () => {
	const { begin } = newAccount('100');
	const first = await begin('6');
	await expect(begin('6')).rejects.toThrow('less than');
	first.ended(false);
	await expect(begin('6')).resolves.toBeDefined();
});

it('holds nothing for a call that the limit of the execution refuses', async () => {
	const { begin } = newAccount('100');
	await expect(begin('6', '5')).rejects.toThrow('Max Cost per Execution');
	await expect(begin('10')).resolves.toBeDefined();
});

it('lets through of calls that begin at once as many as fit', async () => {
	const { gateway, begin } = newAccount('100');
	const begun = await Promise.allSettled(Array.from({ length: 10 }, async () => await begin('3')));
	expect(begun.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
	expect(gateway.requests).toBe(1);
});

it.each([
	['its cost', (call: Call) => call.charged('4'), '6'],
	['the most, if its cost is unknown', (call: Call) => call.ended(true), '1'],
	['another most, if that is known', (call: Call) => call.ended(true, '5'), '5'],
	['nothing, if it is not charged', (call: Call) => call.ended(false), '10'],
])('counts of a call that has ended %s', async (_, end, fits) => {
	const { begin } = newAccount('100');
	end(await begin('9'));
	await expect(begin(`${fits}.01`)).rejects.toThrow('less than');
	await expect(begin(fits)).resolves.toBeDefined();
});

it('reads the balance again after half a minute, which then has what has ended', async () => {
	const { gateway, begin } = newAccount('100');
	(await begin('9')).charged('9');
	gateway.balance = '91';
	gateway.now += 30_000;
	await expect(begin('2')).rejects.toThrow('The call may cost');
	expect(gateway.requests).toBe(1);
	gateway.now += 1;
	await expect(begin('1')).resolves.toBeDefined();
	expect(gateway.requests).toBe(2);
});

it('counts a call that ends while the balance is read again', async () => {
	const { gateway, begin } = newAccount('100');
	const call = await begin('9');
	gateway.now += 30_001;
	const next = begin('2');
	call.charged('9');
	const error: unknown = await next.catch((thrown: unknown) => thrown);
	expect(error).toHaveProperty('description', expect.stringContaining('The account has ₽91,'));
});

it('sends nothing when the balance cannot be read, and asks again for the next call', async () => {
	const { gateway, begin } = newAccount('100');
	const details = { message: 'down', description: '', retryable: true } as const;
	gateway.balance = new ApiError({ ...details, outcome: 'rejected', kind: 'read' });
	await expect(begin('1')).rejects.toThrow("The balance cannot be read for 'Minimum Balance (Rubles)': down");
	gateway.balance = '100';
	await expect(begin('1')).resolves.toBeDefined();
});

it('reads the balance again for a call that waited for the reading of a run that has ended', async () => {
	const { gateway, begin } = newAccount('100');
	gateway.balance = new StoppedError('other item failed');
	const calls = [begin('1'), begin('2'), begin('3')];
	gateway.balance = '100';
	await expect(Promise.allSettled(calls)).resolves.toMatchObject([
		{ reason: new StoppedError('other item failed') },
		{ status: 'fulfilled' },
		{ status: 'fulfilled' },
	]);
	expect(gateway.requests).toBe(2);
});
