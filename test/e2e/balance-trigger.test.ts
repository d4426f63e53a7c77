import { setTimeout as sleep } from 'node:timers/promises';

import { resultOf, waitForExecution } from '../../sandbox/n8n/executions';
import type { Stored, StoredWorkflow } from '../../sandbox/n8n/types';
import { credentialType, withCredential } from '../../sandbox/n8n/workflows';
import { useOwnEnvironment, type OwnEnvironment } from './support/environment';
import { catcher, everySecond, gatewayNode } from './support/workflows';

// The balance trigger on the real n8n: polls × balances × modes, with the executions that it starts.

let environment: OwnEnvironment;

useOwnEnvironment((started) => (environment = started));
afterEach(async () => {
	for (const workflow of published.splice(0)) await environment.client.deactivate(workflow);
});

/** The workflows of the running test. */
const published: StoredWorkflow[] = [];

/** A published trigger that watches a wallet of its own. */
class Wallet {
	private static count = 0;

	private constructor(
		readonly account: string,
		/** The end of its key, which is all that the gateway's log shows of it. */
		private readonly keyEnd: string,
		readonly workflow: StoredWorkflow,
	) {}

	/** Publishes a trigger; its first poll finds `amount`. */
	static async watched(parameters: Record<string, unknown>, amount: string): Promise<Wallet> {
		const { gateway, client } = environment;
		const account = `wallet-${(Wallet.count += 1)}`;
		const { key } = gateway.control.createKey({ account });
		gateway.control.setBalance(amount, account);
		const data = { baseUrl: gateway.baseUrl, apiKey: key };
		const credential: Stored = await client.saveCredential(account, credentialType, data);
		const pollTimes = { item: everySecond };
		const trigger = gatewayNode(
			'Low',
			'balanceTrigger',
			{ ...parameters, pollTimes },
			{ id: 'low', position: [0, 0] },
		);
		const after = { ...catcher('After'), id: 'after', position: [220, 0] as [number, number] };
		const workflow = {
			name: account,
			nodes: [trigger, after],
			connections: { Low: { main: [[{ node: 'After', type: 'main', index: 0 }]] } },
			settings: { executionOrder: 'v1' },
		};
		const stored = await client.createWorkflow(withCredential(workflow, credential));
		published.push(stored);
		await client.activate(stored);
		const wallet = new Wallet(account, key.slice(-4), stored);
		// Publishing answers before the trigger is there.
		await wallet.polled(1);
		return wallet;
	}

	/** How often it was asked for its balance. */
	get polls(): number {
		return environment.gateway.control
			.requests({ path: '/balance' })
			.filter(({ key, status }) => key.masked?.endsWith(this.keyEnd) && status !== null).length;
	}

	/** Waits until it has been polled so often. */
	async polled(count: number): Promise<void> {
		for (const end = Date.now() + 30_000; this.polls < count; await sleep(20)) {
			if (Date.now() > end) throw new Error(`${this.account} is not polled`);
		}
	}

	/** Waits until a poll that began after this moment has ended. */
	async poll(): Promise<void> {
		await this.polled(this.polls + 2);
	}

	/** Moves the balance and waits for a poll. */
	async set(...amounts: string[]): Promise<void> {
		for (const amount of amounts) {
			environment.gateway.control.setBalance(amount, this.account);
			await this.poll();
		}
	}

	/** What the node behind the trigger got, in order. */
	async told(): Promise<Array<Record<string, unknown>>> {
		const list = await environment.client.listExecutions(this.workflow.id);
		const results = await Promise.all(
			list.reverse().map(async ({ id }) => resultOf(await waitForExecution(environment.client, id))),
		);
		return results.flatMap(({ nodes }) => nodes['After']?.items.map(({ json }) => json) ?? []);
	}
}

const amounts = (told: Array<Record<string, unknown>>) => told.map(({ amount }) => amount);
const balances = ['150.00', '99.99', '50.00', '100.00', '80.00', '125.00', '99.00', '99.00'];

/** What each way of firing tells of these balances. */
const table: Array<[parameters: Record<string, unknown>, told: string[]]> = [
	[{ fireOn: 'below', threshold: 100 }, ['99.99', '80.00', '99.00']],
	[{ fireOn: 'below', threshold: 100, options: { margin: 20 } }, ['99.99', '99.00']],
	[{ fireOn: 'change' }, balances.slice(1, -1)],
];

test('starts once when the balance falls below, with and without a margin, and at each change', async () => {
	const [first = '', ...later] = balances;
	const told = await Promise.all(
		table.map(async ([parameters]) => {
			const wallet = await Wallet.watched(parameters, first);
			await wallet.set(...later);
			return amounts(await wallet.told());
		}),
	);
	expect(told).toStrictEqual(table.map(([, expected]) => expected));
});

test('starts at every poll below the threshold', async () => {
	const wallet = await Wallet.watched({ fireOn: 'everyPoll', threshold: 100 }, '150.00');
	await wallet.set('99.00', '98.00', '150.00');
	const settled = (await wallet.told()).length;
	await wallet.poll();
	const told = await wallet.told();
	expect(told).toHaveLength(settled);
	expect(told.length).toBeGreaterThanOrEqual(2);
	expect(new Set(amounts(told))).toStrictEqual(new Set(['99.00', '98.00']));
});

test('starts for a balance that is low when the workflow is published, with what an alert needs', async () => {
	const wallet = await Wallet.watched({ fireOn: 'below', threshold: 100 }, '12.34');
	await wallet.poll();
	expect(await wallet.told()).toStrictEqual([
		{
			amountRub: 12.34,
			amount: '12.34',
			currency: 'RUB',
			message: 'The balance is 12.34 RUB, below the threshold of 100.00 RUB',
			lowBalance: true,
			threshold: '100',
		},
	]);
});

test('two triggers do not share their state', async () => {
	const low = await Wallet.watched({ fireOn: 'below', threshold: 100 }, '50.00');
	const lower = await Wallet.watched({ fireOn: 'below', threshold: 10 }, '50.00');
	await lower.set('5.00');
	await low.poll();
	expect(amounts(await low.told())).toStrictEqual(['50.00']);
	expect(amounts(await lower.told())).toStrictEqual(['5.00']);
});

test('a failed poll neither starts the workflow nor loses the state', async () => {
	const { control } = environment.gateway;
	const wallet = await Wallet.watched({ fireOn: 'below', threshold: 100 }, '50.00');
	await wallet.poll();
	control.addFault({
		match: { path: '/balance' },
		action: { type: 'status', status: 503 },
		times: 6,
	} as never);
	await wallet.set('40.00');
	control.clearFaults();
	await wallet.poll();
	expect(amounts(await wallet.told())).toStrictEqual(['50.00']);
	await wallet.set('150.00', '30.00');
	expect(amounts(await wallet.told())).toStrictEqual(['50.00', '30.00']);
});

test('the state survives a restart of n8n', async () => {
	const told = await Wallet.watched({ fireOn: 'below', threshold: 100 }, '50.00');
	const risen = await Wallet.watched({ fireOn: 'below', threshold: 100 }, '50.00');
	await risen.set('150.00');
	await environment.restart();
	await told.set('40.00');
	await risen.set('60.00');
	expect(amounts(await told.told())).toStrictEqual(['50.00']);
	expect(amounts(await risen.told())).toStrictEqual(['50.00', '60.00']);
});
