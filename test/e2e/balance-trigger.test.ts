import type { StoredWorkflow } from '../../sandbox/n8n/types';
import { useEnvironment, type Environment } from './support/environment';
import { Wallet } from './support/wallet';

// The balance trigger on the real n8n: polls × balances × modes, with the executions that it starts.

let environment: Environment;

useEnvironment((started) => (environment = started));
afterEach(async () => {
	for (const workflow of published.splice(0)) await environment.client.deactivate(workflow);
});

/** The workflows of the running test. */
const published: StoredWorkflow[] = [];

/** Publishes a trigger; its first poll finds `amount`. */
async function watched(parameters: Record<string, unknown>, amount: string): Promise<Wallet> {
	const wallet = await Wallet.watched(environment, parameters, amount);
	published.push(wallet.workflow);
	return wallet;
}

const balances = ['150.00', '99.99', '50.00', '100.00', '80.00'];

/** What each way of firing tells of these balances. */
const table: Array<[parameters: Record<string, unknown>, told: string[]]> = [
	[{ fireOn: 'below', threshold: 100 }, ['99.99', '80.00']],
	[{ fireOn: 'change' }, balances.slice(1)],
];

test('starts once when the balance falls below, and at each change', async () => {
	const [first = '', ...later] = balances;
	const told = await Promise.all(
		table.map(async ([parameters]) => {
			const wallet = await watched(parameters, first);
			await wallet.set(...later);
			return await wallet.amounts();
		}),
	);
	expect(told).toStrictEqual(table.map(([, expected]) => expected));
});

test('starts for a balance that is low when the workflow is published, with what an alert needs', async () => {
	const wallet = await watched({ fireOn: 'below', threshold: 100 }, '12.34');
	await wallet.poll();
	expect(await wallet.told()).toStrictEqual([
		{
			amountRub: 12.34,
			amount: '12.34',
			currency: 'RUB',
			message: 'The balance is ₽12.34, below the threshold of ₽100',
			lowBalance: true,
			threshold: '100',
		},
	]);
});

test('two triggers do not share their state', async () => {
	const low = await watched({ fireOn: 'below', threshold: 100 }, '50.00');
	const lower = await watched({ fireOn: 'below', threshold: 10 }, '50.00');
	await lower.set('5.00');
	await low.poll();
	expect(await low.amounts()).toStrictEqual(['50.00']);
	expect(await lower.amounts()).toStrictEqual(['5.00']);
});

test('a failed poll neither starts the workflow nor loses the state', async () => {
	const { control } = environment.gateway;
	const wallet = await watched({ fireOn: 'below', threshold: 100 }, '50.00');
	await wallet.poll();
	control.addFault({
		match: { path: '/balance' },
		action: { kind: 'error', code: 'forbidden' },
		times: Infinity,
	});
	await wallet.set('150.00', '40.00');
	const failed = control.requests({ path: '/balance' }).filter(({ status }) => status === 403);
	expect(failed.length).toBeGreaterThanOrEqual(2);
	control.clearFaults();
	await wallet.poll();
	expect(await wallet.amounts()).toStrictEqual(['50.00']);
	await wallet.set('150.00', '30.00');
	expect(await wallet.amounts()).toStrictEqual(['50.00', '30.00']);
});
