import { fetchBalance, isBelow, readBalance } from '../shared/gateway/endpoints/balance';
import { compact } from '../shared/gateway/util/json';
import { number } from '../shared/params/kinds';
import { defineOperation } from '../shared/run/operation';
import { Registry } from '../shared/run/registry';

export const get = defineOperation({
	displayName: 'Get',
	action: 'Get balance',
	description: 'Retrieve the balance: the money left in the wallet, in rubles',
	toolDescription: 'Says how much money is left in the wallet. Returns the amount in rubles.',
	isRead: true,
	isSingleRequest: true,
	parameters: {},
	options: {
		threshold: number({
			displayName: 'Threshold (₽)',
			decimals: 2,
			default: 100,
			description:
				"Adds 'lowBalance' to the output: whether the balance is below this amount, e.g. for an If node that sends an alert",
		}).requiredIfAdded(),
	},
	async execute({ params, client }) {
		const { threshold } = params.options;
		const balance = readBalance(await fetchBalance(client));
		const json = compact(balance);
		if (threshold === undefined) return [{ json }];
		return [{ json: { ...json, lowBalance: isBelow(balance, String(threshold)) } }];
	},
});

export const registry = new Registry({ balance: { displayName: 'Balance', operations: { get } } });
