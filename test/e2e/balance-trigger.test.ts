import { useEnvironment, type Environment } from './support/environment';
import { Wallet } from './support/wallet';

// The balance trigger on the real n8n, where polls fail.

let environment: Environment;

useEnvironment((started) => (environment = started));

test('a failed poll neither starts the workflow nor loses the state', async () => {
	const { control } = environment.gateway;
	const wallet = await Wallet.watched(environment, { fireOn: 'below', threshold: 100 }, '50.00');
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
